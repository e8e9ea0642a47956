#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flow/memory/profile_statements.h"

namespace weft {

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

}  // namespace weft
