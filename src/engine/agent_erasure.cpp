// Forgetting in runs: their streams, outputs that were kept whole, and files that they wrote.
#include <algorithm>

#include "agent/redact_run.h"
#include "agent/work_folder.h"
#include "base/log.h"
#include "base/strings.h"
#include "engine/agents.h"
#include "engine/engine_core.h"
#include "model/scope_key.h"
#include "ports/files/file_system.h"

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
Status Agents::hold(const ScopeKey& scope, const EraseRequest& what) {
  std::map<std::string, std::shared_ptr<Active>> active;
  {
    const std::lock_guard lock(mutex_);
    held_[scope];
    active = active_;
  }
  std::vector<std::string> stopped;
  for (const auto& [run, one] : active) {
    const auto bus = bus_of(run, false);
    if (one->done || !bus.ok()) continue;
    const auto state = fold(run, (*bus)->since(0));
    if (!state.ok() || state->start.owner != scope.str() || !may_concern(run, what)) continue;
    one->stop.source.request_stop();
    if (state->start.parent.empty()) stopped.push_back(run);
    const Deadline patience = Deadline::after(kPatience);
    while (!one->done && !patience.passed()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (!one->done) return timed_out("erase: the run " + run + " does not stop", "try again when it has ended");
  }
  const std::lock_guard lock(mutex_);
  held_[scope] = std::move(stopped);
  return {};
}

// Those that stood still for it go on, unless it has ended them.
void Agents::let_go(const ScopeKey& scope) {
  std::vector<std::string> stopped;
  {
    const std::lock_guard lock(mutex_);
    stopped = std::move(held_[scope]);
    held_.erase(scope);
  }
  const ScopeParts parts = parts_of_scope(scope);
  const auto whose = parts.group.empty() ? Scope::of_user(parts.user) : Scope::of_group(parts.group);
  if (!whose.ok()) return;
  const RequestContext request{*whose, {}, {}};
  for (const std::string& run : stopped) {
    const auto seen = look(request, run);
    if (!seen.ok() || seen->state.ended()) continue;
    if (const Status launched = launch(request, *seen); !launched.ok())
      log_warning("agent", "run " + run + ": " + launched.error().message);
  }
}

std::vector<std::string> Agents::all_runs() const {
  std::vector<std::string> ids;
  const auto files = disk().list(path_of("x").parent_path());
  if (files.ok())
    for (const auto& path : *files)
      if (path.extension() == ".jsonl") ids.push_back(path.stem().string());
  return ids;
}

// A fork begins with the words of another run, which may be a fork itself.
Agents::Origins Agents::origins() {
  std::map<std::string, std::string> forked_from;
  for (const std::string& run : all_runs()) {
    const auto bus = bus_of(run, false);
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
Result<std::vector<BusEvent>> Agents::events_of(const std::string& run, const std::string& owner) {
  WEFT_TRY(const auto bus, bus_of(run, false));
  auto events = bus->since(0);
  if (events.empty()) return events;
  const auto start = payload_of<RunStarted>(events.front());
  if (!start.ok() || start->owner != owner) events.clear();
  return events;
}

Status Agents::erase(const ErasedMessages& gone) {
  Origins from = origins();
  for (const std::string& run : all_runs()) {
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

std::set<std::string> Agents::questions_of(const ErasedMessages& gone) {
  std::set<std::string> questions;
  Origins from = origins();
  for (const std::string& run : all_runs()) {
    const auto events = events_of(run, gone.scope.str());
    if (!events.ok() || events->empty()) continue;
    const auto redacted = redact_run(run, *events, redaction_of(run, *events, from[run], gone));
    questions.insert(redacted.questions.begin(), redacted.questions.end());
  }
  return questions;
}

Status Agents::erase_in_run(const std::string& run, const std::vector<BusEvent>& events,
                            const std::vector<std::string>& origins, const ErasedMessages& gone) {
  const RunRedaction redaction = redaction_of(run, events, origins, gone);
  const RedactedRun left = redact_run(run, events, redaction);
  if (left.nothing_left) return remove_run(run, events, gone);
  if (!left.changed) return {};
  for (const std::string& handle : left.handles) WEFT_CHECK(results_.remove(run, handle));
  WEFT_CHECK(remove_files(left.files, gone));
  std::string text;
  for (const BusEvent& event : left.events) text += to_json(event) + "\n";
  {
    const std::lock_guard lock(mutex_);
    buses_.erase(run);  // who holds it still has what was there
  }
  WEFT_CHECK(write_file(disk(), path_of(run), text, true));
  WEFT_TRY(const auto anew, bus_of(run, false));
  WEFT_TRY(const RunState state, fold(run, anew->since(0)));
  if (state.ended()) return {};
  // What it would go on from is not there any more. Who says something to it begins anew.
  const AgentOutput end{"", "words of it were erased", Outcome::kUnknown, state.last};
  WEFT_TRY(const BusEvent ended, anew->emit(BusEventType::kAgentOutput, to_json(end)));
  (void)ended;
  return {};
}

// The stream last, so that what is interrupted is found again by it.
Status Agents::remove_run(const std::string& run, const std::vector<BusEvent>& events, const ErasedMessages& gone) {
  RunRedaction all;
  all.goes = [](const std::string&) { return true; };
  all.repeats = [](std::string_view) { return true; };
  WEFT_CHECK(remove_files(redact_run(run, events, all).files, gone));
  WEFT_CHECK(results_.remove_all(run));
  WEFT_CHECK(endings_.clear(run));
  {
    const std::lock_guard lock(mutex_);
    buses_.erase(run);
  }
  WEFT_CHECK(disk().remove(path_of(run)));
  return disk().sync_folder(path_of(run).parent_path());
}

// A file that holds what a run wrote goes with the run's words. One that somebody has changed since, and in which none
// of the words stand, is theirs.
Status Agents::remove_files(const std::vector<std::pair<std::string, std::string>>& written,
                            const ErasedMessages& gone) {
  if (written.empty()) return {};
  WEFT_TRY(const WorkFolder folder, WorkFolder::open(work_folder()));
  for (const auto& [path, content] : written) {
    const auto now = folder.read(path, kMostBytes);
    if (now.ok() && (*now == content || gone.repeats(*now))) WEFT_CHECK(folder.remove(path));
  }
  return {};
}

}  // namespace weft
