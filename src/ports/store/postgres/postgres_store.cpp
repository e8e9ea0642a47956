#include "ports/store/postgres/postgres_store.h"

#include <string>

#include "base/strings.h"
#include "base/threads.h"
#include "ports/store/postgres/connection.h"
#include "ports/store/postgres/row_readers.h"

namespace weft::postgres {
namespace {

/// The version of the tables. A database with any other version is refused.
constexpr int kSchemaVersion = 1;

constexpr int kOldestServer = 140'000;  // pipelines need 14

// Texts are compared byte by byte, as everywhere else in Weft. Keys and indexes that calls use begin with the scope.
// `heads` has a row for each scope. Its lock orders the writes of a scope.
//   seq      the last number of the scope's log
//   version  grows with each write, across all scopes
//   before   the version before the last write
//   removed  the version just before the last write that deleted items; of a new row a value below `version`, so that
//            indexes are loaded again
constexpr const char* kTables = R"sql(
CREATE SCHEMA IF NOT EXISTS weft;
CREATE DOMAIN weft.word AS text COLLATE "C" NOT NULL;
CREATE SEQUENCE weft.message_numbers;
CREATE SEQUENCE weft.item_numbers;
CREATE SEQUENCE weft.versions;
CREATE TABLE weft.meta (name weft.word PRIMARY KEY, value weft.word);
CREATE TABLE weft.heads (
  scope weft.word PRIMARY KEY, seq bigint NOT NULL, version bigint NOT NULL, before bigint NOT NULL DEFAULT 0,
  removed bigint NOT NULL);
CREATE TABLE weft.sessions (
  scope weft.word, session weft.word, head bigint NOT NULL, open_topic weft.word, open_block weft.word,
  system weft.word, resent bigint NOT NULL, version bigint NOT NULL, PRIMARY KEY (scope, session));
CREATE INDEX sessions_open ON weft.sessions (scope, session) WHERE open_block <> '';
CREATE TABLE weft.messages (
  seq bigint PRIMARY KEY, scope weft.word, session weft.word, id weft.word, parent bigint NOT NULL,
  digest bigint NOT NULL, role bigint NOT NULL, name weft.word, time bigint NOT NULL, zone bigint NOT NULL,
  content weft.word, extra weft.word, tokens bigint NOT NULL, block weft.word, active bigint NOT NULL,
  chain bigint NOT NULL, sender_id weft.word);
CREATE UNIQUE INDEX messages_by_id ON weft.messages (scope, session, id);
CREATE INDEX messages_by_session ON weft.messages (scope, session, seq);
CREATE INDEX messages_by_scope ON weft.messages (scope, id);
CREATE INDEX messages_in_order ON weft.messages (scope, seq);
CREATE INDEX messages_by_block ON weft.messages (scope, session, block, seq);
CREATE INDEX messages_by_chain ON weft.messages (scope, chain, seq);
CREATE INDEX messages_by_digest ON weft.messages (scope, digest, seq);
CREATE INDEX messages_by_member ON weft.messages (scope, sender_id, seq)
  WHERE sender_id <> '' AND left(scope, 6) = 'group:';
CREATE TABLE weft.blocks (
  scope weft.word, session weft.word, id weft.word, topic weft.word, status bigint NOT NULL, first_seq bigint NOT NULL,
  last_seq bigint NOT NULL, tokens bigint NOT NULL, started bigint NOT NULL, last bigint NOT NULL, zone bigint NOT NULL,
  active bigint NOT NULL, PRIMARY KEY (scope, session, id));
CREATE INDEX blocks_by_topic ON weft.blocks (scope, session, topic, first_seq);
CREATE INDEX blocks_in_order ON weft.blocks (scope, session, first_seq);
CREATE INDEX blocks_waiting ON weft.blocks (scope, session, first_seq)
  WHERE topic = '' AND active = 1 AND status <> 0;
CREATE TABLE weft.topics (
  scope weft.word, session weft.word, id weft.word, status bigint NOT NULL, reason bigint NOT NULL,
  tokens bigint NOT NULL, blocks bigint NOT NULL, started bigint NOT NULL, last bigint NOT NULL, zone bigint NOT NULL,
  touched bigint NOT NULL, trace bytea NOT NULL, lead weft.word, done bigint NOT NULL,
  PRIMARY KEY (scope, session, id));
CREATE INDEX topics_open ON weft.topics (scope, session, touched) WHERE status = 0 AND done = 0;
CREATE TABLE weft.items (
  number bigint PRIMARY KEY, scope weft.word, id weft.word, kind bigint NOT NULL, session weft.word, topic weft.word,
  block weft.word, time bigint NOT NULL, zone bigint NOT NULL, position bigint NOT NULL, made_by weft.word,
  role bigint NOT NULL, speaker weft.word, active bigint NOT NULL, model weft.word, terms bytea NOT NULL,
  vector bytea NOT NULL, details weft.word, sources weft.word, text weft.word, version bigint NOT NULL,
  claimed_by weft.word DEFAULT '', claimed_until bigint NOT NULL DEFAULT 0);
CREATE UNIQUE INDEX items_by_id ON weft.items (scope, id);
CREATE INDEX items_in_order ON weft.items (scope, number);
CREATE INDEX items_by_version ON weft.items (scope, version);
CREATE INDEX items_by_session ON weft.items (scope, session, number);
CREATE INDEX items_by_kind ON weft.items (scope, kind, number);
CREATE INDEX items_by_position ON weft.items (scope, session, kind, position);
CREATE INDEX items_without_vector ON weft.items (number) WHERE model = '';
CREATE INDEX items_words_only ON weft.items (number) WHERE model = '-';
CREATE TABLE weft.next_vectors (
  number bigint PRIMARY KEY REFERENCES weft.items ON DELETE CASCADE, model weft.word, vector bytea NOT NULL);
CREATE INDEX next_vectors_by_model ON weft.next_vectors (model);
CREATE TABLE weft.documents (
  scope weft.word, kind weft.word, id weft.word, version bigint NOT NULL, time bigint NOT NULL, zone bigint NOT NULL,
  author weft.word, body weft.word, PRIMARY KEY (scope, kind, id, version));
CREATE INDEX documents_by_time ON weft.documents (kind, scope, time);
CREATE TABLE weft.marks (mark weft.word PRIMARY KEY);
CREATE TABLE weft.jobs (
  place bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id weft.word UNIQUE, scope weft.word, kind weft.word,
  payload weft.word, state bigint NOT NULL, attempts bigint NOT NULL, reason weft.word, created bigint NOT NULL,
  not_before bigint NOT NULL, lease bigint NOT NULL, holder weft.word DEFAULT '');
CREATE INDEX jobs_by_state ON weft.jobs (state, place);
CREATE TABLE weft.log (
  scope weft.word, seq bigint NOT NULL, kind bigint NOT NULL, session weft.word, body weft.word, time bigint NOT NULL,
  PRIMARY KEY (scope, seq));
CREATE INDEX log_by_message ON weft.log (body) WHERE kind = 0;
CREATE TABLE weft.programs (program weft.word PRIMARY KEY, embedder weft.word, seen timestamptz NOT NULL);
CREATE TABLE weft.cursors (reader weft.word, scope weft.word, seq bigint NOT NULL, PRIMARY KEY (reader, scope));

CREATE FUNCTION weft.expect(holds boolean, what text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF holds IS NOT TRUE THEN RAISE EXCEPTION '%', what USING ERRCODE = 'WEFT1'; END IF;
END $$;
-- A vector of the next model belongs to the very text it was made from.
CREATE FUNCTION weft.drop_next_vector() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM weft.next_vectors WHERE number = OLD.number;
  RETURN NULL;
END $$;
CREATE TRIGGER next_vector_of_changed AFTER UPDATE OF text ON weft.items FOR EACH ROW
  WHEN (OLD.text IS DISTINCT FROM NEW.text) EXECUTE FUNCTION weft.drop_next_vector();
INSERT INTO weft.meta VALUES ('schema', '1');
)sql";

// Makes the schema "weft" and its tables where they are missing; many programs may try at once. kConflict where a
// newer Weft wrote them, kUnavailable where the server is too old.
Status prepare_schema(Connection& connection) {
  WEFT_TRY(const Rows server, connection.run(Query("SELECT current_setting('server_version_num')::bigint")));
  if (const std::int64_t version = Row(server, 0).integer(0); version < kOldestServer)
    return unavailable("store: the server is PostgreSQL " + std::to_string(version / 10'000),
                       "PostgreSQL 14 or newer is needed");
  WEFT_CHECK(connection.run("BEGIN"));
  // Programs that start together make the tables one after the other.
  constexpr const char* kAlone = "SELECT pg_advisory_xact_lock(hashtext('weft.schema'))";
  const auto prepare = [&]() -> Status {
    WEFT_CHECK(connection.run(kAlone));
    WEFT_TRY(const Rows there, connection.run(Query("SELECT to_regclass('weft.meta') IS NOT NULL")));
    if (Row(there, 0).integer(0) == 0) return connection.run(kTables);
    WEFT_TRY(const Rows kept, connection.run(Query("SELECT value FROM weft.meta WHERE name='schema'")));
    const std::string version = kept.count() > 0 ? Row(kept, 0).text(0) : "";
    if (version == std::to_string(kSchemaVersion)) return {};
    return conflict(
        "store: the database has schema " + version + ", this program needs schema " + std::to_string(kSchemaVersion),
        "use the version of Weft that made the database");
  };
  const Status prepared = prepare();
  WEFT_CHECK(connection.run(prepared.ok() ? "COMMIT" : "ROLLBACK"));
  return prepared;
}

constexpr std::size_t kConnections = 8;
constexpr std::size_t kMostSeen = 100'000;  // scopes

}  // namespace

PostgresStore::PostgresStore(const std::string& url) : pool_(url, kConnections), program_(random_hex(16)) {}

// Rows may have been imported with numbers of their own: the sequences go on after them.
Result<std::unique_ptr<Store>> PostgresStore::open(const std::string& url) {
  std::unique_ptr<PostgresStore> store(new PostgresStore(url));
  WEFT_TRY(auto connection, Connection::open(url));
  WEFT_CHECK(prepare_schema(*connection));
  for (const char* sql :
       {"SELECT setval('weft.message_numbers', (SELECT max(seq) FROM weft.messages)) WHERE (SELECT max(seq) FROM "
        "weft.messages) > (SELECT last_value FROM weft.message_numbers)",
        "SELECT setval('weft.item_numbers', (SELECT max(number) FROM weft.items)) WHERE (SELECT max(number) FROM "
        "weft.items) > (SELECT last_value FROM weft.item_numbers)"})
    if (const auto set = connection->run(Query(sql)); !set.ok()) return set.error();
  return std::unique_ptr<Store>(std::move(store));
}

PostgresStore::~PostgresStore() {
  if (!joined_) return;
  guarded_or_logged("store.leave", [&] {
    (void)pool_.run(Query("UPDATE weft.jobs SET state=0 WHERE state=1 AND holder=$1").bind(program_));
    (void)pool_.run(Query("DELETE FROM weft.programs WHERE program=$1").bind(program_));
  });
}

// By the clock of the server: those of the programs may differ. A program that is gone is forgotten after a while.
Status PostgresStore::join(const std::string& embedder) {
  WEFT_TRY(auto connection, pool_.take());
#define WEFT_PG_OTHERS "FROM weft.programs WHERE program<>$1 AND embedder<>'' AND $2<>'' AND embedder<>$2"
  WEFT_TRY(const auto answers,
           connection->run_together(
               {Query("SELECT pg_advisory_xact_lock(hashtext('weft.programs'))"),
                Query("DELETE FROM weft.programs WHERE seen < clock_timestamp() - interval '15 seconds'"),
                Query("INSERT INTO weft.programs SELECT $1::text, $2::text, clock_timestamp() WHERE NOT EXISTS (SELECT "
                      "1 " WEFT_PG_OTHERS
                      ") ON CONFLICT (program) DO UPDATE SET embedder=EXCLUDED.embedder, seen=EXCLUDED.seen")
                    .bind(program_)
                    .bind(embedder),
                Query("SELECT embedder " WEFT_PG_OTHERS " ORDER BY seen LIMIT 1").bind(program_).bind(embedder)},
               {.without_flush = true}));
#undef WEFT_PG_OTHERS
  if (answers.back().count() == 0) {
    joined_ = true;
    return {};
  }
  return conflict("store: another server uses it with the embedding model " + Row(answers.back(), 0).text(0) +
                      ", this one with " + embedder,
                  "give all of them the same embedding.model; to change it, stop the others first (one that was killed "
                  "is forgotten after 15 seconds)");
}

Result<std::vector<std::int64_t>> PostgresStore::take_numbers(RowKind kind, std::size_t count) {
  Query query(kind == RowKind::kMessage ? "SELECT nextval('weft.message_numbers') FROM generate_series(1, $1::bigint)"
                                        : "SELECT nextval('weft.item_numbers') FROM generate_series(1, $1::bigint)");
  return read_all(pool_, query.bind(static_cast<std::int64_t>(count)), [](const Row& at) { return at.integer(0); });
}

Status PostgresStore::put(const WriteBatch& batch) {
  if (batch.empty()) return {};
  WEFT_TRY(auto connection, pool_.take());
  std::set<ScopeKey> scopes = named_scopes(batch);
  const auto messages = unnamed_messages(batch);
  const auto items = unnamed_items(batch);
  if (!messages.empty() || !items.empty()) {
    Query query(
        "SELECT scope FROM weft.messages WHERE seq=ANY($1::bigint[]) UNION SELECT scope FROM weft.items WHERE "
        "number=ANY($2::bigint[])");
    WEFT_TRY(const Rows found, connection->run(query.bind(messages).bind(items)));
    for (int i = 0; i < found.count(); ++i) scopes.insert(ScopeKey(Row(found, i).text(0)));
  }
  const auto statements = statements_of(batch, scopes);
  if (statements.empty()) return {};
  WEFT_TRY(const auto answers, connection->run_together(statements, {.without_flush = batch.repeatable}));
  if (scopes.empty()) return {};
  const Rows& heads = answers.front();
  for (int i = 0; i < heads.count(); ++i) {
    const Row head(heads, i);
    note_own_write(ScopeKey(head.text(0)), head.integer(1), head.integer(2));
  }
  return {};
}

// A write that followed what is known here is known, too; one that followed another program's is not.
void PostgresStore::note_own_write(const ScopeKey& scope, std::int64_t version, std::int64_t before) {
  auto seen = seen_.lock();
  if (seen->size() > kMostSeen) seen->clear();
  const auto [at, is_new] = seen->try_emplace(scope, 0);
  if (at->second == before)
    at->second = version;
  else if (is_new)
    seen->erase(at);
}

Result<ScopeNews> PostgresStore::news(const ScopeKey& scope) {
  Query query("SELECT version, removed FROM weft.heads WHERE scope=$1");
  WEFT_TRY(const auto head,
           read_one(pool_, query.bind(scope), [](const Row& at) { return std::pair(at.integer(0), at.integer(1)); }));
  ScopeNews news;
  {
    auto seen = seen_.lock();
    if (const auto at = seen->find(scope); at != seen->end()) news.since = at->second;
  }
  if (head) news.version = head->first;
  // A crash of the server may have undone writes that waited for no flush.
  news.has_removed = !head || head->second >= news.since || head->first < news.since;
  return news;
}

void PostgresStore::caught_up(const ScopeKey& scope, const ScopeNews& news) {
  auto seen = seen_.lock();
  if (news.version == 0)
    seen->erase(scope);
  else
    (*seen)[scope] = news.version;
}

Result<bool> PostgresStore::has_mark(const std::string& mark) {
  WEFT_TRY(const auto found, read_number(pool_, Query("SELECT count(*) FROM weft.marks WHERE mark=$1").bind(mark)));
  return found > 0;
}

Result<std::string> PostgresStore::note(const std::string& name) {
  WEFT_TRY(const auto value, read_one(pool_, Query("SELECT value FROM weft.meta WHERE name=$1").bind(name),
                                      [](const Row& at) { return at.text(0); }));
  return value.value_or(std::string());
}

Status PostgresStore::set_note(const std::string& name, const std::string& value) {
  Query query("INSERT INTO weft.meta VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value=EXCLUDED.value");
  const auto done = pool_.run(query.bind(name).bind(value));
  return done.ok() ? Status() : Status(done.error());
}

Result<StoreCounts> PostgresStore::counts() {
  Query query(
      "SELECT (SELECT count(*) FROM weft.messages), (SELECT count(*) FROM weft.items), (SELECT count(*) FROM "
      "weft.items "
      "WHERE model=''), (SELECT count(*) FROM weft.blocks WHERE " WEFT_BLOCK_WAITS
      "), greatest((SELECT max(seq) FROM weft.messages), (SELECT value::text::bigint FROM weft.meta WHERE name=$1), "
      "0), "
      "greatest((SELECT max(number) FROM weft.items), (SELECT value::text::bigint FROM weft.meta WHERE name=$2), 0)");
  WEFT_TRY(const Rows rows, pool_.run(query.bind(kLastSeqNote).bind(kLastRowNote)));
  const Row row(rows, 0);
  return StoreCounts{static_cast<std::uint64_t>(row.integer(0)),
                     static_cast<std::uint64_t>(row.integer(1)),
                     static_cast<std::uint64_t>(row.integer(2)),
                     static_cast<std::uint64_t>(row.integer(3)),
                     row.integer(4),
                     row.integer(5)};
}

}  // namespace weft::postgres
