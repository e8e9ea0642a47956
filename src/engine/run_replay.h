#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "agent/loop_hooks.h"
#include "engine/run_kit.h"
#include "engine/run_streams.h"
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

}  // namespace weft
