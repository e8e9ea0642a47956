#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine_impl.h"

namespace weft::test {

enum class OpKind {
  kObserve,  ///< a turn with ids of its own
  kSync,     ///< a client's whole history, sometimes with another last answer
  kEnd,
  kSave,
  kSearch,
  kContext,
  kPutState,
  kApplyState,
  kRollBack,
  kQuest,
  kPutLore,
  kRemoveLore,
  kWriteProfile,
  kAddKnowledge,
  kSetTask,
  kCompact,
  kExport,
  kEraseMessages,
  kEraseSession,  ///< all messages of one session
  kEraseBefore,
  kEraseAll,
};

/// A message as the model knows it.
struct ModelMessage {
  std::string id;  ///< empty: the engine gives one
  Role role = Role::kUser;
  std::string text;
  std::string secret;  ///< a word that only this message has; empty for steps without a text
  std::string call;    ///< id of the call that it makes, or of the one that it answers
  std::int64_t time_ms = 0;
  bool changes_state = false;

  Message message() const;
};

/// One operation of a scope. It follows from the seed, its number and the model, so that a report can name it.
struct Op {
  OpKind kind = OpKind::kSearch;
  std::string session;
  std::string name;    ///< of a quest or an entry of lore, or the request of an end
  std::string secret;  ///< of what is written
  std::vector<ModelMessage> messages;  ///< that are new
  std::vector<ModelMessage> history;   ///< of a sync: all that the client sends
  std::int64_t number = 0;             ///< a value, a version, a moment or a status
};

std::string describe(const Op& op);

/// What one scope must hold, kept beside the engine as plain data. The same model lives in the process that is killed
/// and in the one that starts it: each begins and settles the same operations. Not safe for several threads.
class ScopeModel {
 public:
  /// Says that something is wrong.
  using Report = std::function<void(const std::string& problem)>;

  ScopeModel(char letter, Scope scope, std::uint32_t seed);

  const Scope& scope() const { return scope_; }
  const std::optional<Op>& pending() const { return pending_; }
  /// All operations so far, a line each.
  const std::vector<std::string>& steps() const { return steps_; }
  /// Words that must stand nowhere.
  const std::set<std::string>& erased() const { return erased_; }

  /// The next operation; it is pending until it is settled.
  const Op& begin();
  /// The pending operation happened, or not.
  void settle(bool happened);
  void note_step(std::string line) { steps_.push_back(std::move(line)); }

  /// Does the pending operation, and says whether it changed something. After an error that is open.
  Result<bool> perform(Engine& engine, const std::filesystem::path& workspace, const Report& report) const;
  /// Finds out whether the pending operation, which was broken off, happened as a whole. Ends and erasures are asked
  /// for again. After an error it is still open.
  Result<bool> happened(Engine& engine, const std::filesystem::path& workspace, const Report& report) const;
  /// Compares what must hold at every moment.
  void check(Engine& engine, const Report& report) const;
  /// Compares what must hold once all background work is done.
  void check_settled(Engine& engine, const std::filesystem::path& workspace, const Report& report) const;
  /// Compares the log of the scope.
  void check_log(Store& store, const Report& report) const;

 private:
  struct End {
    std::string session, request, message, secret;
    std::int64_t time_ms = 0;
  };
  struct Session {
    std::vector<ModelMessage> active;     ///< the living branch
    std::vector<ModelMessage> abandoned;  ///< of branches that were left
    std::int64_t ends = 0;                ///< accepted
    std::int64_t compactions = 0;
  };
  using Fields = std::map<std::string, std::int64_t>;

  std::uint32_t draw(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }
  std::string new_secret();
  ModelMessage new_message(Role role, std::string text, bool with_id);
  std::vector<ModelMessage> new_turn(bool with_ids);
  std::optional<Op> make(OpKind kind);
  OpKind draw_kind();
  std::vector<ModelMessage> going(const Op& op) const;
  void forget(const Op& op);
  EraseRequest request_of(const Op& op) const;
  Result<bool> erase(Engine& engine, const std::filesystem::path& workspace, const Report& report) const;
  Result<bool> end(Engine& engine, bool again, const Report& report) const;
  std::optional<std::string> session_problem(Engine& engine, const std::string& name,
                                             const std::vector<ModelMessage>& wanted) const;
  std::optional<std::string> world_problem(Engine& engine, const std::vector<Fields>& versions) const;
  std::vector<Fields> after(const Op& op) const;
  void check_text(std::string_view where, std::string_view text, const Report& report) const;
  bool is_shown(Engine& engine, const std::string& date, const std::filesystem::path& file) const;
  void check_days(Engine& engine, const std::filesystem::path& workspace, const Report& report) const;
  void check_items(Engine& engine, const Report& report) const;
  void check_found(Engine& engine, const ModelMessage& message, const Report& report) const;
  void check_default_state(Engine& engine, const Report& report) const;

  const char letter_;
  const Scope scope_;
  std::mt19937 random_;
  std::int64_t number_ = 0;      ///< of operations so far
  std::int64_t last_word_ = 0;   ///< of secrets
  std::int64_t last_name_ = 0;   ///< of messages, requests and the like
  std::int64_t generation_ = 0;  ///< of sessions with whole histories: after an erasure another one begins
  std::optional<Op> pending_;
  std::map<std::string, Session> sessions_;
  std::vector<End> ends_;
  std::vector<Fields> world_;  ///< versions of the state "world", from 1 on
  std::map<std::string, std::pair<std::string, std::int64_t>> quests_;  ///< id → title and status
  std::map<std::string, std::string> lore_;                             ///< id → text
  std::string profile_line_;                                            ///< that was written last
  std::string knowledge_;                                               ///< that was added last
  std::string task_;                                                    ///< of the session "s0"
  bool has_default_state_ = false;
  std::int64_t changes_ = 0, changes_erased_ = 0;  ///< answers that change the state "default"
  std::set<std::string> erased_;
  std::int64_t log_gaps_ = 0;  ///< entries that erasures may have taken at most
  std::vector<std::string> steps_;
};

/// Calls `take` for each word that looks like a secret.
void for_each_secret(std::string_view text, const std::function<void(std::string_view word)>& take);

/// The files below a folder in which one of the words stands, byte by byte, as "PATH: WORD".
std::vector<std::string> files_with(const std::filesystem::path& folder, const std::set<std::string>& words);

}  // namespace weft::test
