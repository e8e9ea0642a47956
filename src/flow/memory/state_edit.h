#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "flow/memory/state_shape.h"
#include "text/value.h"
#include "weft/result.h"

namespace weft {

/// One step of taking a change back: what to do at a position. Positions count members as well as elements, so that
/// even the order of members comes back.
struct StateEdit {
  enum class Kind { kReplace, kInsert, kRemove };
  Kind kind = Kind::kReplace;
  StatePath path;
  std::string name;  ///< of the member to insert; without meaning in a list
  Value value;       ///< to put there; nothing for kRemove
};

/// JSON array of the steps, in the order in which they are to be done: ["replace",[0,2],value],
/// ["insert",[0,2],"name",value], ["remove",[0,2]].
std::string to_json(const std::vector<StateEdit>& edits);

/// Reads what `to_json` wrote; kCorrupt for anything else.
Result<std::vector<StateEdit>> parse_state_edits(std::string_view json);

}  // namespace weft
