#include "flow/memory/state_tree.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <utility>

#include "flow/memory/state_anchors.h"
#include "flow/memory/state_path.h"
#include "flow/memory/state_transaction.h"
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

using Kind = StateEdit::Kind;

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
  if (edit.kind == Kind::kInsert) return insert_at(*parent, std::move(edit));
  if (edit.path.back() >= child_count(*parent)) return misfit();
  return edit.kind == Kind::kReplace ? replace_at(*parent, std::move(edit)) : remove_at(*parent, std::move(edit));
}

Result<StateEdit> StateTree::replace_root(StateEdit edit) {
  if (edit.kind != Kind::kReplace || edit.value.object() == nullptr) return misfit();
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
  return StateEdit{.kind = Kind::kRemove, .path = std::move(edit.path), .name = {}, .value = {}};
}

Result<StateEdit> StateTree::remove_at(Value& parent, StateEdit edit) {
  const std::size_t position = edit.path.back();
  StateEdit opposite{.kind = Kind::kInsert, .path = std::move(edit.path), .name = {}, .value = {}};
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

}  // namespace weft
