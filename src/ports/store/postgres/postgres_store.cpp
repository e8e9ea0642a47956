#include "ports/store/postgres/postgres_store.h"

#include "base/guarded.h"
#include "base/random_id.h"
#include "ports/store/postgres/row_readers.h"
#include "ports/store/postgres/schema.h"
#include "ports/store/postgres/write.h"

namespace weft::postgres {
namespace {

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
