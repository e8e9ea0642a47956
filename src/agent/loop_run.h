#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "agent/agent_context.h"
#include "agent/bus.h"
#include "agent/call_threads.h"
#include "agent/loop_hooks.h"
#include "agent/permissions.h"
#include "agent/results.h"
#include "agent/run_state.h"
#include "agent/tool.h"
#include "ports/chat/chat_model.h"

namespace weft {

/// How a loop behaves, beside the limits of its run.
struct LoopSettings {
  std::chrono::milliseconds call_time{120'000};   ///< of one call of a tool
  std::chrono::milliseconds model_time{180'000};  ///< of one call of the model
  std::chrono::milliseconds question_time{24 * 3600 * 1000};  ///< until a question's fallback is taken
  std::int64_t model_retries = 2;        ///< beside those of the model itself
  std::int64_t output_tokens = 4096;     ///< of an answer
  std::size_t result_bytes = 8192;       ///< of an output that a prompt holds
  std::size_t kept_bytes = 16 << 20;     ///< of an output that is kept; the rest of a flood is dropped
  std::int64_t parallel = 8;             ///< calls at a time
  std::size_t tools_offered = 24;        ///< with more than these, the fitting ones are offered
  bool wait_for_gaps = false;  ///< what a person is asked of the task is answered, or its time over, before it begins
};

/// What a loop works with. All of it outlives the loop.
struct LoopParts {
  Bus& bus;
  AgentContext& context;
  ChatModel& model;
  const ToolRegistry& tools;
  LoopHooks& hooks;
  RunQuestions& questions;
  ResultStore& results;
  EndingMarks& endings;
  CallThreads& threads;
  const Permissions& permissions;
  const Clock& clock;
  const RequestContext& request;
  std::string system;  ///< what the agent is told of itself
  std::int64_t window = 0;  ///< of the model in tokens; 0: unknown
  std::shared_ptr<Tool> verifier = {};  ///< says by failing or not how the run went; null: nobody does
};

/// Why a loop came back.
enum class LoopEnd {
  kEnded,  ///< the run has its output
  kInterrupted,  ///< the event says by whom; it can be resumed
  kStopped,  ///< its program ends; no event was written, it can be resumed
};

/// Who wants a loop to come back.
struct LoopStop {
  std::stop_source source;
  std::atomic<bool> interrupt = false;  ///< set before the source is stopped: an event is to say so
  std::string why;  ///< likewise
};

/// What comes after a turn: nothing, that is the next one, or the end.
using LoopNext = std::optional<LoopEnd>;

/// A run under way, as the parts of its loop share it: its stream, and the state that its events fold to.
class LoopRun {
 public:
  LoopRun(std::string run, LoopParts with, LoopSettings set, LoopStop& stopper)
      : parts(std::move(with)), settings(set), stop(stopper) {
    state.run = std::move(run);
  }

  /// Takes in what stands on the stream and is not in the state yet.
  Status collect();
  /// Writes an event, and takes it in.
  template <class Payload>
  Status emit(BusEventType type, const Payload& payload) {
    WEFT_TRY(const BusEvent event, parts.bus.emit(type, to_json(payload)));
    (void)event;
    return collect();
  }
  bool is_stopped() const { return stop.source.stop_requested(); }
  /// Passes when the run is stopped.
  Deadline until_stopped() const { return Deadline(std::nullopt, stop.source.get_token()); }
  /// Of the run's limit; neither waiting for people nor earlier tasks count.
  std::chrono::milliseconds time_left() const;
  void has_waited(std::chrono::steady_clock::duration time) { waited_ += time; }
  /// From here on the time counts that this loop works; what earlier ones worked stands in the state.
  void begin() { worked_before_ = state.used.ms; }

  const LoopParts parts;
  const LoopSettings settings;
  LoopStop& stop;
  RunState state;

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::duration waited_{};
  double worked_before_ = 0;
};

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
