#include "ports/store/sqlite/sqlite_store.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/fault_point.h"
#include "base/threads.h"
#include "model/rows.h"
#include "ports/store/sqlite/connection.h"
#include "ports/store/sqlite/row_readers.h"
#include "ports/store/sqlite/tables.h"

namespace weft::sqlite {
namespace {

/// The version of the tables below; a store of a newer version is refused, an older one migrated.
constexpr int kSchemaVersion = 11;

// Every key begins with the scope, so that no statement can reach rows of another one by leaving a condition out.
constexpr const char* kTables = R"sql(
CREATE TABLE IF NOT EXISTS sessions (
  scope TEXT NOT NULL, session TEXT NOT NULL, head INTEGER NOT NULL, open_topic TEXT NOT NULL, open_block TEXT NOT NULL,
  system TEXT NOT NULL, PRIMARY KEY (scope, session)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS messages (
  seq INTEGER PRIMARY KEY, scope TEXT NOT NULL, session TEXT NOT NULL, id TEXT NOT NULL, parent INTEGER NOT NULL,
  digest INTEGER NOT NULL, role INTEGER NOT NULL, name TEXT NOT NULL, time INTEGER NOT NULL, zone INTEGER NOT NULL,
  content TEXT NOT NULL, extra TEXT NOT NULL, tokens INTEGER NOT NULL, block TEXT NOT NULL, active INTEGER NOT NULL);
CREATE UNIQUE INDEX IF NOT EXISTS messages_by_id ON messages (scope, session, id);
CREATE INDEX IF NOT EXISTS messages_by_session ON messages (scope, session, seq);
CREATE INDEX IF NOT EXISTS messages_by_scope ON messages (scope, id);
CREATE INDEX IF NOT EXISTS messages_by_block ON messages (scope, session, block, seq);
CREATE TABLE IF NOT EXISTS blocks (
  scope TEXT NOT NULL, session TEXT NOT NULL, id TEXT NOT NULL, topic TEXT NOT NULL, status INTEGER NOT NULL,
  first_seq INTEGER NOT NULL, last_seq INTEGER NOT NULL, tokens INTEGER NOT NULL, started INTEGER NOT NULL,
  last INTEGER NOT NULL, zone INTEGER NOT NULL, active INTEGER NOT NULL, PRIMARY KEY (scope, session, id)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS blocks_by_topic ON blocks (scope, session, topic, first_seq);
CREATE TABLE IF NOT EXISTS topics (
  scope TEXT NOT NULL, session TEXT NOT NULL, id TEXT NOT NULL, status INTEGER NOT NULL, reason INTEGER NOT NULL,
  tokens INTEGER NOT NULL, blocks INTEGER NOT NULL, started INTEGER NOT NULL, last INTEGER NOT NULL, zone INTEGER NOT NULL,
  touched INTEGER NOT NULL, trace BLOB NOT NULL, lead TEXT NOT NULL, done INTEGER NOT NULL,
  PRIMARY KEY (scope, session, id));
CREATE INDEX IF NOT EXISTS topics_by_status ON topics (status, done);
CREATE TABLE IF NOT EXISTS items (
  row INTEGER PRIMARY KEY, scope TEXT NOT NULL, id TEXT NOT NULL, kind INTEGER NOT NULL, session TEXT NOT NULL,
  topic TEXT NOT NULL, block TEXT NOT NULL, time INTEGER NOT NULL, zone INTEGER NOT NULL, position INTEGER NOT NULL,
  made_by TEXT NOT NULL, role INTEGER NOT NULL, speaker TEXT NOT NULL, active INTEGER NOT NULL, model TEXT NOT NULL,
  terms BLOB NOT NULL, vector BLOB NOT NULL, sources TEXT NOT NULL, text TEXT NOT NULL);
CREATE UNIQUE INDEX IF NOT EXISTS items_by_id ON items (scope, id);
CREATE INDEX IF NOT EXISTS items_by_session ON items (scope, session, row);
CREATE INDEX IF NOT EXISTS items_by_kind ON items (scope, kind, row);
CREATE INDEX IF NOT EXISTS items_without_vector ON items (row) WHERE model = '';
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS jobs_done (job TEXT PRIMARY KEY) WITHOUT ROWID;
)sql";

// What came after the first version, in order; each brings a store from the version of its place to the next one.
constexpr const char* kSteps[] = {
    "",
    "ALTER TABLE items ADD COLUMN details TEXT NOT NULL DEFAULT '';",
    // A vector of the next model belongs to the very text it was made from: whoever changes or erases an item, by
    // whatever statement, takes it away.
    R"sql(
CREATE TABLE next_vectors (row INTEGER PRIMARY KEY, model TEXT NOT NULL, vector BLOB NOT NULL);
CREATE INDEX next_vectors_by_model ON next_vectors (model);
CREATE INDEX items_words_only ON items (row) WHERE model = '-';
CREATE TRIGGER next_vector_of_erased AFTER DELETE ON items BEGIN DELETE FROM next_vectors WHERE row = old.row; END;
CREATE TRIGGER next_vector_of_changed AFTER UPDATE OF text ON items WHEN old.text IS NOT new.text
  BEGIN DELETE FROM next_vectors WHERE row = old.row; END;
)sql",
    R"sql(
CREATE TABLE documents (
  scope TEXT NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL, version INTEGER NOT NULL, time INTEGER NOT NULL,
  zone INTEGER NOT NULL, author TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (scope, kind, id, version)) WITHOUT ROWID;
)sql",
    "CREATE INDEX items_by_position ON items (scope, session, kind, position);",
    // How a conversation is found by its beginning, or by what stands at its end.
    R"sql(
ALTER TABLE messages ADD COLUMN chain INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN resent INTEGER NOT NULL DEFAULT 0;
CREATE INDEX messages_by_chain ON messages (scope, chain, seq);
CREATE INDEX messages_by_digest ON messages (scope, digest, seq);
)sql",
    // Of a private conversation the sender is certain. Which member of a group a name stood for, no former version
    // knew.
    R"sql(
ALTER TABLE messages ADD COLUMN sender_id TEXT NOT NULL DEFAULT '';
UPDATE messages SET sender_id = substr(scope, 6) WHERE role = 1 AND substr(scope, 1, 5) = 'user:';
CREATE INDEX messages_by_member ON messages (scope, sender_id, name, seq)
  WHERE sender_id <> '' AND substr(scope, 1, 6) = 'group:';
)sql",
    // Jobs, which lay in files before. Of a topic that was closed and not worked off there may have been none.
    R"sql(
