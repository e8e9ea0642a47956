#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/tool.h"
#include "model/growth_records.h"
#include "text/record.h"
#include "weft/agent.h"
#include "weft/agent_runs.h"
#include "weft/message.h"
#include "weft/task.h"

namespace weft {

/// Tools that the loop knows by name.
inline constexpr std::string_view kHumanAsk = "human_ask", kAgentSpawn = "agent_spawn";

/// Tools that are offered with every call, however many others there are: part of how an agent works.
inline constexpr std::string_view kAlwaysOffered[] = {kHumanAsk, "result_read", "task_progress", "memory_search",
                                                      "end"};

/// What a person can say of a call of which nobody knows whether it was made.
inline constexpr std::string_view kDoneBefore = "done", kNotDone = "not done", kTryAgain = "try again";

/// The arguments of human_ask.
struct HumanQuestion {
  std::string question, why, fallback;
  std::vector<std::string> choices;
  QuestionKind kind = QuestionKind::kKnowledge;
};
WEFT_DESCRIBED(HumanQuestion);

// The payloads of the events of a run, described once; which belongs to which type stands at `BusEventType`.

struct RunStarted {
  std::string task, type, owner, model;
  std::string parent, parent_call;
  std::string forked_from;
  std::int64_t depth = 0;
  AgentLimits limits;  ///< all of them set
  AgentTools tools;
  bool learn = true;  ///< false: nothing is learnt from it, as long as it lasts
};

struct Said {
  Message message;
};

struct ModelReplied {
  Message message;
  std::string model;
  std::int64_t prompt_tokens = 0, completion_tokens = 0;
  double ms = 0;
  std::uint64_t seen = 0;  ///< the newest event that the prompt told of
};

struct Intended {
  std::string call, name, arguments, effects, key;
};

struct ToolAnswered {
  std::string call, output;
  bool failed = false;
  double ms = 0;
  std::string handle;  ///< where the output was cut: by which the whole is read
  Provenance provenance = Provenance::kTool;
  std::int64_t hidden = 0;  ///< characters that nobody sees and a model reads, taken out
};

struct Asked {
  Question question;
  std::string call;  ///< that waits for the answer
};

struct Answered {
  std::string question, text, choice, arguments;
  bool timed_out = false;
};

struct AgentOutput {
  std::string text, why;
  Outcome outcome = Outcome::kUnknown;
  std::uint64_t seen = 0;  ///< the newest event that it takes into account
  Witness by = Witness::kNobody;
  std::string verdict = {};  ///< what the verifier said, or why it said nothing
};

struct LimitReached {
  std::string limit, what;
  std::int64_t value = 0;
};

struct CompactedTo {
  std::string compaction;
  std::int64_t tokens_before = 0, tokens_after = 0;
};

/// What a run is told beside what was said in it: what a failed step teaches; the snapshot of what was learnt before,
/// and what of it does not hold any more; what its task leaves open.
struct LessonTold {
  std::string reflection, text;
  std::vector<std::string> rules, skills;  ///< that stand in `text`: "ID@VERSION"
  std::vector<std::string> withdrawn;      ///< of those told before, "ID@VERSION"
  std::vector<std::string> gaps;           ///< in words, that memory was asked about, and the user
  std::string skills_by = {};              ///< who chose the skills: "ranking", or a prompt and a model

