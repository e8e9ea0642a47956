// What may come into a tree, and the anchors that it gets.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "flow/memory/state_transaction.h"
#include "text/utf8.h"

namespace weft {
namespace {

StatePath above(const StatePath& path) { return {path.begin(), path.end() - 1}; }

std::optional<std::string> known_anchor(const Value& value, const AnchorIndex& index) {
  for (std::string& name : anchors_of(value)) {
    if (index.contains(name)) return std::move(name);
  }
  for (std::size_t i = 0; i < child_count(value); ++i) {
    if (auto found = known_anchor(child_at(value, i), index)) return found;
  }
  return std::nullopt;
}

}  // namespace

bool StateEntry::is_items(const StatePath& path) const {
  if (path.empty()) return false;
  const Value& container = at(above(path));
  return container.find(kContainerAnchor) != nullptr && at(path).list() != nullptr &&
         position_of(container, kContainerItems) == path.back();
}

AnchorOwner StateEntry::owner_of(const StatePath& member) const {
  StatePath path = above(member);
  if (path.empty()) return {.anchor = {}, .is_root = true};
  for (; !path.empty(); path.pop_back()) {
    const Value& holder = at(path);
    if (is_anchored(holder)) return {anchors_of(holder).front(), holder.find(kContainerAnchor) == nullptr};
  }
  return {};
}

// `path` is where the value will stand, `name` its member. In a list of plain values nothing is given: `anchor_above`
// makes a container of that list first.
void StateEntry::give(AnchorGiver& giver, Value& value, const StatePath& path, const std::string& name) const {
  if (path.empty()) return giver.give_root(value);
  const StatePath holder = above(path);
  const Value& parent = at(holder);
  if (parent.list() != nullptr) {
    if (is_items(holder)) giver.give_element(value, anchors_of(at(above(holder))).front());
    return;
  }
  if (parent.find(kContainerAnchor) != nullptr && name == kContainerItems && value.list() != nullptr) {
    const std::string anchor = anchors_of(parent).front();
    for (Value& element : *value.list()) giver.give_element(element, anchor);
    return;
  }
  giver.give_member(value, name, owner_of(path));
}

Status StateEntry::check_new_anchors(const Value& value, const StatePath& path) const {
  const auto known = known_anchor(value, index_);
  if (!known) return {};
  const auto place = index_.locate(root_, *known);
  if (place && place->size() <= path.size() && std::equal(place->begin(), place->end(), path.begin())) {
    return invalid_argument(fmt::format("a cycle: \"{}\" would come to stand within itself", preview(*known, 80)));
  }
  return conflict(
      fmt::format("the anchor \"{}\" is taken: it stands at {} and in the value for {}", preview(*known, 80),
                  place ? pointer_to(root_, *place) : "", pointer_to(root_, above(path))),
      "leave the id out and one is made; to move an entity, DELETE it first");
}

Status StateEntry::prepare(Value& value, const StatePath& path, const std::string& name) const {
  const std::size_t max = limits_.max_depth;
  const auto too_deep = [&] { return path.size() + depth_of(value, max) > max; };
  const auto refused = [&] { return too_large(fmt::format("the state would be nested deeper than {} levels", max)); };
  if (too_deep()) return refused();
  WEFT_CHECK(check_own_anchors(value, "the value"));
  WEFT_CHECK(check_new_anchors(value, path));
  AnchorGiver giver(index_);
  index_.reserve(value);
  give(giver, value, path, name);
  if (too_deep()) return refused();
  return {};
}

Status StateEntry::check_member(const StateTarget& target, const Value* value) const {
  if (target.path.empty() && target.exists) return {};
  const StatePath owner = target.exists ? StatePath(target.path.begin(), target.path.end() - 1) : target.path;
  const Value& holder = at(owner);
  const ValueObject* members = holder.object();
  if (members == nullptr || is_described(holder)) return {};
  const std::string& name = target.exists ? (*members)[target.path.back()].first : target.new_member;
  if (name == kEntityAnchor || name == kContainerAnchor) {
    return invalid_argument(fmt::format("\"{}\" is an anchor, and anchors never change", name));
  }
  const bool is_list = target.exists && at(target.path).list() != nullptr;
  if (name == kContainerItems && is_list && is_items(target.path) && (value == nullptr || value->list() == nullptr)) {
    return invalid_argument("\"items\" of a container is a list and stays one",
                            "SET it to [], or DELETE the container");
  }
  return {};
}

}  // namespace weft
