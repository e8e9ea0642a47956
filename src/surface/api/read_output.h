#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/records.h"

namespace weft {

/// Which part of a kept message is wanted.
struct ReadOutput {
  std::string id;
  std::size_t from_line = 1;
  std::size_t lines = 200;
  std::string find;  ///< only lines that hold it; empty: all
};

/// A line of a message that holds what was looked for.
struct LineFound {
  std::size_t line = 0;
  std::string text;
};

/// Lines of a message as it was said: those asked for, or those that hold what was looked for.
struct OutputPart {
  std::string id, session;
  Role role = Role::kTool;
  std::size_t lines = 0;  ///< of the whole message
  std::optional<std::size_t> from_line, to_line;
  std::optional<std::string> text;
  std::optional<std::vector<LineFound>> matches;
  std::size_t more = 0;  ///< matches that were left out
};

WEFT_DESCRIBED(ReadOutput);
WEFT_DESCRIBED(LineFound);
WEFT_DESCRIBED(OutputPart);

/// Reads a part of a message. The same id may stand in several sessions: that of `session` is meant, where it is given
/// and has one, else the newest. kNotFound names the id.
Result<OutputPart> read_output(Engine& engine, const RequestContext& request, const SessionId& session,
                               const ReadOutput& what);

}  // namespace weft
