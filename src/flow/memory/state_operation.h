#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flow/memory/state_shape.h"
#include "text/value.h"
#include "weft/result.h"

namespace weft {

/// One operation of a change as it was written.
struct StateOperation {
  enum class Kind { kSet, kPush, kAdd, kPop, kDelete };
  Kind kind = Kind::kSet;
  std::string path;
  std::optional<Value> value;  ///< what to set, push or add; of kPop the index or the id
};

/// Bounds on one change from outside.
struct StateChangeLimits {
  std::size_t max_operations = 1000;
  std::size_t max_bytes = std::size_t{4} << 20;
};

/// Reads an array of operations; one operation alone, ["SET","a.b",1], is taken too. Names may be written small. Errors
/// name the operation, counted from 1, and what it should look like.
Result<std::vector<StateOperation>> parse_state_operations(std::string_view json, const StateChangeLimits& limits);

/// As a JSON array, the way `parse_state_operations` reads it.
std::string to_json(const std::vector<StateOperation>& operations);

/// "SET", "PUSH", "ADD", "POP", "DELETE".
std::string_view to_string(StateOperation::Kind kind);

/// One step of taking a change back: what to do at a position. Positions count members as well as elements, so that
/// even the order of members comes back.
struct StateEdit {
  enum class Kind { kReplace, kInsert, kRemove };
  Kind kind = Kind::kReplace;
  StatePath path;
  std::string name;  ///< of the member to insert; without meaning in a list
  Value value;  ///< to put there; nothing for kRemove
};

/// JSON array of the steps, in the order in which they are to be done: ["replace",[0,2],value],
/// ["insert",[0,2],"name",value], ["remove",[0,2]].
std::string to_json(const std::vector<StateEdit>& edits);

/// Reads what `to_json` wrote; kCorrupt for anything else.
Result<std::vector<StateEdit>> parse_state_edits(std::string_view json);

}  // namespace weft
