#include "engine/states.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <atomic>

#include "base/fault_point.h"
#include "base/log.h"
#include "engine/engine_core.h"
#include "flow/context/skeleton.h"
#include "flow/memory/state_operation.h"
#include "flow/stream/conversation.h"
#include "text/json.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr std::size_t kScopes = 64;

template <class Map>
void bound(Map& map) {
  if (map.size() >= kScopes) map.clear();
}

}  // namespace

std::int64_t LoreShelf::next_number() {
  static std::atomic<std::int64_t> last{0};
  return ++last;
}

LoreShelf::LoreShelf(std::vector<LoreEntry> all) : entries(std::move(all)), triggers(entries) {
  unsearched = static_cast<std::size_t>(
      std::count_if(entries.begin(), entries.end(), [](const LoreEntry& entry) { return !is_searched(entry); }));
}

const LoreEntry* LoreShelf::find(const std::string& id) const {
  const auto at = std::find_if(entries.begin(), entries.end(), [&](const LoreEntry& entry) { return entry.id == id; });
  return at == entries.end() ? nullptr : &*at;
}

Result<std::string_view> StateFacts::yaml(const Value& root) const {
  const std::lock_guard lock(mutex_);
  if (!yaml_) {
    WEFT_TRY(yaml_, skeleton_state(root));
  }
  return std::string_view(*yaml_);
}

std::shared_ptr<const LoreShelf> StoryShelf::lore(const StoryScope& scope) {
  auto all = lore_.lock();
  const auto at = all->find(scope);
  return at == all->end() ? nullptr : at->second;
}

void StoryShelf::put_lore(const StoryScope& scope, std::shared_ptr<const LoreShelf> lore, std::uint64_t ticket) {
  auto all = lore_.lock();
  if (ticket != changes_) return;
  bound(*all);
  (*all)[scope] = std::move(lore);
}

std::shared_ptr<const StateFacts> StoryShelf::state(const ScopeKey& scope, const std::string& name) {
  auto all = states_.lock();
  const auto at = all->find({scope, name});
  return at == all->end() ? nullptr : at->second;
}

void StoryShelf::put_state(const ScopeKey& scope, const std::string& name, std::shared_ptr<const StateFacts> facts) {
  auto all = states_.lock();
  bound(*all);
  (*all)[{scope, name}] = std::move(facts);
}

std::shared_ptr<const KnownNames> StoryShelf::names(const ScopeKey& scope, const std::string& origin) {
  auto all = names_.lock();
  const auto at = all->find(scope);
  return at == all->end() || at->second.first != origin ? nullptr : at->second.second;
}

void StoryShelf::put_names(const ScopeKey& scope, const std::string& origin, std::shared_ptr<const KnownNames> names) {
  auto all = names_.lock();
  bound(*all);
  (*all)[scope] = {origin, std::move(names)};
}

void StoryShelf::forget_lore(const ScopeKey& scope) {
  auto all = lore_.lock();
  ++changes_;
  std::erase_if(*all, [&](const auto& entry) { return entry.first.own == scope || entry.first.world == scope; });
}

void StoryShelf::forget(const ScopeKey& scope) {
  forget_lore(scope);
  names_.lock()->erase(scope);
  auto all = states_.lock();
  std::erase_if(*all, [&](const auto& entry) { return entry.first.first == scope; });
}

namespace {

constexpr const char* kChanges = "state";
constexpr const char* kSnapshots = "state_snapshot";
constexpr const char* kSchemas = "state_schema";
constexpr const char* kRequests = "state_request";  // by the id of the request; its author is the state's name
constexpr std::size_t kTreesInMemory = 64;
constexpr std::size_t kEverything = 100'000'000;

std::string key_of(const ScopeKey& scope, const std::string& name) {
  return std::to_string(scope.str().size()) + ":" + scope.str() + name;
}

std::string body_of(const AppliedChange& applied) {
  return to_json(Value(ValueObject{{"operations", applied.operations}, {"undo", applied.undo}}));
}

std::string request_body(std::int64_t version, const std::string& answer) {
  return to_json(Value(ValueObject{{"version", version}, {"answer", answer}}));
}

Result<StateRecord> record_of(const DocumentRow& row) {
  const auto body = parse_value(row.body, {.max_bytes = row.body.size() + 1}, "state");
  const Value* operations = body.ok() ? body->find("operations") : nullptr;
  const Value* undo = body.ok() ? body->find("undo") : nullptr;
  if (operations == nullptr || undo == nullptr || operations->text() == nullptr || undo->text() == nullptr)
    return corrupt("state: version " + std::to_string(row.version) + " of \"" + row.id + "\" cannot be read");
  return StateRecord{{row.version, row.time, row.author, *operations->text()}, *undo->text()};
}

}  // namespace

