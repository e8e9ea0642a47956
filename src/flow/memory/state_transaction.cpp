// How values come into the tree, each step noted.
#include "flow/memory/state_transaction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

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

Status StateTransaction::replace(const StatePath& path, Value value) {
  std::string name;
  if (!path.empty()) {
    if (const ValueObject* members = at(above(path)).object()) name = (*members)[path.back()].first;
  }
  // The old anchors end here, the new value may have the same.
  tree_.index_.remove(at(path), path);
  Status ready = entry_.prepare(value, path, name);
  if (!ready.ok()) {
    if (path.empty()) tree_.index_.remove(at(path), path);
    (void)tree_.index_.add(tree_.root_, path);
    return ready;
  }
  return edit({.kind = StateEdit::Kind::kReplace, .path = path, .name = {}, .value = std::move(value)});
}

Status StateTransaction::insert(const StatePath& path, const std::string& name, Value value) {
  WEFT_CHECK(entry_.prepare(value, path, name));
  return edit({.kind = StateEdit::Kind::kInsert, .path = path, .name = name, .value = std::move(value)});
}

// What held only containers or only plain values may have become an entity or a container by what was put in or taken
// out at `path`. Gives the path as it is afterwards: anchors and wrappings move it.
Result<StatePath> StateTransaction::anchor_above(StatePath path) {
  for (std::size_t length = path.size(); length-- > 1;) {
    const StatePath holder(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(length));
    const Value& value = at(holder);
    if (is_anchored(value) || entry_.is_items(holder)) break;
    const StateShape shape = at(above(holder)).list() != nullptr ? shape_of_element(value) : shape_of(value);
    if (shape == StateShape::kValue || shape == StateShape::kGroup) break;
    const bool is_list = value.list() != nullptr;
    const bool was_given = at(above(holder)).object() != nullptr || entry_.is_items(above(holder));
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

// What the operations mean.

namespace {

using Kind = StateOperation::Kind;

constexpr std::size_t kShown = 120;

StatePath step(StatePath path, std::size_t position) {
  path.push_back(static_cast<std::uint32_t>(position));
  return path;
}

std::string_view kind_of(const Value& value) {
  if (value.is_null()) return "null";
  if (std::holds_alternative<bool>(value.data)) return "true or false";
  if (value.is_number()) return "a number";
  if (value.text() != nullptr) return "a text";
  if (value.list() != nullptr) return "a list of plain values";
  if (is_described(value)) return "a described value";
  if (value.find(kContainerAnchor) != nullptr) return "a container";
  return value.find(kEntityAnchor) != nullptr ? "an entity" : "a group";
}

bool is_tree(const Value& value) { return value.list() != nullptr || value.object() != nullptr; }

Error wrong_type(std::string_view what, const std::string& path, const Value& held, std::string hint) {
  return invalid_argument(fmt::format("{}: \"{}\" is {}", what, preview(path, kShown), kind_of(held)), std::move(hint));
}

Error missing(const StateOperation& operation) {
  return not_found(fmt::format("{}: there is no \"{}\"", to_string(operation.kind), preview(operation.path, kShown)),
                   operation.kind == Kind::kPush ? "SET it to [] first" : "SET makes it");
}

Result<Value> sum(const Value& held, const Value& more) {
  const auto* a = std::get_if<std::int64_t>(&held.data);
  const auto* b = std::get_if<std::int64_t>(&more.data);
  if (a != nullptr && b != nullptr) {
    std::int64_t total = 0;
    if (__builtin_add_overflow(*a, *b, &total)) return invalid_argument("ADD: the sum does not fit 64 bits");
    return Value(total);
  }
  const auto real = [](const Value& v) {
    const auto* whole = std::get_if<std::int64_t>(&v.data);
    return whole != nullptr ? static_cast<double>(*whole) : std::get<double>(v.data);
  };
  const double total = real(held) + real(more);
  if (!std::isfinite(total)) return invalid_argument("ADD: the sum is not finite");
  return Value(total);
}

// Takes the anchors of what it replaces; they never change.
Status keep_anchors(const Value& held, Value& value, const std::string& path) {
  for (const std::string_view key : {kEntityAnchor, kContainerAnchor}) {
    const Value* former = held.find(key);
    const Value* given = value.find(key);
    if (given == nullptr && former != nullptr) {
      value.object()->emplace(value.object()->begin(), std::string(key), *former);
    } else if (given != nullptr && (former == nullptr || *former != *given)) {
      return conflict(fmt::format("SET: \"{}\" would get another \"{}\"", preview(path, kShown), key),
                      "anchors never change: DELETE the entity and PUSH the other one");
    }
  }
  return {};
}

// The positions of what a container holds, by the object or list it stands in.
std::vector<std::size_t> held_positions(const Value& holder) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < child_count(holder); ++i) {
    if (holder.list() != nullptr || is_anchored(child_at(holder, i))) out.push_back(i);
  }
  return out;
}

// Which of them a POP means: the last, the one at an index, with an anchor, or the text itself.
std::optional<std::size_t> popped_position(const Value& holder, const std::vector<std::size_t>& positions,
                                           const std::optional<Value>& which) {
  if (!which) return positions.empty() ? std::nullopt : std::optional(positions.back());
  if (const auto* index = std::get_if<std::int64_t>(&which->data)) {
    if (*index < 0 || static_cast<std::size_t>(*index) >= positions.size()) return std::nullopt;
    return positions[static_cast<std::size_t>(*index)];
  }
  for (const std::size_t position : positions) {
    const Value& element = child_at(holder, position);
    if (element == *which || has_anchor(element, *which->text())) return position;
  }
  return std::nullopt;
}

}  // namespace

