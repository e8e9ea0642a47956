// The steps of which every change of a tree is made: replace, insert, remove, each with its opposite.
#include <utility>

#include "flow/memory/state_tree.h"

namespace weft {
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

}  // namespace weft
