#pragma once

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "agent/loop.h"
#include "engine/learning_budget.h"
#include "engine/lessons.h"
#include "engine/reflections.h"
#include "engine/run_kit.h"
#include "engine/run_streams.h"
#include "engine/serving.h"
#include "growth/promotion_gate.h"
#include "weft/growth.h"

namespace weft {

struct EngineCore;

/// One of the two ways in which a run is played again.
struct ReplayArm {
  std::filesystem::path folder;  ///< in which its stream NAME.jsonl lies, so that it goes on after a kill
  std::string name;
  LessonTold told;                                           ///< what was learnt, as the run is told of it
  std::function<ChatModel*(const std::string& role)> model;  ///< counted where learning is counted
};

/// How a run that was played again went; kUnknown: nobody can tell, and why.
struct ReplayedRun {
  Outcome outcome = Outcome::kUnknown;
  std::string why = {};
};

/// Plays runs that are over again, without touching anything, see `agent/replay.h`. Safe from any thread.
class RunReplayer {
 public:
  RunReplayer(EngineCore& core, RunStreams& streams, RunKit& kit) : core_(core), streams_(streams), kit_(kit) {}

  /// Plays the run of a report on this thread. What has ended is only judged again. kInvalidArgument or kNotFound where
  /// it cannot be played, kUnavailable where the model does not answer, kCancelled after a stop: then it goes on
  /// another time.
  Result<ReplayedRun> replay(const RequestContext& request, const TaskReport& report, const ReplayArm& arm,
                             LoopStop& stop);

 private:
  EngineCore& core_;
  RunStreams& streams_;
  RunKit& kit_;
};

/// Says whether something of an owner waits for replays, or why it does not, and wakes the thread that plays.
GateKeeper replay_gate(EngineCore& core);

/// Before what passed its trial is promoted, past tasks of its owner are played again with and without it, in the
/// background and as far as the learning budget goes. What was played is a line of a log and what is being played a
/// stream, so that after a kill it goes on where it was. Safe from any thread.
class Replays {
 public:
  struct Services {
    RunReplayer& runs;
    Rules& rules;
    Skills& skills;
    Reflections& reflections;
  };
  Replays(EngineCore& core, const Services& services);
  /// Takes over what former versions kept.
  Status open();

  /// Plays what waits. Gives when to look again.
  std::optional<std::chrono::milliseconds> work(std::stop_token stop);

  /// Nothing of this scope is played until `let_go`; what is being played stops.
  Status hold(const ScopeKey& scope);
  void let_go(const ScopeKey& scope);
  /// What was played of erased messages, and of all of this scope's: it is played again from its streams.
  Status erase(const ErasedMessages& gone);

 private:
  /// Something that waits, with what is told of it.
  struct Waiting {
    GateCandidate candidate;
    PromotionGate gate;
    std::optional<Rule> rule;
    std::optional<Skill> skill;  ///< of a mutation: the variant
    std::string original;  ///< of a mutation: the skill that it changes
  };
  /// What a look came to: it is settled, it has to wait so long, or the thread ends.
  enum class Look { kSettled, kLater, kEnds };

  std::vector<Waiting> waiting();
  Look look_at(const Waiting& one, std::stop_token stop);
  Result<std::optional<ReplayPair>> play(const Waiting& one, const TaskReport& report, std::stop_token stop);
  Result<ReplayedRun> play_arm(const Waiting& one, const TaskReport& report, bool with, std::stop_token stop);
  LessonTold told(const Waiting& one, const std::string& task, bool with);
  Status settle(const Waiting& one, const PromotionGate& gate);
  void note_why(const Waiting& one, const std::string& why);
  std::filesystem::path folder_of(const Waiting& one, const std::string& run) const;

  EngineCore& core_;
  const Services with_;
  const RunLearning learning_;
  ServingLikeness likeness_;
  ReplayLog log_;
  std::mutex mutex_;  ///< of what follows
  std::condition_variable_any changed_;
  std::set<ScopeKey> held_;
  std::optional<ScopeKey> playing_;  ///< whose; none: nothing is played
  LoopStop* stop_ = nullptr;
};

}  // namespace weft
