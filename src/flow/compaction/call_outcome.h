#pragma once

#include <string>
#include <string_view>

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

}  // namespace weft