StateCheck StateShelf::Entry::check() const {
  if (!schema) return {};
  return [this](const Value& root) { return schema->check(root); };
}

void StateShelf::Entry::unload() {
  loaded = false;
  tree = StateTree();
  version = 0;
}

StateLimits StateShelf::limits() const {
  StateLimits limits;
  limits.max_bytes = static_cast<std::size_t>(settings_.max_bytes);
  limits.change.max_operations = static_cast<std::size_t>(settings_.max_operations);
  limits.change.max_bytes = limits.max_bytes;
  return limits;
}

std::shared_ptr<StateShelf::Entry> StateShelf::entry_of(const ScopeKey& scope, const std::string& name) {
  const std::string key = key_of(scope, name);
  const std::lock_guard lock(mutex_);
  if (const auto at = entries_.find(key); at != entries_.end()) {
    used_.splice(used_.begin(), used_, at->second.second);
    return at->second.first;
  }
  used_.push_front(key);
  auto entry = std::make_shared<Entry>();
  entries_.emplace(key, std::pair(entry, used_.begin()));
  if (entries_.size() > kTreesInMemory) {
    entries_.erase(used_.back());
    used_.pop_back();
  }
  return entry;
}

void StateShelf::forget(const ScopeKey& scope) {
  const std::string begin = key_of(scope, "");
  const std::lock_guard lock(mutex_);
  std::erase_if(used_, [&](const std::string& key) {
    const bool mine = key.starts_with(begin);
    if (mine) entries_.erase(key);
    return mine;
  });
}

Result<std::vector<StateRecord>> StateShelf::records(const ScopeKey& scope, const std::string& name, std::int64_t first,
                                                     std::size_t limit) {
  WEFT_TRY(const auto rows, store_.documents().versions(scope, kChanges, name, first, limit));
  std::vector<StateRecord> records;
  for (const DocumentRow& row : rows) {
    WEFT_TRY(auto record, record_of(row));
    records.push_back(std::move(record));
  }
  return records;
}

// From the last snapshot before it. Snapshots come at fixed distances, and with everything that goes back before one.
Result<StateTree> StateShelf::tree_after(const ScopeKey& scope, const std::string& name, std::int64_t version) {
  StateSnapshot snapshot;
  const std::int64_t every = std::max<std::int64_t>(1, settings_.snapshot_every);
  const std::int64_t nearest = std::max<std::int64_t>(1, version / every * every);
  // The distance is a setting: where it was another one, the nearest lies further back.
  for (const std::int64_t from : {nearest, std::int64_t{1}}) {
    WEFT_TRY(auto rows,
             store_.documents().versions(scope, kSnapshots, name, from, static_cast<std::size_t>(version - from) + 1));
    for (DocumentRow& row : rows)
      if (row.version <= version) snapshot = {row.version, std::move(row.body)};
    if (snapshot.version > 0) break;
  }
  WEFT_TRY(const auto changes,
           records(scope, name, snapshot.version + 1, static_cast<std::size_t>(version - snapshot.version)));
  if (static_cast<std::int64_t>(changes.size()) != version - snapshot.version)
    return not_found("version " + std::to_string(version) + " of the state \"" + name + "\" is not kept any more",
                     "`weft state log` lists those that are; retention.state_versions says how many");
  return replay(snapshot, changes, limits());
}

Status StateShelf::load(const ScopeKey& scope, const std::string& name, Entry& entry) {
  if (entry.loaded) return {};
  WEFT_TRY(const auto newest, store_.documents().newest(scope, kChanges, name));
  if (newest) {
    WEFT_TRY(entry.tree, tree_after(scope, name, newest->version));
    entry.version = newest->version;
    entry.time = newest->time;
  }
  entry.schema.reset();
  WEFT_TRY(const auto schema, store_.documents().newest(scope, kSchemas, name));
  if (schema && !schema->body.empty()) {
    WEFT_TRY(entry.schema, StateSchema::compile(schema->body));
  }
  entry.loaded = true;
  return {};
}

