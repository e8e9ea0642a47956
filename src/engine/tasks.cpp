#include "engine/tasks.h"

#include <algorithm>

#include "base/log.h"
#include "engine/engine_core.h"
#include "model/records.h"

namespace weft {
namespace {

constexpr const char* kTask = "task";
constexpr const char* kPreferences = "preferences";
constexpr const char* kOfScope = "default";
constexpr std::size_t kInMemory = 4096;

std::string key_of(const ScopeKey& scope, const char* kind, const std::string& id) {
  return std::to_string(scope.str().size()) + ":" + scope.str() + kind + "\n" + id;
}

// A step changes it: former versions tell nobody anything.
void add_version(const DocumentKey& key, std::int64_t version, const std::string& body, Time now, WriteBatch& batch) {
  batch.erased_documents.push_back(key);
  batch.documents.push_back({key.scope, key.kind, key.id, version, now, "user", body});
}

}  // namespace

Result<SessionTasks::Known> SessionTasks::read(const ScopeKey& scope, const char* kind, const std::string& id) {
  const std::string key = key_of(scope, kind, id);
  {
    auto known = known_.lock();
    if (const auto at = known->find(key); at != known->end()) return at->second;
  }
  WEFT_TRY(const auto row, store_.documents().newest(scope, kind, id));
  const Known found = row ? Known{row->version, row->body} : Known{};
  if (store_.is_shared()) return found;  // another program may change it at any time
  auto known = known_.lock();
  if (known->size() >= kInMemory) known->clear();
  // Somebody may have written meanwhile: the newer one counts.
  Known& kept = (*known)[key];
  if (kept.version <= found.version) kept = found;
  return kept;
}

Status SessionTasks::write(const ScopeKey& scope, const char* kind, const std::string& id, const std::string& body,
                           Time now) {
  WEFT_TRY(const Known known, read(scope, kind, id));
  if (known.body == body) return {};
  WriteBatch batch;
  add_version({scope, kind, id}, known.version + 1, body, now, batch);
  const Status written = store_.write(batch);
  auto all = known_.lock();
  if (written.ok() && !store_.is_shared())
    (*all)[key_of(scope, kind, id)] = {known.version + 1, body};
  else
    all->erase(key_of(scope, kind, id));
  return written;
}

Result<SessionTask> SessionTasks::task(const ScopeKey& scope, const SessionId& session) {
  WEFT_TRY(const Known known, read(scope, kTask, session.str()));
  if (known.body.empty()) return SessionTask{};
  return parse_session_task(known.body, "task");
}

Status SessionTasks::put(const ScopeKey& scope, const SessionId& session, SessionTask task, Time now) {
  if (task.empty()) return write(scope, kTask, session.str(), "", now);
  WEFT_TRY(const SessionTask before, this->task(scope, session));
  const bool same = !before.empty() && before.state.description == task.state.description;
  task.since = same ? before.since : format_time(now);
  return write(scope, kTask, session.str(), to_json(task), now);
}

Result<bool> SessionTasks::add_end(const ScopeKey& scope, const SessionId& session, Time now, WriteBatch& batch) {
  WEFT_TRY(const Known known, read(scope, kTask, session.str()));
  if (known.body.empty()) return false;
  add_version({scope, kTask, session.str()}, known.version + 1, "", now, batch);
  return true;
}

Result<std::vector<Preference>> SessionTasks::preferences(const ScopeKey& scope) {
  WEFT_TRY(const Known known, read(scope, kPreferences, kOfScope));
  if (known.body.empty()) return std::vector<Preference>();
  return parse_preferences(known.body, "preferences");
}

Status SessionTasks::put_preferences(const ScopeKey& scope, const std::vector<Preference>& preferences, Time now) {
  return write(scope, kPreferences, kOfScope, preferences.empty() ? "" : to_json(preferences), now);
}

void SessionTasks::forget(const ScopeKey& scope, const SessionId& session) {
  known_.lock()->erase(key_of(scope, kTask, session.str()));
}

void SessionTasks::forget() { known_.lock()->clear(); }

// What a session works on. Whoever makes its prompts, the task stands in them until it is ended.

namespace {

constexpr std::size_t kMostPreferences = 1000;
constexpr double kSure = 0.95;  // of a standing wish, in its speaker's own words

void add_new(std::vector<Preference>& to, const std::vector<Preference>& more) {
  for (const Preference& one : more) {
    const auto same = [&one](const Preference& known) { return known.text == one.text; };
    if (std::none_of(to.begin(), to.end(), same)) to.push_back(one);
  }
}

}  // namespace

Result<SessionTask> Tasks::task(const RequestContext& request, const SessionId& session) {
  WEFT_CHECK(check_id(session.str(), "session id"));
  return core_.tasks->task(request.scope.key(), session);
}

Status Tasks::put_task(const RequestContext& request, const SessionId& session, const SessionTask& task) {
  WEFT_CHECK(check_id(session.str(), "session id"));
  if (task.state.empty()) return invalid_argument("task: nothing is said of it", "give it a \"description\"");
  const auto pass = core_.erasure_gate.call(request.scope.key());  // what is erased meanwhile must not come back
  return core_.tasks->put(request.scope.key(), session, task, core_.clock->now());
}

Result<bool> Tasks::end_task(const RequestContext& request, const SessionId& session) {
  WEFT_TRY(const SessionTask known, task(request, session));
  if (known.empty()) return false;
  const auto pass = core_.erasure_gate.call(request.scope.key());
  WEFT_CHECK(core_.tasks->put(request.scope.key(), session, {}, core_.clock->now()));
  core_.described_tools.lock()->erase(prompt_key(request.scope.key(), session));
  return true;
}

Result<std::vector<Preference>> Tasks::preferences(const RequestContext& request) {
  WEFT_TRY(auto all, core_.tasks->preferences(request.scope.key()));
  add_new(all, learned_preferences(request));
  return all;
}

Status Tasks::put_preferences(const RequestContext& request, const std::vector<Preference>& preferences) {
  if (preferences.size() > kMostPreferences)
    return too_large("preferences: " + std::to_string(preferences.size()) + " of them",
                     "at most " + std::to_string(kMostPreferences) + " are kept");
  const auto pass = core_.erasure_gate.call(request.scope.key());
  return core_.tasks->put_preferences(request.scope.key(), preferences, core_.clock->now());
}

// What the caller says of the task goes on from what is known of it, and is kept for the calls to come, by whatever way
// they are made.
Result<SessionTask> Tasks::task_for(const RequestContext& request, const SessionId& session,
                                    const ContextRequest& what) {
  const ScopeKey scope = request.scope.key();
  WEFT_TRY(SessionTask task, core_.tasks->task(scope, session));
  if (!what.task.empty()) {
    if (!what.task.description.empty() && what.task.description != task.state.description) task.preferences.clear();
    task.state = merged(task.state, what.task);
    if (!what.preferences.empty()) task.preferences = what.preferences;
    const Status kept = put_task(request, session, task);
    // The prompt is whole without it; the next call that names the task tries again.
    if (!kept.ok()) log_warning("context.task", kept.error().message);
  }
  std::vector<Preference> all = what.preferences;
  add_new(all, task.preferences);
  WEFT_TRY(const auto of_scope, core_.tasks->preferences(scope));
  add_new(all, of_scope);
  add_new(all, learned_preferences(request));
  task.preferences = std::move(all);
  return task;
}

// In a group each speaker's wishes are their own.
std::vector<Preference> Tasks::learned_preferences(const RequestContext& request) {
  std::vector<Preference> learned;
  if (!core_.config.cognitive.learn_in_passing || !core_.remembers(request.scope.key())) return learned;
  const auto sender = request.scope.is_group() ? std::optional(request.scope.user()) : std::nullopt;
  if (sender && sender->empty()) return learned;
  for (const KnownFact& wish : core_.facts->wishes(request.scope.key(), sender))
    learned.push_back({wish.quote, kSure, {}});
  const auto believed = beliefs_.preferences(request.scope.key().str(), learned);
  if (!believed.ok()) log_warning("beliefs.read", believed.error().message);  // the prompt is whole without them
  add_new(learned, believed.value_or({}));
  return learned;
}

}  // namespace weft