CREATE TABLE jobs (
  place INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, scope TEXT NOT NULL, kind TEXT NOT NULL, payload TEXT NOT NULL,
  state INTEGER NOT NULL, attempts INTEGER NOT NULL, reason TEXT NOT NULL, created INTEGER NOT NULL,
  not_before INTEGER NOT NULL, lease INTEGER NOT NULL);
CREATE INDEX jobs_by_state ON jobs (state, place);
ALTER TABLE jobs_done RENAME TO marks;
ALTER TABLE marks RENAME COLUMN job TO mark;
INSERT INTO jobs (id, scope, kind, payload, state, attempts, reason, created, not_before, lease)
  SELECT 'topic-' || id, scope, 'topic', json_object('scope', scope, 'session', session, 'topic', id), 0, 0, '',
    touched, 0, 0 FROM topics WHERE status = 1 AND done = 0 ORDER BY touched;
)sql",
    // Blocks that are closed and have no topic yet: what the segmenter has before it.
    R"sql(
CREATE INDEX blocks_waiting ON blocks (scope, session, first_seq) WHERE topic = '' AND active = 1 AND status <> 0;
)sql",
    // The newest documents of a kind in a scope, and those of a kind in every scope.
    "CREATE INDEX documents_by_time ON documents (kind, scope, time);",
    "ALTER TABLE sessions ADD COLUMN version INTEGER NOT NULL DEFAULT 0;",
};
static_assert(std::size(kSteps) == kSchemaVersion);

