#include "engine/state_shelf.h"

#include <algorithm>

#include "text/value.h"

namespace weft {
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

}  // namespace weft
