#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/token_counter.h"
#include "text/words.h"
#include "weft/message.h"

namespace weft {

/// What a call of a tool came to, in one line of words that stand in the call and its output.
struct CallOutcome {
  std::string text;  ///< "name(key=value) → result", or "name(key=value) failed: reason"
  bool failed = false;
  bool reads = false;  ///< it only looked at something
};

/// Short form of a call with its output (null: there is none). Linear in both.
CallOutcome outcome_of(const ToolCall& call, const Message* output, Language language);

/// Text on one line without marks of lists, headings and emphasis, at most `max_bytes` with "…" where something was
/// cut; words are not parted. Control characters go.
std::string one_line(std::string_view text, std::size_t max_bytes);

/// A tool's output as it is sent when there is no room for the whole: its beginning and its end with the number of
/// bytes left out between, how the whole is read (`handle`, the id of its message; may be empty), and what says why it
/// failed. The same text for short ones.
std::string short_output(std::string_view output, std::string_view handle);

/// What the output of a call says that is worth a line: counts and results that a program ends with, the exit code, the
/// values of JSON, of a long text how many lines it has and what it defines or begins with. At most `max_bytes`.
std::string finding_in(std::string_view output, std::size_t max_bytes);

/// Whether a sentence only announces what is done next ("Let me read the file.", 我先看一下代码。): the step itself
/// says what came of it.
bool is_announcement(std::string_view sentence);

/// What an agent's steps found out, a line each, oldest first: what the model concluded, and what each call came to.
/// Announcements are left out. `messages` are those of whole steps.
std::vector<std::string> step_findings(const std::vector<const Message*>& messages, Language language);

/// The output of a tool cut to what matters.
///
/// Takes the output, the tokens it may have, and what the user asked for (may be empty). Gives it as it is where it
/// fits. Otherwise JSON stays JSON: long lists keep their first and last entries and those that speak of the request or
/// of an error, long texts their beginning and end. Of other text those lines stay that report errors, that speak of
/// the request or that are changed in a diff, then the beginning and the end; marks with line numbers stand where
/// something is left out. How much that is stands behind it, and, where `handle` (the id of its message) is given, how
/// the rest is read. Deterministic; linear but for sorting the lines. Never more than `tokens`, but for fewer than the
/// closing note needs.
std::string shorten_output(std::string_view text, std::int64_t tokens, const TokenCounter& counter,
                           std::string_view request, std::string_view handle);

}  // namespace weft
