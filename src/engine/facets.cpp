// Facets of sessions, memory, profiles, stories, watching and upkeep: each function calls the service of its subject.
#include <utility>

#include "engine/engine_impl.h"
#include "weft/facets/state.h"
#include "weft/facets/story.h"

namespace weft {
namespace {

// The profile that is meant: the scope's own, unless another one is named.
EntityKey named(const RequestContext& request, const std::optional<EntityKey>& of) {
  if (of) return *of;
  const Scope& scope = request.scope;
  return scope.is_group() ? EntityKey{EntityType::kGroup, scope.group().str()}
                          : EntityKey{EntityType::kUser, scope.user().str()};
}

// Who calls a session: of an id that is none each call returns why.
Caller calling(const Caller& caller, const SessionId& session) {
  const Status fine = check_id(session.str(), "session id");
  return fine.ok() || !caller.request().ok() ? caller : Caller(Result<Scope>(fine.error()));
}

}  // namespace

Status Facet::follow(const RequestContext& request) const { return services_->follower->follow(request); }

Session Engine::session(const Caller& caller, std::string_view id) const {
  return session(caller, SessionId(std::string(id)));
}
Session Engine::session(const Caller& caller, SessionId id) const {
  return {services(), calling(caller, id), std::move(id)};
}
Memory Engine::memory(const Caller& caller) const { return {services(), caller}; }
ScopeProfiles Engine::profiles(const Caller& caller) const { return {services(), caller}; }
State Engine::state(const Caller& caller, std::string_view name) const {
  return {services(), caller, std::string(name)};
}
Story Engine::story(const Caller& caller) const { return {services(), caller}; }
AgentRuns Engine::agents(const Caller& caller) const { return {services(), caller}; }
Upkeep Engine::upkeep() const { return Upkeep(services()); }

EngineStatus Engine::status() const { return services().operations->status(); }
Status Engine::drain(std::chrono::milliseconds limit) const { return services().operations->drain(limit); }
Status Engine::wait_ready(std::chrono::milliseconds limit) const { return services().operations->wait_ready(limit); }

using Request = RequestContext;

// A session.

Result<ObserveReport> Session::observe(std::span<const Message> messages) const {
  return call([&](const Services& in, const Request& request) { return in.streams->observe(request, id_, messages); });
}
Result<ObserveReport> Session::observe(std::initializer_list<Message> messages) const {
  return observe(std::span(messages.begin(), messages.size()));
}
Result<ObserveReport> Session::observe(const Message& message) const { return observe(std::span(&message, 1)); }
Result<SyncReport> Session::sync(std::span<const Message> history) const {
  return call([&](const Services& in, const Request& request) { return in.streams->sync(request, id_, history); });
}
Result<ObserveReport> Session::save() const {
  return call([&](const Services& in, const Request& request) { return in.streams->save(request, id_); });
}
Result<WovenContext> Session::context(const ContextRequest& what) const {
  return call([&](const Services& in, const Request& request) { return in.prompts->context(request, id_, what); });
}
Result<WovenContext> Session::context(std::string_view input) const {
  ContextRequest what;
  what.input = input;
  return context(what);
}
Result<std::string> Session::standing_text() const {
  return call([&](const Services& in, const Request& request) -> Result<std::string> {
    return in.prompts->standing_text(request, id_);
  });
}
Result<EndReport> Session::end(const EndRequest& what) const {
  return call([&](const Services& in, const Request& request) { return in.ends->end(request, id_, what); });
}
Result<std::vector<StoredMessage>> Session::history(std::size_t limit, std::int64_t before) const {
  return call(
      [&](const Services& in, const Request& request) { return in.search->history(request, id_, limit, before); });
}
Result<SessionTask> Session::task() const {
  return call([&](const Services& in, const Request& request) { return in.tasks->task(request, id_); });
}
Status Session::set_task(const SessionTask& task) const {
  return call([&](const Services& in, const Request& request) { return in.tasks->put_task(request, id_, task); });
}
Result<bool> Session::end_task() const {
  return call([&](const Services& in, const Request& request) { return in.tasks->end_task(request, id_); });
}
Result<Compaction> Session::compact(const CompactRequest& what) const {
  return call([&](const Services& in, const Request& request) { return in.compactions->compact(request, id_, what); });
}
Result<std::vector<Compaction>> Session::compactions() const {
  return call([&](const Services& in, const Request& request) { return in.compactions->compactions(request, id_); });
}
Result<Compaction> Session::undo_compaction() const {
  return call(
      [&](const Services& in, const Request& request) { return in.compactions->undo_compaction(request, id_); });
}

// Memory.

Result<SearchResult> Memory::search(const SearchRequest& what) const {
  return call([&](const Services& in, const Request& request) { return in.search->search(request, what); });
}
Result<SearchResult> Memory::search(std::string_view query, std::size_t top_k) const {
  SearchRequest what;
  what.query = query;
  what.top_k = top_k;
  return search(what);
}
Result<std::vector<Item>> Memory::items(ItemKind kind, std::size_t limit) const {
  return call([&](const Services& in, const Request& request) { return in.search->items(request, kind, limit); });
}
Result<ItemsPage> Memory::items(const ItemsWanted& what) const {
  return call([&](const Services& in, const Request& request) { return in.search->items(request, what); });
}
Result<std::vector<StoredMessage>> Memory::originals(std::span<const MessageId> ids) const {
  return call([&](const Services& in, const Request& request) { return in.search->originals(request, ids); });
}
Result<std::vector<StoredMessage>> Memory::branch_to(const MessageId& id) const {
  return call([&](const Services& in, const Request& request) { return in.search->branch_to(request, id); });
}
Result<SessionId> Memory::session_of(std::span<const Message> history, std::span<const SessionId> busy) const {
  return call(
      [&](const Services& in, const Request& request) { return in.streams->conversation_of(request, history, busy); });
}
Result<std::vector<Preference>> Memory::preferences() const {
  return call([](const Services& in, const Request& request) { return in.tasks->preferences(request); });
}
Status Memory::set_preferences(const std::vector<Preference>& preferences) const {
  return call(
      [&](const Services& in, const Request& request) { return in.tasks->put_preferences(request, preferences); });
}
Result<EndReport> Memory::import_summary(const std::string& summary, std::optional<Time> time,
                                         const std::string& place) const {
  return call([&](const Services& in, const Request& request) {
    return in.ends->import_summary(request, summary, time, place);
  });
}
Result<EraseReceipt> Memory::erase(const EraseRequest& what) const {
  return call([&](const Services& in, const Request& request) { return in.erasure->erase(request, what); });
}
Result<std::vector<GroupTrace>> Memory::group_traces() const {
  return call([](const Services& in, const Request& request) { return in.erasure->group_traces(request); });
}
Result<std::vector<EraseReceipt>> Memory::erase_in_groups() const {
  return call([](const Services& in, const Request& request) { return in.erasure->erase_in_groups(request); });
}
Status Memory::export_to(const std::function<Status(std::string_view line)>& take) const {
  return call([&](const Services& in, const Request& request) { return in.operations->export_scope(request, take); });
}

Result<KnowledgeFile> Memory::knowledge() const {
  return call([](const Services& in, const Request& request) { return in.knowledge->knowledge(request); });
}
Result<KnowledgeAdded> Memory::add_knowledge(const KnowledgeEntry& entry) const {
  return call([&](const Services& in, const Request& request) { return in.knowledge->add_knowledge(request, entry); });
}
Result<KnowledgeFile> Memory::write_knowledge(const std::string& text, bool force) const {
  return call(
      [&](const Services& in, const Request& request) { return in.knowledge->write_knowledge(request, text, force); });
}
Result<KnowledgeEntry> Memory::confirm_knowledge(const std::string& text) const {
  return call(
      [&](const Services& in, const Request& request) { return in.knowledge->confirm_knowledge(request, text); });
}
Result<std::vector<std::string>> Memory::days() const {
  return call([](const Services& in, const Request& request) { return in.days->days(request); });
}
Result<Day> Memory::day(const std::string& date) const {
  return call([&](const Services& in, const Request& request) { return in.days->day(request, date); });
}

// Profiles.

Result<Profile> ScopeProfiles::read(const std::optional<EntityKey>& of) const {
  return call(
      [&](const Services& in, const Request& request) { return in.profiles->profile(request, named(request, of)); });
}
Result<Profile> ScopeProfiles::write(const std::string& body, const std::optional<EntityKey>& of) const {
  return call([&](const Services& in, const Request& request) {
    return in.profiles->write_profile(request, named(request, of), body);
  });
}
Result<std::vector<ProfileVersion>> ScopeProfiles::history(const std::optional<EntityKey>& of) const {
  return call([&](const Services& in, const Request& request) {
    return in.profiles->profile_history(request, named(request, of));
  });
}
Result<Profile> ScopeProfiles::version(std::uint64_t version, const std::optional<EntityKey>& of) const {
  return call([&](const Services& in, const Request& request) {
    return in.profiles->profile_version(request, named(request, of), version);
  });
}
Result<Profile> ScopeProfiles::roll_back(std::uint64_t version, const std::optional<EntityKey>& of) const {
  return call([&](const Services& in, const Request& request) {
    return in.profiles->roll_back_profile(request, named(request, of), version);
  });
}
Result<std::string> ScopeProfiles::path(const std::optional<EntityKey>& of) const {
  return call([&](const Services& in, const Request& request) {
    return in.profiles->profile_path(request, named(request, of));
  });
}

// The workspace.

Result<std::vector<JobInfo>> Upkeep::jobs() const { return services_->operations->jobs(); }
Status Upkeep::retry(const JobId& job) const { return services_->operations->retry(job); }
Result<std::size_t> Upkeep::retry_failed() const { return services_->operations->retry_failed(); }
Result<std::size_t> Upkeep::purge_failed(const JobId& job) const { return services_->operations->purge_failed(job); }
Result<BackupReport> Upkeep::backup(const std::string& folder) const { return services_->operations->backup(folder); }
Result<RepairReport> Upkeep::repair_events(bool dry_run) const { return services_->operations->repair_events(dry_run); }
Result<EraseCheck> Upkeep::verify_erasure(const std::string& receipt_id) const {
  return services_->erasure->verify_erasure(receipt_id);
}
Result<std::vector<ProfileSummary>> Upkeep::profiles(EntityType type) const {
  return services_->profiles->list_profiles(type);
}
std::string Upkeep::metrics_text(bool names) const { return services_->operations->metrics_text(names); }
std::shared_ptr<void> Upkeep::also_tell(std::function<std::string()> text) const {
  Operations* const operations = services_->operations;
  const std::uint64_t number = operations->add_metrics(std::move(text));
  return {operations, [number](Operations* from) { from->remove_metrics(number); }};
}
void Upkeep::note_model_call(const ModelCall& call) const { services_->usage->note_model_call(call); }
Result<std::vector<UsageRow>> Upkeep::usage(const UsageQuery& query) const { return services_->usage->usage(query); }

Result<StateView> State::read(std::int64_t version) const {
  return call([&](const Services& in, const Request& request) { return in.states->state(request, name_, version); });
}
Result<Value> State::get(std::string_view path) const {
  return call([&](const Services& in, const Request& request) { return in.states->state_value(request, name_, path); });
}
Result<StateView> State::apply(const StateOps& operations) const { return apply(operations.change()); }
Result<StateView> State::apply(const StateChange& change) const {
  return call(
      [&](const Services& in, const Request& request) { return in.states->apply_state(request, name_, change); });
}
Result<StateView> State::put(const Value& tree, const std::string& author) const {
  return put_json(to_json(tree), author);
}
Result<StateView> State::put_json(const std::string& json, const std::string& author) const {
  return call(
      [&](const Services& in, const Request& request) { return in.states->put_state(request, name_, json, author); });
}
Result<std::vector<StateVersion>> State::log(std::size_t limit, std::int64_t before) const {
  return call(
      [&](const Services& in, const Request& request) { return in.states->state_log(request, name_, limit, before); });
}
Result<StateView> State::roll_back(std::int64_t version, const std::string& author) const {
  return call([&](const Services& in, const Request& request) {
    return in.states->roll_back_state(request, name_, version, author);
  });
}
Result<std::string> State::schema() const {
  return call([&](const Services& in, const Request& request) { return in.states->state_schema(request, name_); });
}
Status State::set_schema(const Value& schema, const std::string& author) const {
  return set_schema_json(schema.is_null() ? std::string() : to_json(schema), author);
}
Status State::set_schema_json(const std::string& schema, const std::string& author) const {
  return call([&](const Services& in, const Request& request) {
    return in.states->put_state_schema(request, name_, schema, author);
  });
}

Result<std::vector<Quest>> Story::quests() const {
  return call([](const Services& in, const Request& request) { return in.quests->quests(request); });
}
Result<std::vector<Quest>> Story::put_quest(const Quest& quest) const {
  return call([&](const Services& in, const Request& request) { return in.quests->put_quest(request, quest); });
}
Result<std::vector<Quest>> Story::import_quests(const std::string& text, const std::string& file) const {
  return call(
      [&](const Services& in, const Request& request) { return in.quests->import_quests(request, text, file); });
}
Result<std::vector<Quest>> Story::move_quest(const std::string& id, QuestStatus status, const std::string& note) const {
  return call(
      [&](const Services& in, const Request& request) { return in.quests->move_quest(request, id, status, note); });
}
Result<std::vector<Quest>> Story::remove_quest(const std::string& id) const {
  return call([&](const Services& in, const Request& request) { return in.quests->delete_quest(request, id); });
}

Result<std::vector<LoreEntry>> Story::lore() const {
  return call([](const Services& in, const Request& request) { return in.lore->lore(request); });
}
Result<LoreEntry> Story::put_lore(const LoreEntry& entry) const {
  return call([&](const Services& in, const Request& request) { return in.lore->put_lore(request, entry); });
}
Result<LoreReport> Story::import_lore(const std::string& bytes, const std::string& file) const {
  return call([&](const Services& in, const Request& request) { return in.lore->import_lore(request, bytes, file); });
}
Result<std::size_t> Story::remove_lore(const std::string& id) const {
  return call([&](const Services& in, const Request& request) -> Result<std::size_t> {
    WEFT_CHECK(check_id(id, "lore id"));
    return in.lore->delete_lore(request, id, {});
  });
}
Result<std::size_t> Story::remove_lore_file(const std::string& file) const {
  return call([&](const Services& in, const Request& request) { return in.lore->delete_lore(request, {}, file); });
}

Watch Engine::watch(const Caller& caller) const { return {services(), caller}; }

Result<std::vector<SessionSummary>> Watch::sessions(std::size_t limit) const {
  WEFT_TRY(auto page, sessions({}, limit));
  return std::move(page.sessions);
}
Result<SessionsPage> Watch::sessions(const SessionsPlace& from, std::size_t limit) const {
  return call([&](const Services& in, const Request& request) { return in.watch->sessions(request, from, limit); });
}
Result<WatchedTurns> Watch::turns(const SessionId& session, std::size_t limit, std::int64_t before) const {
  return call(
      [&](const Services& in, const Request& request) { return in.watch->turns(request, session, limit, before); });
}
Result<std::vector<PastContext>> Watch::contexts(const SessionId& session, std::size_t limit,
                                                 std::uint64_t before) const {
  return call(
      [&](const Services& in, const Request& request) { return in.watch->contexts(request, session, limit, before); });
}
Result<std::vector<Happening>> Watch::happenings(std::uint64_t since, std::chrono::milliseconds wait,
                                                 std::stop_token stop) const {
  return call(
      [&](const Services& in, const Request& request) { return in.watch->happenings(request, since, wait, stop); });
}
Result<std::uint64_t> Watch::follow(std::uint64_t since, std::function<void(const Happening&)> tell) const {
  return call([&](const Services& in, const Request& request) -> Result<std::uint64_t> {
    return in.watch->follow(request, since, std::move(tell));
  });
}
void Watch::unfollow(std::uint64_t number) const { services().watch->unfollow(number); }
Result<std::uint64_t> Watch::newest() const {
  return call([](const Services& in, const Request& request) { return in.watch->newest_happening(request); });
}

Result<std::vector<ScopeKey>> Upkeep::scopes() const { return services_->watch->scopes(); }
void Upkeep::end_watching() const {
  if (services_->watch != nullptr) services_->watch->end_watching();
}

}  // namespace weft