Status StateShelf::read(const ScopeKey& scope, const std::string& name, const Look& look) {
  const auto entry = entry_of(scope, name);
  const std::lock_guard lock(entry->mutex);
  WEFT_CHECK(load(scope, name, *entry));
  return look(entry->tree, entry->version, entry->time);
}

Result<StateView> StateShelf::at(const ScopeKey& scope, const std::string& name, std::int64_t version) {
  StateView view{name, 0, {}, "{}", false, ""};
  WEFT_CHECK(read(scope, name, [&](const StateTree& tree, std::int64_t newest, Time time) {
    view.version = newest;
    view.time = time;
    if (version == 0 || version == newest) view.json = tree.json();
    return Status();
  }));
  if (version == 0 || version == view.version) return view;
  WEFT_TRY(const auto rows, store_.documents().versions(scope, kChanges, name, version, 1));
  if (rows.empty() || rows.front().version != version)
    return not_found("state: \"" + name + "\" has no version " + std::to_string(version),
                     "its newest is " + std::to_string(view.version) + "; see `weft state log`");
  WEFT_TRY(const StateTree tree, tree_after(scope, name, version));
  return StateView{name, version, rows.front().time, tree.json(), false, ""};
}

Status StateShelf::check_version(const std::string& name, const Entry& entry, const StateChange& change) {
  if (!change.expected_version || *change.expected_version == entry.version) return {};
  return conflict("state: \"" + name + "\" is at version " + std::to_string(entry.version) + ", not " +
                      std::to_string(*change.expected_version),
                  "read it again and repeat the change");
}

Status StateShelf::check(const ScopeKey& scope, const std::string& name, const StateChange& change) {
  const auto entry = entry_of(scope, name);
  const std::lock_guard lock(entry->mutex);
  WEFT_CHECK(load(scope, name, *entry));
  WEFT_CHECK(check_version(name, *entry, change));
  WEFT_TRY(StateTree tried, StateTree::from(entry->tree.root(), limits()));
  const auto applied = tried.apply(change.operations, entry->check());
  return applied.ok() ? Status() : Status(applied.error());
}

Result<StateView> StateShelf::apply(const ScopeKey& scope, const std::string& name, const StateChange& change,
                                    Time now) {
  const auto entry = entry_of(scope, name);
  const std::lock_guard lock(entry->mutex);
  constexpr int kTries = 20;  // another program may be faster
  for (int tries = 1;; ++tries) {
    WEFT_CHECK(load(scope, name, *entry));
    if (!change.request_id.empty()) {
      WEFT_TRY(auto before, made_before(scope, change.request_id));
      if (before) return std::move(*before);
    }
    WEFT_CHECK(check_version(name, *entry, change));
    WEFT_TRY(auto applied, entry->tree.apply(change.operations, entry->check()));
    auto kept = keep(scope, name, *entry, std::move(applied), change, now, false);
    if (kept.ok() || kept.error().code != ErrorCode::kConflict || tries == kTries) return kept;
  }
}

Result<StateView> StateShelf::roll_back(const ScopeKey& scope, const std::string& name, std::int64_t version,
                                        const std::string& author, Time now) {
  const auto entry = entry_of(scope, name);
  const std::lock_guard lock(entry->mutex);
  WEFT_CHECK(load(scope, name, *entry));
  if (version < 0 || version >= entry->version)
    return not_found("state: \"" + name + "\" is at version " + std::to_string(entry->version) +
                         ", so it cannot go back to " + std::to_string(version),
                     "its log names the versions");
  WEFT_TRY(const auto changes, records(scope, name, version + 1, kEverything));
  WEFT_TRY(auto applied, weft::roll_back(entry->tree, changes, version));
  if (entry->schema) {
    if (const Status kept = entry->schema->check(entry->tree.root()); !kept.ok()) {
      entry->unload();
      return kept.error();
    }
  }
  return keep(scope, name, *entry, std::move(applied), {"", author, {}, "", ""}, now, true);
}

