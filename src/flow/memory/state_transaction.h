#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flow/memory/state_anchors.h"
#include "flow/memory/state_operation.h"
#include "flow/memory/state_path.h"
#include "flow/memory/state_tree.h"

namespace weft {

/// What may come into a tree: values are checked and get their anchors before they are put in. For one thread; what it
/// reads must outlive it.
class StateEntry {
 public:
  StateEntry(const Value& root, AnchorIndex& index, const StateLimits& limits)
      : root_(root), index_(index), limits_(limits) {}

  const Value& at(const StatePath& path) const { return *value_at(root_, path); }
  /// Whether the list of a container stands there.
  bool is_items(const StatePath& path) const;
  /// Whether `value`, null for nothing, may come to where the target is: anchors and lists of containers hold the tree
  /// together.
  Status check_member(const StateTarget& target, const Value* value) const;
  Status check_new_anchors(const Value& value, const StatePath& path) const;
  /// Checks a value and gives it its anchors. `path` is where it will stand, `name` its member.
  Status prepare(Value& value, const StatePath& path, const std::string& name) const;

 private:
  AnchorOwner owner_of(const StatePath& member) const;
  void give(AnchorGiver& giver, Value& value, const StatePath& path, const std::string& name) const;

  const Value& root_;
  AnchorIndex& index_;
  const StateLimits& limits_;
};

/// One change of a tree under way: every step is done at once and noted with its opposite. For one thread; the tree
/// must outlive it.
class StateTransaction {
 public:
  explicit StateTransaction(StateTree& tree) : tree_(tree), entry_(tree.root_, tree.index_, tree.limits_) {}

  /// Does one operation, and completes it: what it put in then has its anchors. After an error only `revert` is left.
  Status run(StateOperation& operation);

  /// One step, from a record.
  Status edit(StateEdit edit);

  /// Takes all steps back.
  void revert();

  /// The steps that take it back, in their order.
  std::vector<StateEdit> undo() const { return {undo_.rbegin(), undo_.rend()}; }

 private:
  Status set(StateOperation& operation);
  Status set_anchored(const StatePath& path, Value value);
  Status set_member(StateTarget& target, Value value);
  Status add(StateOperation& operation);
  Status push(StateOperation& operation);
  Status push_to_list(const StatePath& list, StateOperation& operation);
  Status push_to_object(const StatePath& container, StateOperation& operation);
  Status pop(StateOperation& operation);
  Status remove(StateOperation& operation);
  Status remove_at(const StatePath& path);

  Result<StateTarget> read(const StateOperation& operation) const;
  std::string holder_path(const StateTarget& target) const;
  std::string operation_that_removed(std::string_view anchor) const;
  const Value& at(const StatePath& path) const { return entry_.at(path); }
  StatePathReader reader() const { return {tree_.root_, tree_.index_}; }

  Status replace(const StatePath& path, Value value);
  Status insert(const StatePath& path, const std::string& name, Value value);
  Result<StatePath> anchor_above(StatePath path);

  StateTree& tree_;
  StateEntry entry_;
  std::vector<StateEdit> undo_;  // newest last
  std::vector<std::size_t> operation_of_;  // by the steps
  std::size_t operation_ = 0;
};

}  // namespace weft