constexpr std::int64_t kFirstWithChains = 6, kFirstWithLog = 9;

// Messages of a store from before they had chains. The message before another one has the smaller number.
Status add_chains(Connection& connection) {
  std::unordered_map<std::int64_t, std::uint64_t> chains;
  {
    Statement all = connection.prepare("SELECT seq,parent,digest FROM messages WHERE role<>? ORDER BY seq");
    all.bind(static_cast<std::int64_t>(Role::kSystem));
    while (all.step()) {
      const auto before = chains.find(all.integer(1));
      chains[all.integer(0)] =
          chained(before == chains.end() ? 0 : before->second, static_cast<std::uint64_t>(all.integer(2)));
    }
    WEFT_CHECK(all.status());
  }
  for (const auto& [seq, chain] : chains) {
    WEFT_CHECK(connection.prepare("UPDATE messages SET chain=? WHERE seq=?")
                   .bind(static_cast<std::int64_t>(chain))
                   .bind(seq)
                   .run());
  }
  return {};
}

// The log of each scope. Notes of former versions tell up to which message the diary and the adaptation had read;
// messages that one of them had not read become entries.
Status add_log(Connection& connection) {
  return connection.run(R"sql(
CREATE TABLE log (
  scope TEXT NOT NULL, seq INTEGER NOT NULL, kind INTEGER NOT NULL, session TEXT NOT NULL, body TEXT NOT NULL,
  time INTEGER NOT NULL, PRIMARY KEY (scope, seq)) WITHOUT ROWID;
CREATE INDEX log_by_message ON log (body) WHERE kind = 0;
CREATE TABLE heads (scope TEXT PRIMARY KEY, seq INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE cursors (
  reader TEXT NOT NULL, scope TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (reader, scope)) WITHOUT ROWID;
CREATE TEMP VIEW read_before AS SELECT iif(name = 'daily.seq', 'diary', 'adaptation') AS reader,
  CAST(value AS INTEGER) AS last FROM main.meta WHERE name IN ('daily.seq', 'adaptation.seq');
INSERT INTO log (scope, seq, kind, session, body, time)
  SELECT scope, row_number() OVER (PARTITION BY scope ORDER BY seq), 0, session, CAST(seq AS TEXT),
    CAST(strftime('%s', 'now') AS INTEGER) * 1000 FROM messages WHERE seq > (SELECT min(last) FROM read_before);
INSERT INTO heads (scope, seq) SELECT scope, max(seq) FROM log GROUP BY scope;
INSERT INTO cursors (reader, scope, seq) SELECT reader, '', 0 FROM read_before;
INSERT INTO cursors (reader, scope, seq)
  SELECT reader, scope, count(*) FROM log JOIN read_before ON CAST(body AS INTEGER) <= last GROUP BY reader, scope;
DROP VIEW temp.read_before;
DELETE FROM meta WHERE name IN ('daily.seq', 'adaptation.seq');
)sql");
}

// Makes the tables where they are missing. kConflict when the store was written by a newer Weft.
Status prepare_schema(Connection& connection) {
  std::int64_t version = 0;
  {
    Statement statement = connection.prepare("PRAGMA user_version");
    if (statement.step()) version = statement.integer(0);
    WEFT_CHECK(statement.status());
  }
  if (version > kSchemaVersion) {
    return conflict("store: written by a newer version of Weft (schema " + std::to_string(version) +
                        ", this program knows " + std::to_string(kSchemaVersion) + ")",
                    "use the newer program");
  }
  if (version == kSchemaVersion) return {};
  Transaction transaction(connection);
  WEFT_CHECK(transaction.begin());
  WEFT_CHECK(connection.run(kTables));
  for (auto step = std::max<std::int64_t>(version, 1); step < kSchemaVersion; ++step)
    WEFT_CHECK(connection.run(kSteps[step]));
  if (version < kFirstWithChains) WEFT_CHECK(add_chains(connection));
  if (version < kFirstWithLog) WEFT_CHECK(add_log(connection));
  WEFT_CHECK(connection.run(("PRAGMA user_version=" + std::to_string(kSchemaVersion)).c_str()));
  return transaction.commit();
}

}  // namespace
}  // namespace weft::sqlite

