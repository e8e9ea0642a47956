#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "agent/run_events.h"
#include "agent/tool.h"
#include "weft/task.h"

namespace weft {

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

}  // namespace weft
