#pragma once

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

}  // namespace weft
