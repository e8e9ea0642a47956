#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/// Whether a statement says that something is so, is not so, or was so.
enum class Polarity { kYes, kNo, kNoLonger };

/// One thing that a sentence says about somebody, as far as a small grammar of both languages sees it.
struct ProfileStatement {
  std::string subject;    ///< folded for comparing; empty where none is named ("Likes tea", 喜欢喝茶)
  std::string attribute;  ///< "residence", "likes", "birthday", "favourite colour", …; the same in both languages
  bool single = false;    ///< has one value at a time, so that another one replaces it
  Polarity polarity = Polarity::kYes;
  std::string value;                ///< as it stands there, folded
  std::vector<std::string> values;  ///< its parts by their content words, for comparing; never empty
  std::vector<std::string> parts;   ///< the same parts as they stand there
};

/// What a sentence states: "Ann lives in Berlin and works as a nurse" gives two. Questions, wishes and things past or
/// uncertain give none. Linear in the length; sentences over 2000 bytes give none. Safe from any thread.
std::vector<ProfileStatement> read_statements(std::string_view sentence);

/// The words by which values are compared.
std::string value_key(std::string_view value);

/// Whether an attribute tells what somebody likes rather than how things are with them.
bool is_preference(std::string_view attribute);

/// The attribute of what ends whatever has a value: "gave up tennis" ends "plays tennis".
inline constexpr std::string_view kAnyAttribute = "*";

/// What a phrase says about its value.
struct Phrase {
  std::string attribute;
  bool single = false;
  Polarity polarity = Polarity::kYes;
};

struct EnglishPhrase {
  std::string words;  ///< folded, one space between
  Phrase phrase;
};

struct ChinesePhrase {
  std::string words;
  Phrase phrase;
};

/// A value between two parts, the second of which ends the clause.
struct ChineseFrame {
  std::string before, behind;
  Phrase phrase;
};

/// The verb phrases that begin with a word, positive and negated.
std::span<const EnglishPhrase> english_phrases(std::string_view first_word);

/// The attribute of a noun that somebody has ("phone number"); empty if it is none that is kept. "favourite …" is any.
std::string owned_attribute(std::string_view noun);

std::span<const ChinesePhrase> chinese_phrases();
std::span<const ChineseFrame> chinese_frames();

/// Words before a verb that make a sentence no statement: past, possible, wished.
bool is_unsure_english(std::string_view word);
bool is_unsure_chinese(std::string_view before_verb);

/// Words that change nothing: "now", "really", 现在, 很.
bool is_adverb_english(std::string_view word);
std::span<const std::string_view> adverbs_chinese();

/// Whether a subject names nobody: what it means only the conversation tells ("this", "my sister", 你).
bool is_no_name_english(std::string_view subject);
bool is_no_name_chinese(std::string_view subject);

bool is_pronoun_english(std::string_view word);
bool is_pronoun_chinese(std::string_view word);

/// Words at which a value ends because a reason or a relative clause begins.
bool ends_value_english(std::string_view word);

/// What the small grammar of profiles knows of words beside its verbs. All words are folded; safe from any thread.

/// What a bare word after "is" tells of a person: "vegan" → "diet", "married" → "relationship", "retired" → "job";
/// empty where it is none that is kept.
std::string_view kind_of_person(std::string_view word);

/// Whether a value names an occupation: "a nurse", 护士.
bool is_occupation_english(std::string_view value);
bool is_occupation_chinese(std::string_view value);

/// What a thing somebody has is called wherever it is compared: "new mobile number" and "phone number" are "phone".
std::string thing_key_english(std::string_view noun);
std::string thing_key_chinese(std::string_view noun);

/// Whether a thing is one that has a value at a time, whatever the value is: a number, a code, a size, a plan.
bool has_value_english(std::string_view noun);
bool has_value_chinese(std::string_view noun);

/// Whether a noun is a person that somebody has (老板, 老师), and whether a value can be a person's name.
bool is_person_chinese(std::string_view noun);
bool is_name_chinese(std::string_view value);

/// Whether a thing that people have may be kept as such: pets and the family.
bool is_kept_thing_english(std::string_view noun);
bool is_kept_thing_chinese(std::string_view noun);

/// Whether a word is a number in words or digits: "two", "3", 两.
bool is_count(std::string_view word);

/// The two grammars behind `read_statements`. They take a folded sentence: simplified, in lower case, with ASCII
/// punctuation. `as_said` is the same sentence as it stood, whose capitals tell names from other words.
std::vector<ProfileStatement> read_english(std::string_view folded, std::string_view as_said);
std::vector<ProfileStatement> read_chinese(std::string_view folded);

/// Without blanks and marks around it.
std::string_view trim_words(std::string_view text, std::string_view blanks = " \t\r\n.,;:!\"'");

/// The same with the marks of both languages.
std::string_view trim_marks(std::string_view text);

/// A statement with its value in parts; nothing for an empty value.
std::optional<ProfileStatement> make_statement(std::string_view subject, const Phrase& phrase, std::string_view value);

/// The value without an expression of time at its end: "porto last month" is "porto".
std::string_view without_time_at_end(std::string_view value);

/// The bytes of a time that comes again at the beginning of a text: "every thursday at 7", "on mondays", 每周三晚上; 0:
/// there is none.
std::size_t begins_again(std::string_view text);

/// The expression of time in a clause and what stands before it: "going to rome", "on 3 may".
struct TimedClause {
  std::string_view before, time;
};
std::optional<TimedClause> split_at_time(std::string_view clause);

/// What is said in the first person, as it is told of who said it; and the words that this is made of. For the readers
/// of what English speakers say of themselves.

/// In lower case, with straight apostrophes.
std::string lower_words(std::string_view text);

/// What stands between white space.
std::vector<std::string_view> words_in(std::string_view text);

/// Whether a word may stand between a subject and its verb: "already", "no longer".
bool is_between(std::string_view word);

/// Adds a word behind a blank.
void append_word(std::string& text, std::string_view word);

/// With one full stop at its end, or the question mark that stands there.
std::string with_stop(std::string text);

/// "I'm" → "The user is", "my" → "The user's", and the verb behind "I" in its other form. The clause proper begins at
/// `at`, with who speaks.
std::string words_in_third_person(const std::vector<std::string_view>& words, std::size_t at,
                                  const std::string& subject);

}  // namespace weft
