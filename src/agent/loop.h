#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "agent/agent_context.h"
#include "agent/bus.h"
#include "agent/call_threads.h"
#include "agent/ending_marks.h"
#include "agent/loop_hooks.h"
#include "agent/permissions.h"
#include "agent/results.h"
#include "agent/run_questions.h"
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

/// Runs one agent: collect, assemble, infer, act, until it has ended. What is to be done next follows from the state
/// alone, so a run that was killed anywhere goes on from its stream, and no call that has answered is made again.
/// Errors are those of the stream; failures of models and tools are events.
class AgentLoop {
 public:
  AgentLoop(std::string run, LoopParts parts, LoopSettings settings, LoopStop& stop);
  Result<LoopEnd> run();

  const RunState& state() const { return state_; }

 private:
  /// What comes after a turn: nothing, that is the next one, or the end.
  using Next = std::optional<LoopEnd>;

  Result<Next> turn();
  Status collect();
  template <class Payload>
  Status emit(BusEventType type, const Payload& payload) {
    WEFT_TRY(const BusEvent event, parts_.bus.emit(type, to_json(payload)));
    (void)event;
    return collect();
  }
  Result<Next> stopped();

  // The end, and what leads to it.
  std::optional<LimitReached> reached() const;
  std::chrono::milliseconds time_left() const;
  Result<Next> finish(AgentOutput output);
  Result<Next> close();
  Result<Next> finish_at_limit();
  void verify(AgentOutput& output);  // in loop_verdict.cpp
  Status make_smaller();

  // The model.
  Result<Next> infer();
  Status look_for_gaps();
  Status tell_what_was_learnt();
  Result<ChatReply> ask_model(const ChatRequest& request);
  ChatRequest request_of(const AgentPrompt& prompt) const;
  std::string system_text() const;
  Status note_compaction(const AgentPrompt& prompt);

  // Calls; in loop_calls.cpp.
  Result<Next> work_off_calls();
  Result<bool> ready(CallState& call);
  Result<bool> ready_anew(const CallState& call);
  Result<bool> ready_after_answer(const CallState& call, const QuestionState& question);
  Status give_answer(const CallState& call, const QuestionState& question);
  Status ask_the_user(const CallState& call);
  Status ask(const std::string& call, Question question);
  Status refuse(const CallState& call, std::string why);
  Status tell(const CallState& call, ToolOutcome outcome, double ms);
  Result<bool> intend(const CallState& call, std::string arguments);
  Status make_calls();
  Status learn_from_failures(std::uint64_t since);
  Result<Next> wait_for_person();
  Status let_expire(const QuestionState& question);

  LoopParts parts_;
  LoopSettings settings_;
  LoopStop& stop_;
  RunState state_;
  std::vector<std::string> ready_;  ///< ids of calls whose intent this loop wrote, to be made now
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::duration waited_{};
  double worked_before_ = 0;
};

}  // namespace weft
