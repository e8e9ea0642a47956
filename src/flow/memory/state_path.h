#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "flow/memory/state_anchors.h"
#include "flow/memory/state_shape.h"
#include "weft/result.h"

namespace weft {

/// What a path of an operation means in a tree.
struct StateTarget {
  StatePath path;  ///< of the value; of its owner where there is no such member yet
  std::string new_member;  ///< the name of the member that does not exist yet
  bool exists = true;
  bool by_anchor = false;  ///< the value itself was named, not the member that holds it
};

/// Reads the paths of operations, in this order: an anchor ("bag_main"); a JSON Pointer
/// ("/inventory/main_bag/items/0"), which may leave the "items" of a container out; a member of the root ("health"); an
/// anchor and one field
/// ("item_sword_01.count", where the field may not exist yet). Everything deeper is refused with the path to use
/// instead. Looks at a tree that must not change meanwhile.
class StatePathReader {
 public:
  StatePathReader(const Value& root, const AnchorIndex& index) : root_(root), index_(index) {}

  /// kInvalidArgument for a deep path, kNotFound for what is not there (the hint names the nearest anchor).
  Result<StateTarget> read(std::string_view path) const;

  /// The flat path to a value: its anchor, or its owner's with the field, or a member of the root; where there is none,
  /// its JSON Pointer.
  std::string flat(const StatePath& path) const;

  /// The flat path of a target, in the same meaning as it was read.
  std::string flat(const StateTarget& target) const;

 private:
  std::optional<StateTarget> find(std::string_view path) const;
  Result<StateTarget> read_pointer(std::string_view pointer) const;
  std::optional<StateTarget> read_field(std::string_view path) const;
  Error deep_or_unknown(std::string_view path) const;
  std::string suggestion(std::string_view path) const;
  Error unknown(std::string_view anchor) const;
  std::string field_path(const StatePath& owner, std::string_view member) const;

  const Value& root_;
  const AnchorIndex& index_;
};

}  // namespace weft
