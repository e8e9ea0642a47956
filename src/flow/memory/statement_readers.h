#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "flow/memory/profile_phrases.h"
#include "flow/memory/profile_statements.h"

namespace weft {

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
