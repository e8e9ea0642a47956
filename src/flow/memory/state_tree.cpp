#include "flow/memory/state_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "flow/memory/state_anchors.h"
#include "text/utf8.h"

namespace weft {
namespace {

// What could not be written as JSON and read again.
Status check_plain(const Value& value) {
  const auto* number = std::get_if<double>(&value.data);
  if (number != nullptr && !std::isfinite(*number)) return invalid_argument("state: a number that is not finite");
  const std::string* text = value.text();
  if (text != nullptr && find_invalid_utf8(*text)) return invalid_argument("state: a text that is not UTF-8");
  if (const ValueObject* members = value.object()) {
    for (const auto& [name, member] : *members) {
      if (find_invalid_utf8(name)) return invalid_argument("state: a name that is not UTF-8");
    }
  }
  for (std::size_t i = 0; i < child_count(value); ++i) WEFT_CHECK(check_plain(child_at(value, i)));
  return {};
}

}  // namespace

Result<StateTree> StateTree::from(Value root, const StateLimits& limits) {
  if (root.object() == nullptr) {
    return invalid_argument("state: not an object", "a state is a JSON object, as in {\"health\":85}");
  }
  const auto too_deep = [&] { return too_large(fmt::format("state: nested deeper than {} levels", limits.max_depth)); };
  if (depth_of(root, limits.max_depth) > limits.max_depth) return too_deep();
  WEFT_CHECK(check_plain(root));
  WEFT_CHECK(check_own_anchors(root, ""));
  StateTree tree;
  tree.limits_ = limits;
  AnchorGiver(tree.index_).give_root(root);
  if (depth_of(root, limits.max_depth) > limits.max_depth) return too_deep();
  tree.root_ = std::move(root);
  if (tree.index_.add(tree.root_, {})) return internal("state: an anchor was given twice");
  tree.bytes_ = size_of(tree.root_);
  WEFT_CHECK(tree.check_size());
  return tree;
}

Result<StateTree> StateTree::parse(std::string_view json, const StateLimits& limits) {
  WEFT_TRY(Value root, parse_value(json, {.max_bytes = 2 * limits.max_bytes}, "state"));
  return from(std::move(root), limits);
}

const Value* StateTree::find(std::string_view anchor) const {
  const auto path = index_.locate(root_, anchor);
  return path ? value_at(root_, *path) : nullptr;
}

Result<const Value*> StateTree::at(std::string_view path) const {
  WEFT_TRY(const StateTarget target, StatePathReader(root_, index_).read(path));
  if (!target.exists)
    return not_found(fmt::format("state: there is no \"{}\"", path.substr(0, 120)),
                     fmt::format("\"{}\" is not there yet; SET makes it", target.new_member));
  return value_at(root_, target.path);
}

Status StateTree::check_size() const {
  if (bytes_ > limits_.max_bytes) {
    return too_large(fmt::format("state: about {} bytes, at most {} are kept", bytes_, limits_.max_bytes));
  }
  if (index_.size() > limits_.max_anchors) {
    return too_large(fmt::format("state: {} anchors, at most {} are kept", index_.size(), limits_.max_anchors));
  }
  return {};
}

Result<AppliedChange> StateTree::apply(std::string_view operations, const StateCheck& check) {
  return apply(operations, limits_.change, check);
}

Result<AppliedChange> StateTree::reapply(std::string_view operations) {
  return apply(operations, {.max_operations = SIZE_MAX, .max_bytes = SIZE_MAX}, {});
}

Result<AppliedChange> StateTree::apply(std::string_view operations, const StateChangeLimits& limits,
                                       const StateCheck& check) {
  WEFT_TRY(auto parsed, parse_state_operations(operations, limits));
  StateTransaction transaction(*this);
  for (std::size_t i = 0; i < parsed.size(); ++i) {
    Status done = transaction.run(parsed[i]);
    if (done.ok()) continue;
    transaction.revert();
    Error error = done.error();
    error.message = fmt::format("operation {}: {}", i + 1, error.message);
    return error;
  }
  Status accepted = check_size();
  if (accepted.ok() && check) accepted = check(root_);
  if (!accepted.ok()) {
    transaction.revert();
    return accepted.error();
  }
  return AppliedChange{.operations = to_json(parsed), .undo = to_json(transaction.undo())};
}

Result<std::string> StateTree::undo(std::string_view record) {
  WEFT_TRY(auto edits, parse_state_edits(record));
  StateTransaction transaction(*this);
  for (StateEdit& edit : edits) {
    Status done = transaction.edit(std::move(edit));
    if (done.ok()) continue;
    transaction.revert();
    return done.error();
  }
  return to_json(transaction.undo());
}

// The steps of which every change of a tree is made: replace, insert, remove, each with its opposite.

namespace {

using EditKind = StateEdit::Kind;

constexpr std::size_t kMemberBytes = 4;  // quotes, colon, comma: as size_of counts them

Error misfit() { return corrupt("undo record: it does not fit this tree"); }

template <class List>
auto iterator_at(List& list, std::size_t position) {
  return list.begin() + static_cast<typename List::difference_type>(position);
}

}  // namespace

Result<StateEdit> StateTree::change(StateEdit edit) {
  if (edit.path.empty()) return replace_root(std::move(edit));
  Value* parent = value_at(root_, StatePath(edit.path.begin(), edit.path.end() - 1));
  if (parent == nullptr || (parent->list() == nullptr && parent->object() == nullptr)) return misfit();
  if (edit.kind == EditKind::kInsert) return insert_at(*parent, std::move(edit));
  if (edit.path.back() >= child_count(*parent)) return misfit();
  return edit.kind == EditKind::kReplace ? replace_at(*parent, std::move(edit)) : remove_at(*parent, std::move(edit));
}

Result<StateEdit> StateTree::replace_root(StateEdit edit) {
  if (edit.kind != EditKind::kReplace || edit.value.object() == nullptr) return misfit();
  index_.remove(root_, {});
  std::swap(root_, edit.value);
  const bool clash = index_.add(root_, {}).has_value();
  if (clash) {
    std::swap(root_, edit.value);
    index_.remove(root_, {});
    (void)index_.add(root_, {});
    return misfit();
  }
  bytes_ = size_of(root_);
  return edit;
}

Result<StateEdit> StateTree::replace_at(Value& parent, StateEdit edit) {
  Value& held = child_at(parent, edit.path.back());
  index_.remove(held, edit.path);
  std::swap(held, edit.value);
  if (index_.add(root_, edit.path)) {
    std::swap(held, edit.value);
    (void)index_.add(root_, edit.path);
    return misfit();
  }
  bytes_ = bytes_ + size_of(held) - size_of(edit.value);
  return edit;
}

Result<StateEdit> StateTree::insert_at(Value& parent, StateEdit edit) {
  const std::size_t position = edit.path.back();
  if (position > child_count(parent)) return misfit();
  const std::size_t size = size_of(edit.value);
  ValueObject* members = parent.object();
  if (members != nullptr) {
    if (parent.find(edit.name) != nullptr) return misfit();
    members->emplace(iterator_at(*members, position), edit.name, std::move(edit.value));
  } else {
    parent.list()->insert(iterator_at(*parent.list(), position), std::move(edit.value));
  }
  if (index_.add(root_, edit.path)) {
    if (members != nullptr) {
      members->erase(iterator_at(*members, position));
    } else {
      parent.list()->erase(iterator_at(*parent.list(), position));
    }
    return misfit();
  }
  if (members != nullptr && edit.path.size() == 1) index_.add_root_member(edit.name);
  bytes_ += size + (members != nullptr ? edit.name.size() + kMemberBytes : 0);
  return StateEdit{.kind = EditKind::kRemove, .path = std::move(edit.path), .name = {}, .value = {}};
}

Result<StateEdit> StateTree::remove_at(Value& parent, StateEdit edit) {
  const std::size_t position = edit.path.back();
  StateEdit opposite{.kind = EditKind::kInsert, .path = std::move(edit.path), .name = {}, .value = {}};
  index_.remove(child_at(parent, position), opposite.path);
  opposite.value = std::move(child_at(parent, position));
  bytes_ -= size_of(opposite.value);
  if (ValueObject* members = parent.object()) {
    opposite.name = std::move((*members)[position].first);
    members->erase(iterator_at(*members, position));
    bytes_ -= opposite.name.size() + kMemberBytes;
    if (opposite.path.size() == 1) index_.remove_root_member(opposite.name);
  } else {
    parent.list()->erase(iterator_at(*parent.list(), position));
  }
  return opposite;
}

Result<StateSchema> StateSchema::compile(std::string_view json) {
  WEFT_TRY(auto check, SchemaCheck::compile(json, "the state", SchemaUse::kState));
  return StateSchema(std::move(check));
}

Status StateSchema::check(const Value& root) const { return check_.check(to_json(root)); }

// How values come into the tree, each step noted.

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

using OperationKind = StateOperation::Kind;

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
                   operation.kind == OperationKind::kPush ? "SET it to [] first" : "SET makes it");
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
    case OperationKind::kSet: return set(operation);
    case OperationKind::kPush: return push(operation);
    case OperationKind::kAdd: return add(operation);
    case OperationKind::kPop: return pop(operation);
    case OperationKind::kDelete: return remove(operation);
  }
  return internal("an operation without a kind");
}

