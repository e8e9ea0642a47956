#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flow/memory/state_anchors.h"
#include "flow/memory/state_operation.h"
#include "text/json.h"
#include "text/tool_arguments.h"
#include "weft/result.h"
#include "weft/state.h"

namespace weft {

/// Bounds on a state tree.
struct StateLimits {
  std::size_t max_bytes = std::size_t{16} << 20;  ///< of the tree as JSON, about
  std::size_t max_anchors = 200000;
  std::size_t max_depth = 32;  ///< levels, wrappings of lists included
  StateChangeLimits change;
};

/// Looks at the tree that a change would give; an error refuses the change. Schemas are checked here.
using StateCheck = std::function<Status(const Value& root)>;

/// A change that took effect.
struct AppliedChange {
  std::string operations;  ///< as they were applied: flat paths, and what was added with its anchors
  std::string undo;        ///< takes exactly this change back, `StateTree::undo`
};

/// The structured state of a world: a tree of plain data in which everything that can be changed has an anchor.
///
/// - An entity is an object with fields; its anchor is "id". A container holds entities; its anchor is "_anchor". It is
///   {"_anchor":…,"items":[…]} or an object whose members are entities.
/// - What comes without anchors gets them when it comes in, derived from its name, unique by a number behind it; they
///   never change afterwards. Anchors from outside are kept; the same one twice is an error. Whole numbers are taken as
///   ids, too.
/// - A list that holds entities and stands alone as a member becomes a container: it is wrapped as {"_anchor":…,
///   "items":[…]}. JSON Pointers into it may leave "items" out. A list of plain values (tags) is a value: it stays as
///   it is, is addressed by its owner and name ("hero.tags"), and becomes a container with the first entity that is put
///   into it.
/// - {"value":85,"description":"…"} is one value with its description: SET of a number and ADD keep the description.
/// - The root needs no anchor: its members are addressed by their bare names. An object that holds nothing but
/// containers
///   only groups them and has no anchor either, until it gets a field of its own.
/// - Ids of what was deleted may be given again to new things of the same name.
///
/// Loading what `json` wrote gives the same tree. Look-up and change cost the depth of the tree, not its size. A copy
/// is a deep one. Const functions may be called from many threads, others from one.
class StateTree {
 public:
  /// An empty state.
  StateTree() = default;

  /// From a value made here or from outside. kInvalidArgument, kConflict for an anchor that stands twice (with both
  /// places), kTooLarge.
  static Result<StateTree> from(Value root, const StateLimits& limits = {});

  /// The same from JSON.
  static Result<StateTree> parse(std::string_view json, const StateLimits& limits = {});

  const Value& root() const { return root_; }
  std::string json() const { return to_json(root_); }

  /// The value with that anchor; null where there is none. Valid until the next change.
  const Value* find(std::string_view anchor) const;
  /// The value at a path as operations name it; "" is the whole. kNotFound where there is none (the hint names the
  /// nearest anchor), kInvalidArgument for a path that is deeper than an anchor and one field. Valid until the next
  /// change.
  Result<const Value*> at(std::string_view path) const;
  std::size_t anchor_count() const { return index_.size(); }

  /// Applies a JSON array of operations (weft/state.h), all or none of them: after an error the tree is as before.
  /// Errors name the operation by its number. Beside what stands there: SET of an anchor alone replaces the entity and
  /// keeps its anchor, SET of a container takes a list, SET of "" replaces the whole tree; POP of a list of plain
  /// values takes the text to remove, too. PUSH to a container whose members are entities stores the entity under its
  /// id.
  Result<AppliedChange> apply(std::string_view operations, const StateCheck& check = {});

  /// Applies again what `apply` gave back, without bounds on the size of the change: anchors have made it longer.
  Result<AppliedChange> reapply(std::string_view operations);

  /// Takes a change back; it must be the latest that was not taken back yet. Gives the record that brings it in
  /// again. kCorrupt where the record does not fit, with the tree as before.
  Result<std::string> undo(std::string_view record);

 private:
  friend class StateTransaction;

  Result<AppliedChange> apply(std::string_view operations, const StateChangeLimits& limits, const StateCheck& check);

  // One step; gives the opposite one. Nothing else changes the tree.
  Result<StateEdit> change(StateEdit edit);
  Result<StateEdit> replace_root(StateEdit edit);
  Result<StateEdit> replace_at(Value& parent, StateEdit edit);
  Result<StateEdit> insert_at(Value& parent, StateEdit edit);
  Result<StateEdit> remove_at(Value& parent, StateEdit edit);
  Status check_size() const;

  Value root_{ValueObject{}};
  AnchorIndex index_;
  StateLimits limits_;
  std::size_t bytes_ = size_of(Value(ValueObject{}));
};

/// A JSON schema (draft 7) that a state has to keep to: of the whole tree as it is read, with its anchors in it. A
/// change that would break it is refused. Safe from any thread; copies share the schema.
class StateSchema {
 public:
  /// What a schema may hold, and the errors: see `bounded_schema`.
  static Result<StateSchema> compile(std::string_view json);

  /// The error (kInvalidArgument) says where the tree is wrong. Costs the size of the tree.
  Status check(const Value& root) const;

 private:
  explicit StateSchema(SchemaCheck check) : check_(std::move(check)) {}
  SchemaCheck check_;
};

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

/// One version as it is kept: what was applied, and the record that takes exactly this back.
struct StateRecord {
  StateVersion version;
  std::string undo;
};

/// A tree as it stood after a version, as JSON.
struct StateSnapshot {
  std::int64_t version = 0;
  std::string json = "{}";
};

/// Gives the tree as it stands after the last of `records`, which begin right after the snapshot and have no gap.
/// kCorrupt with the version where a record does not fit.
Result<StateTree> replay(const StateSnapshot& snapshot, std::span<const StateRecord> records,
                         const StateLimits& limits = {});

/// Takes the tree, which stands after the last of `records`, back to where it stood after version `to`. The records
/// must reach from version `to` + 1 to the last. The tree is as before after an error. What is given back is kept as
/// one more version: its operations are [["ROLLBACK",to]], which `replay` understands, so that a rollback can be rolled
/// back.
Result<AppliedChange> roll_back(StateTree& tree, std::span<const StateRecord> records, std::int64_t to);

}  // namespace weft
