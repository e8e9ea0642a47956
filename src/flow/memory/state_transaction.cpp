// How values come into the tree: checked, anchored, noted. What the operations mean stands in state_apply.cpp.
#include "flow/memory/state_transaction.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "text/utf8.h"

namespace weft {
namespace {

StatePath above(const StatePath& path) { return {path.begin(), path.end() - 1}; }

bool holds_anchor(const Value& value, std::string_view anchor) {
  if (has_anchor(value, anchor)) return true;
  for (std::size_t i = 0; i < child_count(value); ++i) {
    if (holds_anchor(child_at(value, i), anchor)) return true;
  }
  return false;
}

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

Status StateTransaction::edit(StateEdit edit) {
  WEFT_TRY(StateEdit opposite, tree_.change(std::move(edit)));
  undo_.push_back(std::move(opposite));
  operation_of_.push_back(operation_);
  return {};
}

void StateTransaction::revert() {
  for (; !undo_.empty(); undo_.pop_back()) (void)tree_.change(std::move(undo_.back()));
  operation_of_.clear();
}

std::string StateTransaction::operation_that_removed(std::string_view anchor) const {
  for (std::size_t i = undo_.size(); i-- > 0;) {
    if (holds_anchor(undo_[i].value, anchor)) return std::to_string(operation_of_[i]);
  }
  return {};
}

Result<StateTarget> StateTransaction::read(const StateOperation& operation) const {
  auto target = reader().read(operation.path);
  if (target.ok() || undo_.empty()) return target;
  const std::string_view path = operation.path;
  for (std::size_t end = path.size(); end != std::string_view::npos && end > 0; end = path.rfind('.', end - 1)) {
    const std::string_view anchor = path.substr(0, end);
    if (tree_.index_.contains(anchor)) break;
    const std::string number = operation_that_removed(anchor);
    if (number.empty()) continue;
    return not_found(
        fmt::format("the anchor \"{}\" is gone: operation {} of this change removed it", preview(anchor, 80), number));
  }
  return target;
}

bool StateTransaction::is_items(const StatePath& path) const {
  if (path.empty()) return false;
  const Value& container = at(above(path));
  return container.find(kContainerAnchor) != nullptr && at(path).list() != nullptr &&
         position_of(container, kContainerItems) == path.back();
}

AnchorOwner StateTransaction::owner_of(const StatePath& member) const {
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
void StateTransaction::give(AnchorGiver& giver, Value& value, const StatePath& path, const std::string& name) const {
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

Status StateTransaction::check_new_anchors(const Value& value, const StatePath& path) const {
  const auto known = known_anchor(value, tree_.index_);
  if (!known) return {};
  const auto place = tree_.index_.locate(tree_.root_, *known);
  if (place && place->size() <= path.size() && std::equal(place->begin(), place->end(), path.begin())) {
    return invalid_argument(fmt::format("a cycle: \"{}\" would come to stand within itself", preview(*known, 80)));
  }
  return conflict(
      fmt::format("the anchor \"{}\" is taken: it stands at {} and in the value for {}", preview(*known, 80),
                  place ? pointer_to(tree_.root_, *place) : "", pointer_to(tree_.root_, above(path))),
      "leave the id out and one is made; to move an entity, DELETE it first");
}

Status StateTransaction::prepare(Value& value, const StatePath& path, const std::string& name) const {
  const std::size_t max = tree_.limits_.max_depth;
  const auto too_deep = [&] { return path.size() + depth_of(value, max) > max; };
  const auto refused = [&] { return too_large(fmt::format("the state would be nested deeper than {} levels", max)); };
  if (too_deep()) return refused();
  WEFT_CHECK(check_own_anchors(value, "the value"));
  WEFT_CHECK(check_new_anchors(value, path));
  AnchorGiver giver(tree_.index_);
  tree_.index_.reserve(value);
  give(giver, value, path, name);
  if (too_deep()) return refused();
  return {};
}

Status StateTransaction::replace(const StatePath& path, Value value) {
  std::string name;
  if (!path.empty()) {
    if (const ValueObject* members = at(above(path)).object()) name = (*members)[path.back()].first;
  }
  // The old anchors end here, the new value may have the same.
  tree_.index_.remove(at(path), path);
  Status ready = prepare(value, path, name);
  if (!ready.ok()) {
    if (path.empty()) tree_.index_.remove(at(path), path);
    (void)tree_.index_.add(tree_.root_, path);
    return ready;
  }
  return edit({.kind = StateEdit::Kind::kReplace, .path = path, .name = {}, .value = std::move(value)});
}

Status StateTransaction::insert(const StatePath& path, const std::string& name, Value value) {
  WEFT_CHECK(prepare(value, path, name));
  return edit({.kind = StateEdit::Kind::kInsert, .path = path, .name = name, .value = std::move(value)});
}

// What held only containers or only plain values may have become an entity or a container by what was put in or taken
// out at `path`. Gives the path as it is afterwards: anchors and wrappings move it.
Result<StatePath> StateTransaction::anchor_above(StatePath path) {
  for (std::size_t length = path.size(); length-- > 1;) {
    const StatePath holder(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(length));
    const Value& value = at(holder);
    if (is_anchored(value) || is_items(holder)) break;
    const StateShape shape = at(above(holder)).list() != nullptr ? shape_of_element(value) : shape_of(value);
    if (shape == StateShape::kValue || shape == StateShape::kGroup) break;
    const bool is_list = value.list() != nullptr;
    const bool was_given = at(above(holder)).object() != nullptr || is_items(above(holder));
    // Of lists within lists the outermost gives the anchors.
    if (was_given) WEFT_CHECK(replace(holder, Value(value)));
    if (is_list) {
      path.insert(path.begin() + static_cast<std::ptrdiff_t>(length), 1);
    } else {
      ++path[length];
    }
  }
  return path;
}

}  // namespace weft