Status StateTransaction::set(StateOperation& operation) {
  WEFT_TRY(StateTarget target, read(operation));
  Value value = *operation.value;
  if (target.exists && target.path.empty()) {
    if (value.object() == nullptr) return invalid_argument("SET: the root is an object and stays one");
    WEFT_CHECK(replace({}, std::move(value)));
    operation = {.kind = OperationKind::kSet, .path = "", .value = at({})};
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

namespace {

constexpr std::string_view kRollback = "ROLLBACK";

std::optional<std::int64_t> read_rollback(std::string_view operations) {
  if (operations.find(kRollback) == std::string_view::npos) return std::nullopt;
  const auto value = parse_value(operations, {}, "operations");
  if (!value.ok() || value->list() == nullptr || value->list()->size() != 1) return std::nullopt;
  const ValueList* parts = value->list()->front().list();
  if (parts == nullptr || parts->size() != 2 || parts->front() != Value(std::string(kRollback))) return std::nullopt;
  const auto* to = std::get_if<std::int64_t>(&parts->back().data);
  return to != nullptr ? std::optional(*to) : std::nullopt;
}

Error broken(std::int64_t version, const Error& error) {
  return corrupt(fmt::format("state version {}: {}", version, error.message));
}

}  // namespace

Result<StateTree> replay(const StateSnapshot& snapshot, std::span<const StateRecord> records,
                         const StateLimits& limits) {
  WEFT_TRY(StateTree tree, StateTree::parse(snapshot.json, limits));
  for (std::size_t i = 0; i < records.size(); ++i) {
    const StateVersion& version = records[i].version;
    if (version.version != snapshot.version + static_cast<std::int64_t>(i) + 1) {
      return corrupt(fmt::format("state: version {} follows version {}", version.version,
                                 snapshot.version + static_cast<std::int64_t>(i)));
    }
    const auto to = read_rollback(version.operations);
    if (to && *to < snapshot.version) {
      return corrupt(
          fmt::format("state version {}: it goes back to version {}, before the snapshot", version.version, *to));
    }
    const auto done = to ? roll_back(tree, records.first(i), *to) : tree.reapply(version.operations);
    if (!done.ok()) return broken(version.version, done.error());
  }
  return tree;
}

Result<AppliedChange> roll_back(StateTree& tree, std::span<const StateRecord> records, std::int64_t to) {
  const std::int64_t last = records.empty() ? to : records.back().version.version;
  const bool reaches = !records.empty() && records.front().version.version <= to + 1;
  if (to > last || to < 0 || (to < last && !reaches)) {
    return not_found(fmt::format("state: there is no way back from version {} to version {}", last, to));
  }
  StateTree changed = tree;
  std::vector<StateEdit> again;
  for (std::size_t i = records.size(); i-- > 0 && records[i].version.version > to;) {
    auto record = changed.undo(records[i].undo);
    if (!record.ok()) return broken(records[i].version.version, record.error());
    WEFT_TRY(auto edits, parse_state_edits(*record));
    // What is undone last is brought in again first.
    edits.insert(edits.end(), std::make_move_iterator(again.begin()), std::make_move_iterator(again.end()));
    again = std::move(edits);
  }
  tree = std::move(changed);
  return AppliedChange{.operations = fmt::format("[[\"{}\",{}]]", kRollback, to), .undo = to_json(again)};
}

}  // namespace weft
