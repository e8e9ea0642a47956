// What runs ask, and what they are told meanwhile.
#include <algorithm>

#include "base/log.h"
#include "engine/agents.h"
#include "engine/scope_request.h"

namespace weft {

// What a sub-agent asks is asked by the run that started it.
bool Agents::add_questions(const RunState& state, std::vector<Question>& into) {
  bool waits = false;
  if (state.ended()) return waits;
  for (const QuestionState* one : state.open_questions()) {
    into.push_back(one->asked.question);
    waits = waits || !one->asked.call.empty();
  }
  for (const auto& [call, sub] : state.sub_agents) {
    if (!sub.outcome.empty()) continue;
    const auto bus = bus_of(sub.run, false);
    if (!bus.ok()) continue;
    if (const auto below = fold(sub.run, (*bus)->since(0)); below.ok()) waits = add_questions(*below, into) || waits;
  }
  return waits;
}

Result<AgentRun> Agents::answer(const RequestContext& request, const std::string& run, const AgentAnswer& answer) {
  WEFT_TRY(const Seen seen, look(request, run));
  std::vector<Question> open;
  add_questions(seen.state, open);
  if (answer.question.empty() && open.size() > 1)
    return invalid_argument("several questions are open: say which one is answered", "`weft agent show` lists them");
  const auto found = std::find_if(open.begin(), open.end(), [&](const Question& one) {
    return answer.question.empty() || one.id == answer.question;
  });
  if (found == open.end()) return not_found("the run " + run + " has no open question " + answer.question);
  WEFT_TRY(const Question answered, desk_->answer(request, found->id, answer.text, answer.arguments));
  (void)answered;
  return show(request, run);
}

// A sub-agent works on the thread of the run that started it.
Result<std::string> Agents::root_of(const std::string& run) {
  WEFT_TRY(const auto bus, bus_of(run, false));
  WEFT_TRY(const RunState state, fold(run, bus->since(0)));
  return state.start.parent.empty() ? Result<std::string>(run) : root_of(state.start.parent);
}

Status Agents::take_answer(const Question& question, const Answered& answer) {
  const auto bus = bus_of(question.run, false);
  // A question may name a run of somebody else's, or one that was erased: then nothing waits here.
  if (!bus.ok()) return bus.error().code == ErrorCode::kNotFound ? Status() : Status(bus.error());
  WEFT_TRY(const RunState state, fold(question.run, (*bus)->since(0)));
  const auto asked = state.questions.find(question.id);
  if (state.start.owner != question.owner || asked == state.questions.end() || asked->second.answer) return {};
  WEFT_TRY(const BusEvent event, (*bus)->emit(BusEventType::kHumanResponse, to_json(answer)));
  (void)event;
  if (answer.timed_out) return {};
  WEFT_TRY(const std::string root, root_of(question.run));
  WEFT_TRY(const RequestContext request, request_of_scope(ScopeKey(question.owner)));
  WEFT_TRY(const Seen seen, look(request, root));
  if (seen.state.ended() || at_work(root)) return {};
  // The answer is on disk. What cannot go on now is gone on with later.
  if (const Status launched = launch(request, seen); !launched.ok() && launched.error().code != ErrorCode::kConflict)
    log_warning("agent", "run " + root + ": " + launched.error().message);
  return {};
}

void Agents::tell_lesson(const std::string& run, const LessonTold& lesson) {
  if (!at_work(run)) return;
  const auto bus = bus_of(run, false);
  if (!bus.ok()) return;
  if (const auto told = (*bus)->emit(BusEventType::kLesson, to_json(lesson)); !told.ok())
    log_warning("agent", "run " + run + ": " + told.error().message);
}

}  // namespace weft
