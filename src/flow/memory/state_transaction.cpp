// How values come into the tree, each step noted. What the operations mean stands in state_apply.cpp.
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

}  // namespace weft