Status StateTransaction::run(StateOperation& operation) {
  ++operation_;
  switch (operation.kind) {
    case Kind::kSet: return set(operation);
    case Kind::kPush: return push(operation);
    case Kind::kAdd: return add(operation);
    case Kind::kPop: return pop(operation);
    case Kind::kDelete: return remove(operation);
  }
  return internal("an operation without a kind");
}

Status StateTransaction::set(StateOperation& operation) {
  WEFT_TRY(StateTarget target, read(operation));
  Value value = *operation.value;
  if (target.exists && target.path.empty()) {
    if (value.object() == nullptr) return invalid_argument("SET: the root is an object and stays one");
    WEFT_CHECK(replace({}, std::move(value)));
    operation = {.kind = Kind::kSet, .path = "", .value = at({})};
    return {};
  }
  WEFT_CHECK(entry_.check_member(target, &value));
  operation.path = reader().flat(target);
  if (target.by_anchor) {
    WEFT_CHECK(set_anchored(target.path, std::move(value)));
  } else {
    WEFT_CHECK(set_member(target, std::move(value)));
  }
  WEFT_TRY(const StatePath path, anchor_above(target.path));
  // The log has it with the anchors it got.
  if (is_tree(*operation.value) && !is_described(at(path))) operation.value = at(path);
  return {};
}

Status StateTransaction::set_anchored(const StatePath& path, Value value) {
  const Value& held = at(path);
  const std::string name = anchors_of(held).front();
  const std::size_t items = position_of(held, kContainerItems);
  if (value.list() != nullptr && items < child_count(held) && entry_.is_items(step(path, items))) {
    return replace(step(path, items), std::move(value));
  }
  if (value.object() == nullptr || is_described(value)) {
    return wrong_type("SET", name, held, fmt::format("name a field of it, as in \"{}.count\"", name));
  }
  WEFT_CHECK(keep_anchors(held, value, name));
  return replace(path, std::move(value));
}

// `target` gets the path of the member where it was made.
Status StateTransaction::set_member(StateTarget& target, Value value) {
  if (!target.exists) {
    const StatePath path = step(target.path, child_count(at(target.path)));
    WEFT_CHECK(insert(path, target.new_member, std::move(value)));
    target.path = path;
    return {};
  }
  const Value& held = at(target.path);
  if (is_described(held) && !is_described(value) && shape_of(value) == StateShape::kValue) {
    return replace(step(target.path, position_of(held, "value")), std::move(value));
  }
  const bool is_container = held.find(kContainerAnchor) != nullptr;
  if (is_container && value.list() != nullptr) return set_anchored(target.path, std::move(value));
  return replace(target.path, std::move(value));
}

Status StateTransaction::add(StateOperation& operation) {
  if (!operation.value->is_number()) return invalid_argument("ADD: what is added is not a number");
  WEFT_TRY(StateTarget target, read(operation));
  if (!target.exists) return missing(operation);
  WEFT_CHECK(entry_.check_member(target, &*operation.value));
  const std::string path = reader().flat(target);
  const Value& held = at(target.path);
  StatePath place = is_described(held) ? step(target.path, position_of(held, "value")) : target.path;
  if (!at(place).is_number()) return wrong_type("ADD", operation.path, held, "ADD changes numbers; SET replaces");
  WEFT_TRY(Value total, sum(at(place), *operation.value));
  operation.path = path;
  return replace(place, std::move(total));
}