namespace weft {

namespace sqlite {
namespace {

constexpr std::size_t kReaders = 4;

}  // namespace

Result<std::unique_ptr<Store>> SqliteStore::open(const std::string& path) {
  const bool in_memory = path.empty();
  WEFT_TRY(auto connection, Connection::open(in_memory ? ":memory:" : path, true));
  WEFT_CHECK(prepare_schema(*connection));
  auto writer = Pool::share(std::move(connection));
  std::unique_ptr<Pool> readers;
  if (!in_memory) {
    WEFT_TRY(readers, Pool::open(path, kReaders));
  }
  std::unique_ptr<SqliteStore> store(new SqliteStore(std::move(writer), std::move(readers)));
  WEFT_TRY(const StoreCounts counts, store->counts());
  store->last_message_ = counts.last_seq;
  store->last_item_ = counts.last_row;
  return std::unique_ptr<Store>(std::move(store));
}

Result<std::vector<std::int64_t>> SqliteStore::take_numbers(RowKind kind, std::size_t count) {
  auto& last = kind == RowKind::kMessage ? last_message_ : last_item_;
  std::vector<std::int64_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), last.fetch_add(static_cast<std::int64_t>(count)) + 1);
  return numbers;
}

// The turn of a writer who commits for all that wait. At its end they are told, and the next writer may begin, also
// where the commit threw.
class SqliteStore::Turn {
 public:
  // With the lock held.
  explicit Turn(SqliteStore& store) : store_(store), group_(std::exchange(store.queue_, {})) {
    store_.committing_ = true;
  }
  ~Turn() {
    const std::lock_guard lock(store_.queue_mutex_);
    store_.committing_ = false;
    for (Waiting* waiting : group_) waiting->done = true;
    store_.queue_moved_.notify_all();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  std::span<Waiting* const> group() const { return group_; }

 private:
  SqliteStore& store_;
  const std::vector<Waiting*> group_;
};

Status SqliteStore::put(const WriteBatch& batch) {
  if (batch.empty()) return {};
  const RowTexts texts(batch);
  Waiting mine{.batch = &batch, .texts = &texts};
  std::unique_lock lock(queue_mutex_);
  queue_.push_back(&mine);
  queue_moved_.wait(lock, [&] { return mine.done || !committing_; });
  if (!mine.done) {
    const Turn turn(*this);
    lock.unlock();
    guarded_or_logged("store.commit", [&] { commit_together(turn.group()); });
  }
  return std::move(mine.status);
}

// A savepoint for each, so that one caller's conflict or defect does not undo what the others wrote.
void SqliteStore::commit_together(std::span<Waiting* const> group) {
  auto connection = pools_.writer->take();
  std::optional<Unflushed> unflushed;
  if (std::all_of(group.begin(), group.end(), [](const Waiting* one) { return one->batch->repeatable; }))
    unflushed.emplace(*connection);
  Transaction transaction(*connection);
  std::vector<Status> outcomes;
  outcomes.reserve(group.size());
  Status committed = transaction.begin();
  for (const Waiting* waiting : group) {
    if (!committed.ok()) break;
    Status written = connection->run("SAVEPOINT batch");
    if (written.ok())
      written = guarded("store: the write", [&] { return apply(*connection, *waiting->batch, *waiting->texts); });
    if (!written.ok()) (void)connection->run("ROLLBACK TO batch");
    (void)connection->run("RELEASE batch");
    outcomes.push_back(std::move(written));
  }
  if (committed.ok()) committed = fault_point(FaultPoint::kStoreApplied);
  if (committed.ok()) committed = transaction.commit();
  kill_point(FaultPoint::kStoreCommitted);
  for (std::size_t i = 0; i < group.size(); ++i) {
    const bool own_failure = i < outcomes.size() && !outcomes[i].ok();
    group[i]->status = own_failure ? std::move(outcomes[i]) : committed;
  }
}

Result<bool> SqliteStore::has_mark(const std::string& mark) {
  auto connection = pools_.readers().take();
  Statement statement = connection->prepare("SELECT 1 FROM marks WHERE mark=?");
  statement.bind(mark);
  const bool done = statement.step();
  WEFT_CHECK(statement.status());
  return done;
}

Result<std::string> SqliteStore::note(const std::string& name) {
  auto connection = pools_.readers().take();
  Statement statement = connection->prepare("SELECT value FROM meta WHERE name=?");
  statement.bind(name);
  std::string value = statement.step() ? statement.text(0) : std::string();
  WEFT_CHECK(statement.status());
  return value;
}

Status SqliteStore::set_note(const std::string& name, const std::string& value) {
  auto connection = pools_.writer->take();
  return connection->prepare("INSERT OR REPLACE INTO meta (name,value) VALUES (?, ?)").bind(name).bind(value).run();
}

Result<StoreCounts> SqliteStore::counts() {
  auto connection = pools_.readers().take();
  Statement statement = connection->prepare(
      "SELECT (SELECT count(*) FROM messages), (SELECT count(*) FROM items), (SELECT count(*) FROM items WHERE "
      "model=''), "
      "(SELECT count(*) FROM blocks INDEXED BY blocks_waiting WHERE " WEFT_BLOCK_WAITS
      "), "
      "(SELECT max(ifnull(max(seq),0), ifnull((SELECT CAST(value AS INTEGER) FROM meta WHERE name=?),0)) FROM "
      "messages), "
      "(SELECT max(ifnull(max(row),0), ifnull((SELECT CAST(value AS INTEGER) FROM meta WHERE name=?),0)) FROM items)");
  statement.bind(kLastSeqNote).bind(kLastRowNote);
  StoreCounts counts;
  if (statement.step()) {
    counts = {static_cast<std::uint64_t>(statement.integer(0)),
              static_cast<std::uint64_t>(statement.integer(1)),
              static_cast<std::uint64_t>(statement.integer(2)),
              static_cast<std::uint64_t>(statement.integer(3)),
              statement.integer(4),
              statement.integer(5)};
  }
  WEFT_CHECK(statement.status());
  return counts;
}

}  // namespace sqlite

// Whether the file is what SQLite wrote, and the mending of what follows from its rows.

Soundness* soundness_of(Store& store) { return dynamic_cast<Soundness*>(&store); }

namespace sqlite {

// A page that cannot be read at all ends the check: that is a finding, and no failure of the call.
Result<std::vector<std::string>> SqliteStore::faults() {
  auto connection = pools_.readers().take();
  Statement statement = connection->prepare("PRAGMA integrity_check(100)");
  std::vector<std::string> found;
  while (statement.step())
    if (std::string told = statement.text(0); told != "ok") found.push_back(std::move(told));
  const Status ended = statement.status();
  if (!ended.ok() && ended.error().code != ErrorCode::kCorrupt) return ended.error();
  if (!ended.ok()) found.push_back(ended.error().message);
  return found;
}

Status SqliteStore::rebuild() {
  auto connection = pools_.writer->take();
  return connection->run("REINDEX");
}

}  // namespace sqlite
}  // namespace weft
