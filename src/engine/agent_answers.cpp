// What runs ask, and what they are told meanwhile.
#include <algorithm>

#include "base/log.h"
#include "engine/agents.h"
#include "engine/answers.h"
#include "engine/scope_request.h"

namespace weft {
namespace {

constexpr std::chrono::seconds kNoted{5};  // for a run to note what it has asked

}  // namespace

Result<AgentRun> Agents::answer(const RequestContext& request, const std::string& run, const AgentAnswer& answer) {
  WEFT_TRY(const SeenRun seen, streams_.look(request, run));
  std::vector<Question> open;
  streams_.open_questions(seen.state, open);
  if (answer.question.empty() && open.size() > 1)
    return invalid_argument("several questions are open: say which one is answered", "`weft agent show` lists them");
  const auto found = std::find_if(open.begin(), open.end(), [&](const Question& one) {
    return answer.question.empty() || one.id == answer.question;
  });
  if (found == open.end()) return not_found("the run " + run + " has no open question " + answer.question);
  WEFT_TRY(const Question answered, services_.questions->answer(request, found->id, answer.text, answer.arguments));
  (void)answered;
  return show(request, run);
}

Status Agents::take_answer(const Question& question, const Answered& answer) {
  const auto bus = streams_.open(question.run);
  // A question may name a run of somebody else's, or one that was erased: then nothing waits here.
  const bool is_elsewhere = core_.store->is_shared() && !bus.ok() && bus.error().code == ErrorCode::kNotFound;
  if (is_elsewhere)
    return unavailable("the run " + question.run + " belongs to another server",
                       "send the answer to the server that started it");
  if (!bus.ok()) return bus.error().code == ErrorCode::kNotFound ? Status() : Status(bus.error());
  // A run puts a question into the queue a moment before it notes it in its own stream.
  const Deadline patience = Deadline::after(kNoted);
  RunState state;
  for (bool may_come = true; may_come;) {
    may_come = active_.at_work(question.run);
    WEFT_TRY(state, fold(question.run, (*bus)->since(0)));
    may_come = may_come && !state.questions.contains(question.id) && (*bus)->wait_for_more(state.last, patience);
  }
  const auto asked = state.questions.find(question.id);
  if (state.start.owner != question.owner || asked == state.questions.end() || asked->second.answer) return {};
  WEFT_TRY(const BusEvent event, (*bus)->emit(BusEventType::kHumanResponse, to_json(answer)));
  (void)event;
  if (answer.timed_out) return {};
  WEFT_TRY(const std::string root, streams_.root_of(question.run));
  WEFT_TRY(const RequestContext request, request_of_scope(ScopeKey(question.owner)));
  WEFT_TRY(const SeenRun seen, streams_.look(request, root));
  if (seen.state.ended() || active_.at_work(root)) return {};
  // The answer is on disk. What cannot go on now is gone on with later.
  if (const Status launched = go_on(request, seen); !launched.ok() && launched.error().code != ErrorCode::kConflict)
    log_warning("agent", "run " + root + ": " + launched.error().message);
  return {};
}

}  // namespace weft