// What could not be written did not happen: the tree is read again when it is next asked for.
Result<StateView> StateShelf::keep(const ScopeKey& scope, const std::string& name, Entry& entry, AppliedChange applied,
                                   const StateChange& change, Time now, bool snapshot) {
  const std::int64_t version = entry.version + 1;
  WriteBatch batch;
  batch.documents.push_back({scope, kChanges, name, version, now, change.author, body_of(applied)});
  if (snapshot || version % std::max<std::int64_t>(1, settings_.snapshot_every) == 0)
    batch.documents.push_back({scope, kSnapshots, name, version, now, change.author, entry.tree.json()});
  // Back to a version that has a snapshot, so that all that stay can be put together.
  const std::int64_t every = std::max<std::int64_t>(1, settings_.snapshot_every);
  const std::int64_t first = versions_kept_ == 0 ? 0 : (version - versions_kept_) / every * every;
  if (first > 0 && version % every == 0) {
    WEFT_TRY(const auto there, store_.documents().versions(scope, kSnapshots, name, first, 1));
    if (!there.empty() && there.front().version == first)
      for (const char* kind : {kChanges, kSnapshots})
        batch.erased_versions.emplace_back(DocumentKey{scope, kind, name}, first);
  }
  if (!change.request_id.empty())
    batch.documents.push_back(
        {scope, kRequests, change.request_id, 1, now, name, request_body(version, change.answer)});
  if (const Status written = store_.write(batch); !written.ok()) {
    entry.unload();
    return written.error();
  }
  entry.version = version;
  entry.time = now;
  return StateView{name, version, now, "", false, ""};
}

Result<std::optional<StateView>> StateShelf::made_before(const ScopeKey& scope, const std::string& request_id) {
  WEFT_TRY(const auto row, store_.documents().newest(scope, kRequests, request_id));
  if (!row) return std::optional<StateView>();
  WEFT_TRY(const auto body, parse_value(row->body, {.max_bytes = row->body.size() + 1}, "state request"));
  StateView view{row->author, 0, row->time, "", true, ""};
  if (const Value* version = body.find("version"); version != nullptr && version->is_number())
    view.version = std::get<std::int64_t>(version->data);
  if (const Value* answer = body.find("answer"); answer != nullptr && answer->text() != nullptr)
    view.answer = *answer->text();
  return std::optional(std::move(view));
}

Result<std::string> StateShelf::schema(const ScopeKey& scope, const std::string& name) {
  WEFT_TRY(const auto row, store_.documents().newest(scope, kSchemas, name));
  return row ? row->body : std::string();
}

Status StateShelf::put_schema(const ScopeKey& scope, const std::string& name, const std::string& schema,
                              const std::string& author, Time now) {
  std::optional<StateSchema> compiled;
  if (!schema.empty()) {
    WEFT_TRY(compiled, StateSchema::compile(schema));
  }
  const auto entry = entry_of(scope, name);
  const std::lock_guard lock(entry->mutex);
  WEFT_CHECK(load(scope, name, *entry));
  if (compiled && entry->version > 0) WEFT_CHECK(compiled->check(entry->tree.root()));
  WEFT_TRY(const auto before, store_.documents().newest(scope, kSchemas, name));
  WriteBatch batch;
  batch.documents.push_back({scope, kSchemas, name, (before ? before->version : 0) + 1, now, author, schema});
  WEFT_CHECK(store_.write(batch));
  entry->schema = std::move(compiled);
  return {};
}

Result<std::vector<StateVersion>> StateShelf::log(const ScopeKey& scope, const std::string& name, std::size_t limit,
                                                  std::int64_t before) {
  WEFT_TRY(const auto newest, store_.documents().newest(scope, kChanges, name));
  std::vector<StateVersion> versions;
  if (!newest) return versions;
  const std::int64_t end = before > 0 ? std::min(before, newest->version + 1) : newest->version + 1;
  const std::int64_t first = std::max<std::int64_t>(1, end - static_cast<std::int64_t>(limit));
  if (first >= end) return versions;
  WEFT_TRY(auto all, records(scope, name, first, static_cast<std::size_t>(end - first)));
  for (StateRecord& record : all) versions.push_back(std::move(record.version));
  return versions;
}

// What a narrative game keeps: its states. A scope that plays in a world reads the world's where it has none of its
// own; what it changes is its own from then on.

namespace {

Status check_name(const std::string& name) { return check_id(name, "state name"); }

}  // namespace

Result<StoryScope> story_scope(const Config& config, const RequestContext& request) {
  const std::string& name = request.world.empty() ? config.story.world : request.world;
  if (!name.empty()) WEFT_CHECK(check_id(name, "world"));
  if (request.of_world && name.empty()) return invalid_argument("which world is meant?", "name it, or set story.world");
  const ScopeKey world(name.empty() ? name : "world:" + name);
  return request.of_world ? StoryScope{world, {}} : StoryScope{request.scope.key(), world};
}

