#include "engine/run_eraser.h"

#include <algorithm>

#include "agent/redact_run.h"
#include "base/guarded.h"
#include "base/log.h"
#include "base/threads.h"
#include "engine/engine_core.h"
#include "engine/scope_request.h"

namespace weft {
namespace {

constexpr std::chrono::seconds kPatience{60};
constexpr std::size_t kMostBytes = std::size_t{64} << 20;

// Whether a run may hold what is to be erased, before it is known what that is.
bool may_concern(const std::string& run, const EraseRequest& what) {
  if (what.everything || what.before) return true;
  if (!what.session.empty()) return what.session.str() == run;
  return std::any_of(what.messages.begin(), what.messages.end(),
                     [&](const MessageId& id) { return id.str().starts_with(run + "."); });
}

RunRedaction redaction_of(const std::string& run, const std::vector<BusEvent>& events,
                          const std::vector<std::string>& origins, const ErasedMessages& gone) {
  RunRedaction redaction;
  redaction.repeats = gone.repeats;
  redaction.goes = [&run, &events, &origins, &gone](const std::string& message) {
    if (gone.has(SessionId(run), message)) return true;
    for (const std::string& origin : origins)
      if (gone.has(SessionId(origin), origin + message.substr(run.size()))) return true;
    if (!gone.before) return false;
    const auto number = static_cast<std::size_t>(std::atoll(message.c_str() + run.size() + 1));
    return number >= 1 && number <= events.size() && events[number - 1].time < *gone.before;
  };
  return redaction;
}

}  // namespace

// Before the erasure has the scope to itself: a loop that waits for it could not end.
Status RunEraser::hold(const ScopeKey& scope, const EraseRequest& what) {
  std::vector<std::string> stopped;
  const AtEnd keep([&] { active_.keep_still(scope, std::move(stopped)); });
  for (const auto& [run, one] : active_.close(scope)) {
    const auto bus = streams_.open(run);
    if (one->done || !bus.ok()) continue;
    const auto state = fold(run, (*bus)->since(0));
    if (!state.ok() || state->start.owner != scope.str() || !may_concern(run, what)) continue;
    one->stop.source.request_stop();
    if (state->start.parent.empty()) stopped.push_back(run);
    if (!one->comes_back(kPatience))
      return timed_out("erase: the run " + run + " does not stop", "try again when it has ended");
  }
  return {};
}

// Those that stood still for it go on, unless it has ended them.
void RunEraser::let_go(const ScopeKey& scope) {
  const std::vector<std::string> stopped = active_.open(scope);
  const auto request = request_of_scope(scope);
  if (!request.ok()) return;
  for (const std::string& run : stopped) {
    const Status launched = guarded("going on", [&]() -> Status {
      const auto seen = streams_.look(*request, run);
      return !seen.ok() || seen->state.ended() ? Status() : agents_.go_on(*request, *seen);
    });
    if (!launched.ok()) log_warning("agent", "run " + run + ": " + launched.error().message);
  }
}

// A fork begins with the words of another run, which may be a fork itself.
RunEraser::Origins RunEraser::origins() {
  std::map<std::string, std::string> forked_from;
  for (const std::string& run : streams_.all()) {
    const auto bus = streams_.open(run);
    if (!bus.ok() || (*bus)->last() == 0) continue;
    const auto start = payload_of<RunStarted>((*bus)->since(0).front());
    if (start.ok() && !start->forked_from.empty())
      forked_from[run] = start->forked_from.substr(0, start->forked_from.find('@'));
  }
  Origins origins;
  for (const auto& [run, from] : forked_from)
    for (auto at = forked_from.find(run); at != forked_from.end() && origins[run].size() <= forked_from.size();
         at = forked_from.find(at->second))
      origins[run].push_back(at->second);
  return origins;
}

// None of another owner's run, and of one in which nothing was said yet. Of a stream that cannot be followed the
// beginning still says whose it is.
Result<std::vector<BusEvent>> RunEraser::events_of(const std::string& run, const std::string& owner) {
  WEFT_TRY(const auto bus, streams_.open(run));
  auto events = bus->since(0);
  if (events.empty()) return events;
  const auto start = payload_of<RunStarted>(events.front());
  if (!start.ok() || start->owner != owner) events.clear();
  return events;
}

Status RunEraser::erase(const ErasedMessages& gone) {
  Origins from = origins();
  for (const std::string& run : streams_.all()) {
    const auto events = events_of(run, gone.scope.str());
    if (!events.ok()) log_warning("erase.run", run + ": " + events.error().message);
    if (!events.ok() || events->empty()) continue;
    if (gone.everything)
      WEFT_CHECK(remove_run(run, *events, gone));
    else
      WEFT_CHECK(erase_in_run(run, *events, from[run], gone));
  }
  return {};
}

std::set<std::string> RunEraser::questions_of(const ErasedMessages& gone) {
  std::set<std::string> questions;
  Origins from = origins();
  for (const std::string& run : streams_.all()) {
    const auto events = events_of(run, gone.scope.str());
    if (!events.ok() || events->empty()) continue;
    const auto redacted = redact_run(run, *events, redaction_of(run, *events, from[run], gone));
    questions.insert(redacted.questions.begin(), redacted.questions.end());
  }
  return questions;
}

Status RunEraser::erase_in_run(const std::string& run, const std::vector<BusEvent>& events,
                               const std::vector<std::string>& origins, const ErasedMessages& gone) {
  const RunRedaction redaction = redaction_of(run, events, origins, gone);
  const RedactedRun left = redact_run(run, events, redaction);
  if (left.nothing_left) return remove_run(run, events, gone);
  if (!left.changed) return {};
  for (const std::string& handle : left.handles) WEFT_CHECK(streams_.results().remove(run, handle));
  WEFT_CHECK(remove_files(left.files, gone));
  WEFT_CHECK(streams_.rewrite(run, left.events));
  WEFT_TRY(const auto anew, streams_.open(run));
  WEFT_TRY(const RunState state, fold(run, anew->since(0)));
  if (state.ended()) return {};
  // What it would go on from is not there any more. Who says something to it begins anew.
  const AgentOutput end{"", "words of it were erased", Outcome::kUnknown, state.last};
  WEFT_TRY(const BusEvent ended, anew->emit(BusEventType::kAgentOutput, to_json(end)));
  (void)ended;
  return {};
}

// Files before the stream, which names them.
Status RunEraser::remove_run(const std::string& run, const std::vector<BusEvent>& events, const ErasedMessages& gone) {
  RunRedaction all;
  all.goes = [](const std::string&) { return true; };
  all.repeats = [](std::string_view) { return true; };
  WEFT_CHECK(remove_files(redact_run(run, events, all).files, gone));
  return streams_.remove(run);
}

// A file that holds what a run wrote goes with the run's words. One that somebody has changed since, and in which none
// of the words stand, is theirs.
Status RunEraser::remove_files(const std::vector<std::pair<std::string, std::string>>& written,
                               const ErasedMessages& gone) {
  if (written.empty()) return {};
  WEFT_TRY(const WorkFolder folder, WorkFolder::open(kit_.work_folder()));
  for (const auto& [path, content] : written) {
    const auto now = folder.read(path, kMostBytes);
    if (now.ok() && (*now == content || gone.repeats(*now))) WEFT_CHECK(folder.remove(path));
  }
  return {};
}

}  // namespace weft
