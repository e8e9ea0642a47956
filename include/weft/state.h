#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/result.h"
#include "weft/time.h"
#include "weft/value.h"

namespace weft {

/// A change of a state tree as text, as models write it (`StateOps` makes one in code): a JSON array of operations that
/// takes effect whole or not at all. An operation is
/// ["SET", "ENTITY.field", value], ["PUSH", "ANCHOR", value], ["ADD", "ENTITY.field", number], ["POP", "ANCHOR"] or
/// ["POP", "ANCHOR", index or id], ["DELETE", "ENTITY"] or ["DELETE", "ENTITY.field"]. A path is an anchor and at most
/// one field; a JSON Pointer ("/a/b/0") is taken too.
struct StateChange {
  std::string operations;
  std::string author;  ///< who changes it: "model", "user", "planner", a name
  std::optional<std::int64_t> expected_version;  ///< kConflict where the state has another one by now
  std::string request_id =
      {};  ///< of what asked for it, where that may come again: a second change of that id is not made
  std::string answer = {};  ///< what was said of it; kept beside `request_id`
};

/// A state as it stands after a version.
struct StateView {
  std::string name;
  std::int64_t version = 0;  ///< 0: there is none yet
  Time time;  ///< of that version
  std::string json;  ///< the tree, with the anchors in it
  bool repeated = false;  ///< the change was made before, by a request of the same id; nothing was changed now
  std::string answer = {};  ///< what was said of it then

  /// The tree as a value; empty where the view came without one.
  Result<Value> tree() const { return json.empty() ? Result<Value>(Value(ValueObject{})) : parse_value(json); }
};

/// One version in the log of a state.
struct StateVersion {
  std::int64_t version = 0;
  Time time;
  std::string author;
  std::string operations;  ///< JSON array as it was applied
};

/// A change of a state, made in code; it takes effect whole or not at all. A path is an anchor and at most one field:
/// "hero", "hero.hp". What the paths and values mean is told at `StateChange`.
///
///     StateOps().set("hero.hp", 80).add("potion.count", -1).push("bag", ValueObject{{"name", "Rope"}}).by("player")
class StateOps {
 public:
  /// Gives a field, an entity or a member of the root this value; a field that is not there yet comes to be.
  StateOps& set(std::string_view path, Value value);
  /// Adds to a number; a negative amount takes from it.
  StateOps& add(std::string_view path, Value amount);
  /// Puts a value at the end of a container or a list.
  StateOps& push(std::string_view anchor, Value value);
  /// Takes the last one out of a container or a list, or the one of this index or id.
  StateOps& pop(std::string_view anchor);
  StateOps& pop(std::string_view anchor, Value which);
  /// Takes an entity or a field out.
  StateOps& remove(std::string_view path);

  /// Who changes it, for the log of the state; "program" unless told.
  StateOps& by(std::string_view author);
  /// Only where the state has this version still; else kConflict.
  StateOps& if_version(std::int64_t version);
  /// A second change of this id in the scope is not made: for requests that may come again.
  StateOps& once(std::string_view request_id);

  /// The same as text.
  StateChange change() const;

 private:
  ValueList operations_;
  std::string author_ = "program";
  std::optional<std::int64_t> expected_version_;
  std::string request_id_;
};

}  // namespace weft
