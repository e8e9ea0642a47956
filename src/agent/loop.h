#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "agent/run_files.h"
#include "agent/run_state.h"
#include "agent/tool.h"
#include "base/clock.h"
#include "ports/chat/chat_model.h"
#include "weft/growth.h"
#include "weft/result.h"
#include "weft/task.h"

namespace weft {

/// What a prompt is made for.
struct PromptWish {
  std::string system;           ///< of the agent, and what the hooks add
  std::vector<ToolInfo> tools;  ///< that there are
  std::int64_t window = 0;      ///< of the model in tokens; 0: unknown
  std::string model;            ///< its name
  std::size_t offered = 0;      ///< tools that the call may offer at most; 0: as configured
};

/// The prompt of one model call.
struct AgentPrompt {
  std::vector<Message> messages;
  std::vector<std::string> tools;  ///< names of those that fit best
  std::int64_t tokens = 0;
  std::string compaction;  ///< id of the compaction whose summary stands in it; empty: none
};

/// What turns a run's state into prompts: the context engine, with memory and compaction. One run uses it at a time.
class AgentContext {
 public:
  virtual ~AgentContext() = default;
  virtual Result<AgentPrompt> prompt(const RunState& state, const PromptWish& wish, const Deadline& deadline) = 0;
  /// Makes what was said so far smaller, for the prompts to come. Gives what came of it.
  virtual Result<CompactedTo> compact(const RunState& state, std::int64_t window) = 0;
  /// The run has ended: what was said last is kept, too.
  virtual Status finish(const RunState& state) = 0;
};

/// What stands between a task and a sure result, and what is asked of a person about it.
struct GapsFound {
  LessonTold told;
  std::vector<Question> asked;  ///< text, kind and choices; the rest is given to them where they are asked
};

/// Where what learns from runs takes part in them. What these do costs the run time: a deadline is theirs to keep. None
/// may throw. Called on the run's thread; one object serves many runs at once.
class LoopHooks {
 public:
  virtual ~LoopHooks() = default;
  /// Before each model call: rules and skills. Where the state has none yet, the snapshot of the task; later only what
  /// of it does not hold any more. Empty: there is nothing to add to what was told.
  virtual LessonTold learnt(const RunState& state) { return (void)state, LessonTold(); }
  /// Before the first model call: what the task does not say. What memory has is told, what only a person knows asked.
  virtual GapsFound gaps_before(const RunState& state, std::span<const ToolInfo> tools) {
    return (void)state, (void)tools, GapsFound();
  }
  /// After a step that failed: what is to be learnt from it at once; without a text: nothing.
  virtual LessonTold after_failure(const TaskReport& so_far, const ReportStep& failed) {
    return (void)so_far, (void)failed, LessonTold();
  }
  /// The run has ended. Gives what its answer leaves open for a person.
  virtual std::vector<Question> at_end(const RunState& state, const TaskReport& report) {
    return (void)state, (void)report, std::vector<Question>();
  }
};

/// Where the questions of runs are asked: the one queue of all questions. By itself it keeps none, so that a run's
/// stream alone has them. Called on the run's thread; one object serves many runs at once.
class RunQuestions {
 public:
  virtual ~RunQuestions() = default;
  /// Puts a question to its owner; gives it as it is kept, with its id. The same question of the same run that is still
  /// open is given again.
  virtual Result<Question> ask(const Question& question) { return question; }
  /// The run has an answer that did not come through the queue: a person spoke, or the time is over.
  virtual void settled(const Question& question, const Answered& answer) { (void)question, (void)answer; }
};

/// How a loop behaves, beside the limits of its run.
struct LoopSettings {
  std::chrono::milliseconds call_time{120'000};  ///< of one call of a tool
  std::chrono::milliseconds model_time{180'000};  ///< of one call of the model
  std::chrono::milliseconds question_time{24 * 3600 * 1000};  ///< until a question's fallback is taken
  std::int64_t model_retries = 2;  ///< beside those of the model itself
  std::int64_t output_tokens = 4096;  ///< of an answer
  std::size_t result_bytes = 8192;  ///< of an output that a prompt holds
  std::size_t kept_bytes = 16 << 20;  ///< of an output that is kept; the rest of a flood is dropped
  std::int64_t parallel = 8;  ///< calls at a time
  std::size_t tools_offered = 24;  ///< with more than these, the fitting ones are offered
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

/// Runs one agent: collect, assemble, infer, act, until it has ended. What is to be done next follows from the state
/// alone, so a run that was killed anywhere goes on from its stream, and no call that has answered is made again.
/// Errors are those of the stream; failures of models and tools are events.
class AgentLoop {
 public:
  AgentLoop(std::string run, LoopParts parts, LoopSettings settings, LoopStop& stop);
  Result<LoopEnd> run();

  const RunState& state() const { return run_.state; }

 private:
  Result<LoopNext> turn();
  Result<LoopNext> stopped();

  // The end, and what leads to it.
  std::optional<LimitReached> reached() const;
  Result<LoopNext> finish(AgentOutput output);
  Result<LoopNext> close();
  Result<LoopNext> finish_at_limit();
  void verify(AgentOutput& output);
  Status make_smaller();

  // The model.
  Result<LoopNext> infer();
  Status look_for_gaps();
  Status tell_what_was_learnt();
  Result<ChatReply> ask_model(const ChatRequest& request);
  ChatRequest request_of(const AgentPrompt& prompt) const;
  std::string system_text() const;
  Status note_compaction(const AgentPrompt& prompt);

  LoopRun run_;
  LoopCalls calls_;
};

}  // namespace weft
