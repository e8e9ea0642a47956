#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/loop_run.h"

namespace weft {

/// Calls of tools in a run: whether they may be made, making them, and what is asked of a person. The run outlives it.
class LoopCalls {
 public:
  explicit LoopCalls(LoopRun& run) : run_(run) {}

  /// Makes the calls that may be made, and waits where only a person can go on.
  Result<LoopNext> work_off();
  /// Asks a person. `call` waits for the answer; empty: none does, and the answer is a message to the run.
  Status ask(const std::string& call, Question question);
  /// Waits until a person answers one of the open questions, or its time is over.
  Result<LoopNext> wait_for_person();

 private:
  Result<bool> ready(CallState& call);
  Result<bool> ready_anew(const CallState& call);
  Result<bool> ready_after_answer(const CallState& call, const QuestionState& question);
  Status give_answer(const CallState& call, const QuestionState& question);
  Status ask_the_user(const CallState& call);
  Status refuse(const CallState& call, std::string why);
  Status tell(const CallState& call, ToolOutcome outcome, double ms);
  Result<bool> intend(const CallState& call, std::string arguments);
  Status make_calls();
  Status learn_from_failures(std::uint64_t since);
  Status let_expire(const QuestionState& question);

  LoopRun& run_;
  std::vector<std::string> ready_;  ///< ids of calls whose intent this loop wrote, to be made now
};

}  // namespace weft
