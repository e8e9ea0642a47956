#pragma once

#include <cstddef>
#include <string>

#include "weft/engine.h"

namespace weft {

/// Which part of a kept message is wanted.
struct ReadOutput {
  std::string id;
  std::size_t from_line = 1;
  std::size_t lines = 200;
  std::string find;  ///< only lines that hold it; empty: all
};

/// Lines of a message as it was said: {"id", "session", "role", "lines", "from_line", "to_line", "text"}; with `find`
/// {…, "matches": [{"line", "text"}]}. The same id may stand in several sessions: that of `session` is meant, where it
/// is given and has one, else the newest. kNotFound names the id.
Result<std::string> read_output(Engine& engine, const RequestContext& request, const SessionId& session,
                                const ReadOutput& what);

}  // namespace weft