States::States(EngineCore& core)
    : core_(core), shelf_(*core.store, core.config.state, core.config.retention.state_versions) {}

// Whose state of that name a scope reads: its own once it has changed anything, until then the world's.
Result<ScopeKey> States::state_home(const StoryScope& scope, const std::string& name) {
  ScopeKey home = scope.own;
  if (scope.world.empty()) return home;
  const auto written = [&](const ScopeKey& where) -> Result<bool> {
    bool any = false;
    WEFT_CHECK(shelf_.read(where, name, [&](const StateTree&, std::int64_t version, Time) {
      any = version > 0;
      return Status();
    }));
    return any;
  };
  WEFT_TRY(const bool own, written(scope.own));
  if (own) return home;
  WEFT_TRY(const bool worlds, written(scope.world));
  if (worlds) home = scope.world;
  return home;
}

// The world's state as it stands becomes the scope's own first version, with its schema. Gives the world's version; 0
// where there was nothing to take over.
Result<std::int64_t> States::adopt_state(const StoryScope& scope, const std::string& name) {
  WEFT_TRY(const auto home, state_home(scope, name));
  if (home == scope.own) return std::int64_t{0};
  WEFT_TRY(const auto view, shelf_.at(home, name, 0));
  WEFT_TRY(const auto schema, shelf_.schema(home, name));
  WEFT_TRY(auto tree, parse_value(view.json, {.max_bytes = view.json.size() + 1}, "state"));
  const Value whole(ValueList{Value(ValueList{"SET", "", std::move(tree)})});
  const auto adopted = shelf_.apply(scope.own, name, {to_json(whole), home.str(), 0, "", ""}, core_.clock->now());
  // Somebody else of the scope may have been faster: then it is there.
  if (!adopted.ok() && adopted.error().code != ErrorCode::kConflict) return adopted.error();
  if (adopted.ok() && !schema.empty())
    WEFT_CHECK(shelf_.put_schema(scope.own, name, schema, home.str(), core_.clock->now()));
  return view.version;
}

Result<StateView> States::change_state(const StoryScope& scope, const std::string& name, StateChange change) {
  WEFT_TRY(const auto home, state_home(scope, name));
  // A change that is refused leaves the scope with the world's state.
  if (home != scope.own) WEFT_CHECK(shelf_.check(home, name, change));
  WEFT_TRY(const auto worlds, adopt_state(scope, name));
  if (worlds > 0 && change.expected_version == worlds) change.expected_version = 1;
  return shelf_.apply(scope.own, name, change, core_.clock->now());
}

Result<StateView> States::state(const RequestContext& request, const std::string& name, std::int64_t version) {
  WEFT_CHECK(check_name(name));
  WEFT_TRY(const auto scope, story_scope(core_.config, request));
  WEFT_TRY(const auto home, state_home(scope, name));
  return shelf_.at(home, name, version);
}

Result<Value> States::state_value(const RequestContext& request, const std::string& name, std::string_view path) {
  WEFT_CHECK(check_name(name));
  WEFT_TRY(const auto scope, story_scope(core_.config, request));
  WEFT_TRY(const auto home, state_home(scope, name));
  Value found;
  WEFT_CHECK(shelf_.read(home, name, [&](const StateTree& tree, std::int64_t, Time) -> Status {
    WEFT_TRY(const Value* value, tree.at(path));
    found = *value;
    return {};
  }));
  return found;
}

Result<StateView> States::put_state(const RequestContext& request, const std::string& name, const std::string& json,
                                    const std::string& author) {
  WEFT_CHECK(check_name(name));
  WEFT_TRY(const auto scope, story_scope(core_.config, request));
  WEFT_TRY(auto tree,
           parse_value(json, {.max_bytes = static_cast<std::size_t>(core_.config.state.max_bytes)}, "state"));
  const Value whole(ValueList{Value(ValueList{"SET", "", std::move(tree)})});
  return shelf_.apply(scope.own, name, {to_json(whole), author, {}, "", ""}, core_.clock->now());
}

Result<StateView> States::apply_state(const RequestContext& request, const std::string& name,
                                      const StateChange& change) {
  WEFT_CHECK(check_name(name));
  WEFT_TRY(const auto scope, story_scope(core_.config, request));
  return change_state(scope, name, change);
}

