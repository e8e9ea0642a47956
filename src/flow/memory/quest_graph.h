#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "weft/quest.h"

namespace weft {

/// The quests of one scope and what waits for what.
///
/// Holds always: ids are unique, prerequisites exist, nothing waits for itself however indirectly, and `successors` is
/// exactly the other direction of `prerequisites`. A quest is `kLocked` just while it has not been begun and some
/// prerequisite is not completed. What the author or the player has begun, completed or failed stands, whatever came
/// before it.
///
/// A value without locks: for one thread at a time. Every call that fails leaves the graph as it was.
class QuestGraph {
 public:
  struct Options {
    bool activate_unlocked = true;  ///< what a completed quest sets free becomes active; false: available
  };

  QuestGraph() = default;

  /// A graph of these quests, in their order. Edges may be given at either end. kInvalidArgument names duplicate ids,
  /// unknown prerequisites or successors, and one cycle. Linear in quests and edges.
  static Result<QuestGraph> make(std::vector<Quest> quests, Options options);
  static Result<QuestGraph> make(std::vector<Quest> quests) { return make(std::move(quests), Options()); }

  const std::vector<Quest>& quests() const { return quests_; }
  const Quest* find(std::string_view id) const;

  /// Adds quests, and replaces those whose id is known: an author's file read again. A replaced quest keeps its status,
  /// progress and outcome when the new one says nothing of them (locked and empty). Gives every quest that is new or
  /// changed.
  Result<std::vector<Quest>> put(std::vector<Quest> quests);

  /// Takes a quest out. kConflict when another one needs it.
  Result<std::vector<Quest>> remove(std::string_view id);

  /// Moves a quest on. Gives the quests that changed, itself first; none when it stood there already.
  ///   available → in_progress | completed | failed      in_progress → available | completed | failed
  ///   locked → failed                                   completed | failed → available | in_progress: undone
  /// Undone to available it is locked where its own prerequisites are missing; active → available puts it aside.
  /// Completing sets free what waited only for this. Undoing a completion locks again what waits for it and was not
  /// yet completed or failed. Failing changes nothing else: what waits stays locked until it is tried again.
  /// kNotFound; kConflict for any other move, naming the prerequisites that are missing. `outcome` is kept when the
  /// quest ends and is emptied when that is undone.
  Result<std::vector<Quest>> set_status(std::string_view id, QuestStatus status, std::string_view outcome = {});

  /// Writes down how far it is, in words.
  Result<std::vector<Quest>> set_progress(std::string_view id, std::string_view progress);

 private:
  Status index_ids();
  Status link();
  Status check_cycles() const;
  bool is_open(const Quest& quest) const;
  std::string missing(const Quest& quest) const;
  void settle(Quest& quest) const;
  Status check_move(const Quest& quest, QuestStatus status) const;
  const Quest& at(const std::string& id) const { return quests_[by_id_.at(id)]; }
  Quest& at(const std::string& id) { return quests_[by_id_.at(id)]; }

  Options options_;
  std::vector<Quest> quests_;
  std::unordered_map<std::string, std::size_t> by_id_;
};

/// Reads an author's file of quests: JSON where it begins with "{" or "[", else YAML (which is what authors write by
/// hand). Forms and fields: `read_quests`. A file is bounded in bytes, depth and values, and YAML's anchors and aliases
/// are refused. Errors begin with `file` and name line or quest. Whether the quests fit together is asked by
/// `QuestGraph`.
Result<std::vector<Quest>> import_quests(std::string_view bytes, std::string_view file);

}  // namespace weft