// The path of what is put into or taken out of: a container by its anchor, even where its "items" were named.
std::string StateTransaction::holder_path(const StateTarget& target) const {
  const bool is_within = entry_.is_items(target.path);
  const StatePath path(target.path.begin(), target.path.end() - (is_within ? 1 : 0));
  return is_anchored(at(path)) ? reader().flat(path) : reader().flat(target);
}

Status StateTransaction::push(StateOperation& operation) {
  constexpr std::string_view kBehindLast = "/-";
  if (operation.path.starts_with('/') && operation.path.ends_with(kBehindLast)) {
    operation.path.resize(operation.path.size() - kBehindLast.size());
  }
  WEFT_TRY(StateTarget target, read(operation));
  if (!target.exists) return missing(operation);
  const Value& held = at(target.path);
  const std::string path = holder_path(target);
  if (held.list() != nullptr) {
    WEFT_CHECK(push_to_list(target.path, operation));
  } else if (held.find(kContainerAnchor) != nullptr) {
    const StatePath items = step(target.path, position_of(held, kContainerItems));
    const bool has_list = items.back() < child_count(held) && entry_.is_items(items);
    WEFT_CHECK(has_list ? push_to_list(items, operation) : push_to_object(target.path, operation));
  } else {
    return wrong_type("PUSH", operation.path, held, "PUSH puts into containers and lists; SET sets a field");
  }
  operation.path = path;
  return {};
}

Status StateTransaction::push_to_list(const StatePath& list, StateOperation& operation) {
  const StatePath path = step(list, child_count(at(list)));
  WEFT_CHECK(insert(path, {}, *operation.value));
  WEFT_TRY(const StatePath now, anchor_above(path));
  operation.value = at(now);
  return {};
}

Status StateTransaction::push_to_object(const StatePath& container, StateOperation& operation) {
  const Value& held = at(container);
  const std::string anchor = anchors_of(held).front();
  if (shape_of_element(*operation.value) == StateShape::kValue) {
    return wrong_type("PUSH", operation.path, held, "its members are entities: PUSH an object, or SET a field");
  }
  const StatePath path = step(container, child_count(held));
  // As an element first: it is named after itself, and its member after its anchor.
  WEFT_CHECK(check_own_anchors(*operation.value, "the value"));
  WEFT_CHECK(entry_.check_new_anchors(*operation.value, path));
  Value value = *operation.value;
  {
    AnchorGiver giver(tree_.index_);
    tree_.index_.reserve(value);
    giver.give_element(value, anchor);
  }
  const std::string name = anchors_of(value).front();
  if (held.find(name) != nullptr) return conflict(fmt::format("PUSH: \"{}\" has a member \"{}\"", anchor, name));
  operation.value = value;
  return insert(path, name, std::move(value));
}

Status StateTransaction::pop(StateOperation& operation) {
  const auto& which = operation.value;
  if (which && which->text() == nullptr && !std::holds_alternative<std::int64_t>(which->data)) {
    return invalid_argument("POP: what to take is an index or an id");
  }
  WEFT_TRY(StateTarget target, read(operation));
  if (!target.exists) return missing(operation);
  const Value& held = at(target.path);
  const std::string path = holder_path(target);
  if (held.list() == nullptr && held.find(kContainerAnchor) == nullptr) {
    return wrong_type("POP", operation.path, held, "POP takes out of containers and lists; DELETE removes the rest");
  }
  StatePath holder = target.path;
  const std::size_t items = position_of(held, kContainerItems);
  if (held.object() != nullptr && items < child_count(held) && entry_.is_items(step(holder, items))) {
    holder = step(std::move(holder), items);
  }
  const auto position = popped_position(at(holder), held_positions(at(holder)), which);
  if (!position) {
    return not_found(which ? fmt::format("POP: there is no {} in \"{}\"", preview(to_json(*which), 80), path)
                           : fmt::format("POP: \"{}\" is empty", path));
  }
  operation.path = path;
  return remove_at(step(holder, *position));
}

Status StateTransaction::remove(StateOperation& operation) {
  WEFT_TRY(StateTarget target, read(operation));
  if (!target.exists) return missing(operation);
  if (target.path.empty()) return invalid_argument("DELETE: the root stays", R"(empty it with ["SET","",{}])");
  WEFT_CHECK(entry_.check_member(target, nullptr));
  operation.path = reader().flat(target);
  return remove_at(target.path);
}

Status StateTransaction::remove_at(const StatePath& path) {
  WEFT_CHECK(edit({.kind = StateEdit::Kind::kRemove, .path = path, .name = {}, .value = {}}));
  return anchor_above(path).ok() ? Status() : internal("DELETE: what is left has no place");
}

// What may come into a tree, and the anchors that it gets.

namespace {

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
