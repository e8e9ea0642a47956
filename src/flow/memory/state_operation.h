#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/json.h"
#include "weft/result.h"

namespace weft {

// What the parts of a state tree are. All functions only look at values and may be called from any thread.

inline constexpr std::string_view kEntityAnchor = "id";
inline constexpr std::string_view kContainerAnchor = "_anchor";
inline constexpr std::string_view kContainerItems = "items";

/// What a value is within a state tree.
enum class StateShape {
  kValue,      ///< a scalar, a described value, a list of such: changed as a whole, has no anchor
  kGroup,      ///< an object that only groups containers (or nothing): holds nothing of its own, has no anchor
  kEntity,     ///< an object with fields; its anchor is its member "id"
  kContainer,  ///< what entities are put into; its anchor is its member "_anchor"
};

/// Where a value stands: the positions among members or elements from the root downwards.
using StatePath = std::vector<std::uint32_t>;

/// Whether this is {"value":…,"description":…} and nothing else, with plain data as its value.
bool is_described(const Value& value);

/// The shape of a member of an object. A list that holds entities is a container that still needs its wrapping.
StateShape shape_of(const Value& member);

/// The shape of an element of a list: every object there is an entity unless it says that it is a container.
StateShape shape_of_element(const Value& element);

/// Whether an anchor of the value (it may have "id" and "_anchor" both) is `name`.
bool has_anchor(const Value& value, std::string_view name);

/// Whether it has any.
bool is_anchored(const Value& value);

/// The anchors of the value; whole numbers count as their digits. "_anchor" comes first.
std::vector<std::string> anchors_of(const Value& value);

/// Members or elements; none for scalars.
std::size_t child_count(const Value& value);
const Value& child_at(const Value& value, std::size_t position);
Value& child_at(Value& value, std::size_t position);

/// The position of the member of that name; `child_count` where there is none.
std::size_t position_of(const Value& object, std::string_view name);

/// The value at the path; null where it leads nowhere.
const Value* value_at(const Value& root, const StatePath& path);
Value* value_at(Value& root, const StatePath& path);

/// Levels of the tree below and with this value: 1 for a scalar. Stops counting at `max + 1`.
std::size_t depth_of(const Value& value, std::size_t max);

/// About how many bytes the value takes as JSON.
std::size_t size_of(const Value& value);

/// The path as a JSON Pointer, for people.
std::string pointer_to(const Value& root, const StatePath& path);

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

/// Changes of a state that a model wrote into its answer.
struct AnswerOperations {
  std::string state;  ///< whose; "default" where the answer names none
  std::string operations;  ///< one JSON array of all of them, in their order; empty where they cannot be read
  std::string problem;  ///< why they cannot be read
};

/// The fenced blocks of an answer that change a state, as models are told to write them:
///
///   ```state
///   [["ADD","hero.hp",-5]]
///   ```
///
/// A name behind "state" says which; without one it is `usual`. Blocks of one state are one change. A block that is not
/// closed counts up to the end. Text inside other fences is none. Linear.
std::vector<AnswerOperations> operations_in_answer(std::string_view answer, std::string_view usual = "default");

/// The answer without these blocks.
std::string without_state_blocks(std::string_view answer);

}  // namespace weft