Result<std::vector<StateVersion>> States::state_log(const RequestContext& request, const std::string& name,
                                                    std::size_t limit, std::int64_t before) {
  WEFT_CHECK(check_name(name));
  WEFT_TRY(const auto scope, story_scope(core_.config, request));
  return shelf_.log(scope.own, name, limit, before);
}

Result<StateView> States::roll_back_state(const RequestContext& request, const std::string& name, std::int64_t version,
                                          const std::string& author) {
  WEFT_CHECK(check_name(name));
  WEFT_TRY(const auto scope, story_scope(core_.config, request));
  return shelf_.roll_back(scope.own, name, version, author, core_.clock->now());
}

Result<std::string> States::state_schema(const RequestContext& request, const std::string& name) {
  WEFT_CHECK(check_name(name));
  WEFT_TRY(const auto scope, story_scope(core_.config, request));
  WEFT_TRY(const auto home, state_home(scope, name));
  return shelf_.schema(home, name);
}

Status States::put_state_schema(const RequestContext& request, const std::string& name, const std::string& schema,
                                const std::string& author) {
  WEFT_CHECK(check_name(name));
  WEFT_TRY(const auto scope, story_scope(core_.config, request));
  return shelf_.put_schema(scope.own, name, schema, author, core_.clock->now());
}

// Made once for each version of a state.
Result<std::shared_ptr<const StateFacts>> States::facts_of(const ScopeKey& scope, const std::string& name) {
  std::shared_ptr<const StateFacts> facts;
  WEFT_CHECK(shelf_.read(scope, name, [&](const StateTree& tree, std::int64_t version, Time) -> Status {
    if (version == 0) return {};
    facts = core_.story.state(scope, name);
    if (facts && facts->version == version) return {};
    auto made = std::make_shared<StateFacts>();
    made->version = version;
    auto entities = entities_of(tree.root());
    made->index = facts ? StateIndex(std::move(entities), facts->index) : StateIndex(std::move(entities));
    facts = std::move(made);
    core_.story.put_state(scope, name, facts);
    return {};
  }));
  return facts;
}

// What a model writes into its answer to change the state: each block once, as a whole or not at all, and where it is
// refused the next prompt of the session says why.

namespace {

constexpr const char* kRefusals = "state_refusal";  // by session
constexpr std::int64_t kPatienceMs = 10'000;  // in which the caller that kept a message applies its operations

JobId job_of(const ScopeKey& scope, const SessionId& session, const MessageId& message) {
  const std::string name = std::to_string(scope.str().size()) + ":" + scope.str() +
                           std::to_string(session.str().size()) + ":" + session.str() + message.str();
  const XXH128_hash_t digest = XXH3_128bits(name.data(), name.size());
  return JobId(fmt::format("state-{:016x}{:016x}", digest.high64, digest.low64));
}

}  // namespace

// The reason, where a block was refused; empty else. A block that was applied before changes nothing.
std::string States::apply_blocks(const StoryScope& scope, const SessionId& session, const Message& message,
                                 const MessageId& id) {
  std::string refused;
  for (const AnswerOperations& block : operations_in_answer(message.content)) {
    std::string why = block.problem;
    if (why.empty()) {
      const StateChange change{
          block.operations, "model", {}, session.str() + "/answer:" + id.str() + "/" + block.state, ""};
      const auto changed = change_state(scope, block.state, change);
      if (changed.ok()) continue;
      why = changed.error().message + (changed.error().hint.empty() ? "" : " (" + changed.error().hint + ")");
    }
    refused += (refused.empty() ? "" : "\n") + why;
  }
  return refused;
}

// The transaction that ends the job notes the reason of a refusal, too.
Result<std::string> States::apply_answer(const StoryScope& scope, const SessionId& session, const Message& message,
                                         const MessageId& id, const JobId& job) {
  const std::string refused = apply_blocks(scope, session, message, id);
  WEFT_CHECK(fault_point(FaultPoint::kAnswerApplied));
  WriteBatch batch;
  batch.erased_jobs = {job};
  WEFT_TRY(const auto before, core_.store->documents().newest(scope.own, kRefusals, session.str()));
  if (before || !refused.empty()) {
    const Value body(ValueObject{{"digest", std::to_string(digest_of(message))}, {"reason", refused}});
    batch.documents.push_back({scope.own, kRefusals, session.str(), before ? before->version + 1 : 1,
                               core_.clock->now(), "model", to_json(body)});
  }
  WEFT_CHECK(core_.store->write(batch));
  return refused;
}

