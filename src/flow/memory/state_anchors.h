#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "flow/memory/state_operation.h"
#include "text/json.h"
#include "weft/result.h"

namespace weft {

/// Where the anchors of a tree stand. A value moves when its siblings change, so a place is kept relative to the
/// nearest anchored value above it, and its last step is where the value stood when it was last seen: it is looked for
/// around there. A look-up therefore costs the depth of the tree, and a change costs what is changed.
/// Holds no pointers into the tree; const functions may be called from many threads.
class AnchorIndex {
 public:
  bool contains(std::string_view anchor) const { return places_.contains(std::string(anchor)); }
  std::size_t size() const { return places_.size(); }

  /// The path to the value with the anchor.
  std::optional<StatePath> locate(const Value& root, std::string_view anchor) const;

  /// Takes up all anchors of the value at `path`. Returns the first that is known already (nothing is taken up then).
  std::optional<std::string> add(const Value& root, const StatePath& path);

  /// Drops all anchors of the value, which stands at `path` of the tree or stood there.
  void remove(const Value& value, const StatePath& path);

  /// Keeps the anchors that stand in `value`, which is about to be added, from being given to others.
  void reserve(const Value& value);

  /// A name that no anchor, nothing reserved and no member of the root has: `base`, or with the smallest number from 2
  /// on that is free, as in "apple_2". It is reserved then. `own` is the member of the root that asks for its own
  /// anchor, empty for all others.
  std::string free_name(const std::string& base, std::string_view own);

  /// Ends all reservations.
  void settle();

  /// Members of the root are addressed by their bare names, so no anchor is made that hides one.
  void add_root_member(const std::string& name) { root_members_.insert(name); }
  void remove_root_member(const std::string& name);

  /// The known anchor that is written most like `anchor`; empty where none is near.
  std::string nearest(std::string_view anchor) const;

 private:
  struct Place {
    std::string parent;  // anchor; empty: the root
    StatePath steps;
  };

  bool collect(const Value& value, std::unordered_set<std::string>& names, std::string& clash) const;
  void add(const Value& value, const std::string& parent, StatePath& steps);
  void drop(const Value& value);
  void release(const std::string& name);

  std::unordered_map<std::string, Place> places_;
  std::unordered_set<std::string> root_members_, reserved_;
  // By base: no number from 2 up to below this one is free. A name that becomes free lowers it, so that the choice
  // depends on the tree alone and not on its past.
  std::unordered_map<std::string, std::uint64_t> next_number_;
};

/// The first anchor that stands twice within `value`, or that is no text and no whole number, as an error that names
/// both places. `at` is the pointer to the value.
Status check_own_anchors(const Value& value, const std::string& at);

/// Who holds a value that needs an anchor.
struct AnchorOwner {
  std::string anchor;  ///< empty: the root, or a group in it
  bool is_entity = false;  ///< its anchor stands before the names of what it holds
  bool is_root = false;
};

/// Gives anchors to what has none: "id" to entities, "_anchor" to containers, both as the first member. The names come
/// from the member that holds the value ("hero", "hero_weapon"), for elements of a list from their own name ("Iron
/// Sword": "iron_sword"), so that the same tree always gets the same ones. A list that holds entities is wrapped as
/// {"_anchor":…,"items":[…]}. What is given counts as taken from then on.
/// For one thread; the index must outlive it, and its reservations end with it.
class AnchorGiver {
 public:
  explicit AnchorGiver(AnchorIndex& index) : index_(index) {}
  AnchorGiver(const AnchorGiver&) = delete;
  AnchorGiver& operator=(const AnchorGiver&) = delete;
  ~AnchorGiver() { index_.settle(); }

  /// To a whole tree; the root itself gets none.
  void give_root(Value& root);

  /// To a member of an object and all below it.
  void give_member(Value& member, const std::string& name, const AnchorOwner& owner);

  /// To an element of the container with that anchor and all below it.
  void give_element(Value& element, const std::string& container);

 private:
  void give_object(Value& object, std::string_view key, const std::string& base, std::string_view own);
  void give_list(Value& list, const std::string& base, std::string_view own);

  AnchorIndex& index_;
};

/// A name as an anchor: letters and digits of any script, small, joined by "_"; "item" where nothing is left.
std::string anchor_from(std::string_view name);

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
