#include "engine/session_tasks.h"

#include "model/session_task.h"

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

void SessionTasks::forget() { known_.lock()->clear(); }

}  // namespace weft