// The caller applies the operations at once; the job waits a while, for the case that the caller did not come to it.
void States::add_jobs(const RequestContext& request, const SessionId& session, StreamChange& change) {
  const std::int64_t now_ms = core_.clock->now().ms;
  for (const MessageRow& row : change.batch.messages) {
    if (row.message.role != Role::kAssistant || operations_in_answer(row.message.content).empty()) continue;
    const auto scope = story_scope(core_.config, request);
    if (!scope.ok()) return;
    const Value payload(ValueObject{{"scope", scope->own.str()},
                                    {"world", scope->world.str()},
                                    {"session", session.str()},
                                    {"message_ids", ValueList{row.message.id.str()}}});
    Job job = new_job(job_of(scope->own, session, row.message.id), scope->own, kStateKind, to_json(payload), now_ms);
    job.not_before_ms = now_ms + kPatienceMs;
    change.batch.jobs.push_back(std::move(job));
  }
}

void States::apply_answers(const RequestContext& request, const SessionId& session, std::span<const Message> messages,
                           std::span<Observation> observed) {
  for (std::size_t i = 0; i < messages.size() && i < observed.size(); ++i) {
    const Message& message = messages[i];
    if (message.role != Role::kAssistant || operations_in_answer(message.content).empty()) continue;
    const auto scope = story_scope(core_.config, request);
    if (!scope.ok()) return;
    const JobId job = job_of(scope->own, session, observed[i].id);
    // Of a message that is sent again, only what was broken off before.
    const auto waits = core_.store->jobs().contains(job);
    if (!waits.ok() || !*waits) continue;
    kill_point(FaultPoint::kAnswersWait);
    const auto refused = apply_answer(*scope, session, message, observed[i].id, job);
    if (!refused.ok()) {
      log_warning("state.answer", refused.error().message);
      continue;
    }
    observed[i].notes.push_back(refused->empty() ? "state changed" : "state not changed: " + *refused);
  }
}

Status States::work_off_answer(const Job& job) {
  WEFT_TRY(const auto payload, parse_value(job.payload, {.max_bytes = job.payload.size() + 1}, "its payload"));
  const auto text = [&](const char* name) {
    const Value* value = payload.find(name);
    return value != nullptr && value->text() != nullptr ? *value->text() : std::string();
  };
  const Value* ids = payload.find("message_ids");
  const ValueList* list = ids == nullptr ? nullptr : ids->list();
  if (list == nullptr || list->size() != 1 || list->front().text() == nullptr)
    return corrupt("job " + job.id.str() + " names no message");
  const StoryScope scope{ScopeKey(text("scope")), ScopeKey(text("world"))};
  const SessionId session(text("session"));
  const MessageId id(*list->front().text());
  const auto pass = core_.erasure_gate.work(scope.own);
  WEFT_TRY(const auto row, core_.store->messages().get(scope.own, session, id));
  if (!row) return {};
  const auto applied = apply_answer(scope, session, row->message, id, job.id);
  return applied.ok() ? Status() : Status(applied.error());
}

// Told as long as the refused answer is the last one of the history.
Result<std::string> States::refused_answer(const ScopeKey& scope, const SessionId& session, const ContextInput& input) {
  const Message* last = nullptr;
  for (const HistoryMessage& entry : input.history)
    if (entry.message.role == Role::kAssistant) last = &entry.message;
  if (last == nullptr) return std::string();
  WEFT_TRY(const auto row, core_.store->documents().newest(scope, kRefusals, session.str()));
  if (!row) return std::string();
  WEFT_TRY(const auto body, parse_value(row->body, {.max_bytes = row->body.size() + 1}, "state refusal"));
  const Value* digest = body.find("digest");
  const Value* reason = body.find("reason");
  if (digest == nullptr || reason == nullptr || digest->text() == nullptr || reason->text() == nullptr ||
      reason->text()->empty() || *digest->text() != std::to_string(digest_of(*last)))
    return std::string();
  return language_of(last->content) == Language::kChinese
             ? "上一个回答里对状态的改动整体没有生效：" + *reason->text()
             : "The changes of the state in your last answer were refused as a whole: " + *reason->text();
}

}  // namespace weft