  bool is_learnt() const { return !rules.empty() || !skills.empty() || !withdrawn.empty(); }
  bool empty() const { return text.empty() && !is_learnt() && gaps.empty(); }
};

struct Interrupted {
  std::string by, why;
};

struct ProgressTold {
  std::vector<std::string> done, remaining;
  std::string current;
};

struct SubAgent {
  std::string run, call, task, outcome, text;
};

WEFT_DESCRIBED(AgentLimits);
WEFT_DESCRIBED(AgentCommand);
WEFT_DESCRIBED(AgentTools);
WEFT_DESCRIBED(AgentTask);
WEFT_DESCRIBED(AgentRun);
WEFT_DESCRIBED(AgentAnswer);
WEFT_DESCRIBED(RunStarted);
WEFT_DESCRIBED(Said);
WEFT_DESCRIBED(ModelReplied);
WEFT_DESCRIBED(Intended);
WEFT_DESCRIBED(ToolAnswered);
WEFT_DESCRIBED(Asked);
WEFT_DESCRIBED(Answered);
WEFT_DESCRIBED(AgentOutput);
WEFT_DESCRIBED(LimitReached);
WEFT_DESCRIBED(CompactedTo);
WEFT_DESCRIBED(LessonTold);
WEFT_DESCRIBED(Interrupted);
WEFT_DESCRIBED(ProgressTold);
WEFT_DESCRIBED(SubAgent);

/// The tool with which the model ends a task.
inline constexpr std::string_view kEnd = "end";
/// What a call of it says of the task; kNone for another tool, and where it says nothing.
OutcomeClaim claim_of(std::string_view tool, const std::string& arguments);

/// The payload of an event; kCorrupt, naming the event, for what is not of its type.
template <Described T>
Result<T> payload_of(const BusEvent& event) {
  auto read = parse_record<T>(event.payload, "payload", {.max_bytes = event.payload.size() + 1});
  if (!read.ok()) return corrupt("event " + std::to_string(event.id) + ": " + read.error().message);
  return read;
}

std::string_view to_string(ToolEffects effects);  ///< "none", "keyed", "some"
ToolEffects effects_of(std::string_view word);    ///< "some" for what is none of them

/// A call of the newest answer of the model.
struct CallState {
  ToolCall call;                   ///< as the model wrote it; its id is the run's own
  std::optional<Intended> intent;  ///< written before it was made
  std::uint64_t intent_event = 0;
  std::optional<ToolAnswered> result;
  std::string question;  ///< id of the newest one that stands for it
};

/// A question that was asked in a run.
struct QuestionState {
  Asked asked;
  std::optional<Answered> answer;
  std::uint64_t event = 0;
};

/// What a run used so far.
struct RunUse {
  std::int64_t model_calls = 0, tool_calls = 0, tokens = 0;
  double ms = 0;                ///< of model and tools
  std::int64_t repeats = 0;     ///< of the same calls with the same results, up to the newest answer
  std::int64_t empty = 0;       ///< empty answers in a row, up to the newest
  std::int64_t broken = 0;      ///< answers in a row all of whose calls could not be made
  std::int64_t compactions = 0;
};

/// What a run is in, folded from its events and nothing else: the same events give the same state, wherever and
/// however often they are read. Messages stand as chat APIs want them: outputs behind their calls in the order of the
/// calls, and what a person says meanwhile behind them.
struct RunState {
  std::string run;  ///< id; not of the events
  RunStarted start;
  Time started, newest;
  std::uint64_t last = 0;  ///< number of the newest event
  std::vector<Message> messages;
  std::vector<std::pair<std::uint64_t, Message>> waiting;  ///< said by a person, not answered to yet
  std::vector<CallState> calls;  ///< of the newest answer; empty when all have their results
  std::map<std::string, QuestionState> questions;
  RunUse used;
  RunUse before;  ///< what was used when it ended last and a person said more: limits count from there
  ProgressTold progress;
  std::vector<LessonTold> learnt;  ///< what the run was told, in the order in which it was
  std::optional<LessonTold> gaps;    ///< what was found before the first model call
  std::vector<ErrorNote> notes;  ///< lessons of failed calls, and empty answers; the newest
  std::map<std::string, SubAgent> sub_agents;  ///< by their call
  std::string compaction;  ///< id of the newest whose summary stands in the prompts
  std::optional<LimitReached> limit;
  std::int64_t replies_after_limit = 0;
  std::optional<Interrupted> interrupted;
  bool answered = false;  ///< the newest answer is the final one
  OutcomeClaim claim = OutcomeClaim::kNone;  ///< the newest that the model made of the task
  std::optional<AgentOutput> output;  ///< set: it has ended

  /// Takes the next event. kCorrupt for one that cannot follow or says nothing of its type.
  Status apply(const BusEvent& event);

  bool ended() const { return output.has_value(); }
  bool calls_open() const { return !calls.empty(); }
  /// Null where there is none of that id.
  CallState* call(const std::string& id);
  /// Questions without an answer, oldest first.
  std::vector<const QuestionState*> open_questions() const;
  bool has_asked(const std::string& text) const;
  /// All that the next prompt tells: `messages` and what waits.
  std::vector<Message> told() const;
  /// The model's last words, empty where it said none.
  std::string last_words() const;

 private:
  Status apply_reply(const BusEvent& event);
  Status apply_result(const BusEvent& event);
  Status apply_rest(const BusEvent& event);
  void say(const BusEvent& event, Message message);
  void take_answer(const BusEvent& event, QuestionState& question, Answered answer);
  void close_calls();
  void note(ErrorNote note);

  ErrorNote failure_;  ///< the newest
  std::string signature_, outputs_;  ///< of the newest calls, and what calls of that signature gave before
};

/// The state of this run after all of these events.
Result<RunState> fold(std::string run, std::span<const BusEvent> events);

/// What became of a run, from its events: a step for each call, and one for each answer that is text alone. Events that
/// say nothing of their type are passed over. `calls`, unless null, gets the call of each step, empty for text.
TaskReport report_of(std::span<const BusEvent> events, std::vector<std::string>* calls = nullptr);

}  // namespace weft
