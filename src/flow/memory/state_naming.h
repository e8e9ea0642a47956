#pragma once

#include <string>
#include <string_view>

#include "flow/memory/state_anchors.h"
#include "text/value.h"

namespace weft {

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

}  // namespace weft
