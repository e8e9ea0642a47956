// Jobs, the log with its readers, vectors of the next model, and what is read of the store as a whole.
#include <algorithm>

#include "ports/store/postgres/postgres_store.h"
#include "ports/store/postgres/row_readers.h"
#include "ports/store/row_codec.h"

namespace weft::postgres {
namespace {

#define WEFT_PG_JOB "id,scope,kind,payload,state,attempts,reason,created,not_before"

Job read_job(const Row& at) {
  Job job;
  job.id = JobId(at.text(0));
  job.scope = ScopeKey(at.text(1));
  job.kind = at.text(2);
  job.payload = at.text(3);
  job.state = static_cast<JobState>(at.integer(4));
  job.attempts = static_cast<int>(at.integer(5));
  job.reason = at.text(6);
  job.created_ms = at.integer(7);
  job.not_before_ms = at.integer(8);
  return job;
}
static_assert(static_cast<int>(JobState::kPending) == 0 && static_cast<int>(JobState::kProcessing) == 1 &&
              static_cast<int>(JobState::kFailed) == 2);

LogEntry read_entry(const Row& at) {
  return {ScopeKey(at.text(0)),  at.integer(1), static_cast<LogKind>(at.integer(2)),
          SessionId(at.text(3)), at.text(4),    at.integer(5)};
}

Status as_status(const Result<Rows>& done) { return done.ok() ? Status() : Status(done.error()); }

Status moved(const Result<Rows>& done, const JobHold& hold) {
  if (!done.ok()) return done.error();
  return done->changed() > 0 ? Status() : not_found("no job " + hold.id.str() + " in work");
}

// Runs statements in a transaction that waits for no flush: a crash of the server may undo it, and then it is done
// again.
Result<Rows> run_unflushed(Pool& pool, const Query& query) {
  WEFT_TRY(auto connection, pool.take());
  WEFT_TRY(auto rows, connection->run_together({query}, {.without_flush = true}));
  return std::move(rows.front());
}

// Scopes with entries behind the cursor of one of the readers $1, a list, and the time of the first of these entries.
#define WEFT_PG_BEHIND                                                                                            \
  "WITH standing AS (SELECT h.scope, min(coalesce(c.seq,0)) AS cursor FROM weft.heads AS h CROSS JOIN "           \
  "unnest($1::text[]) AS r LEFT JOIN weft.cursors AS c ON c.reader=r AND c.scope=h.scope WHERE "                  \
  "h.seq>coalesce(c.seq,0) GROUP BY h.scope), behind AS (SELECT scope, cursor, (SELECT time FROM weft.log WHERE " \
  "log.scope=standing.scope AND log.seq>cursor ORDER BY log.seq LIMIT 1) AS since FROM standing) "

}  // namespace

// Jobs.

Result<std::optional<Job>> PostgresJobs::take(std::int64_t now_ms, std::int64_t lease_ms) {
  // First what its holder has lost, or what a program holds that is gone. Others pass over a job that is being taken.
  Query query(
      "UPDATE weft.jobs SET state=1, attempts=attempts+1, lease=$1::bigint+$2::bigint, holder=$3 WHERE place=coalesce("
      "(SELECT place FROM weft.jobs AS held WHERE state=1 AND (lease<=$1 OR (holder<>'' AND holder<>$3::text AND NOT "
      "EXISTS (SELECT 1 FROM weft.programs WHERE program=held.holder AND seen > clock_timestamp() - interval "
      "'15 seconds'))) ORDER BY place LIMIT 1 FOR UPDATE SKIP LOCKED),"
      "(SELECT place FROM weft.jobs WHERE state=0 AND not_before<=$1 ORDER BY place LIMIT 1 FOR UPDATE SKIP LOCKED)) "
      "RETURNING " WEFT_PG_JOB);
  query.bind(now_ms).bind(lease_ms).bind(with_.joined ? with_.program : std::string());
  const Query due = Query("SELECT count(*) FROM weft.jobs WHERE state=0 AND not_before<=$1").bind(now_ms);
  // All jobs that were there when the statement began may have been taken, while others have come.
  constexpr int kTries = 10;
  for (int i = 0; i < kTries; ++i) {
    WEFT_TRY(const Rows rows, run_unflushed(with_.pool, query));
    if (rows.count() > 0) return std::optional<Job>(read_job(Row(rows, 0)));
    WEFT_TRY(const std::int64_t waiting, read_number(with_.pool, due));
    if (waiting == 0) break;
  }
  return std::optional<Job>();
}

Status PostgresJobs::finish(const JobHold& hold) {
  Query query("DELETE FROM weft.jobs WHERE id=$1 AND state=1 AND attempts=$2");
  return as_status(run_unflushed(with_.pool, query.bind(hold.id).bind(std::int64_t{hold.attempt})));
}

Status PostgresJobs::put_back(const JobHold& hold, const std::string& reason, std::int64_t not_before_ms) {
  Query query("UPDATE weft.jobs SET state=0, reason=$3, not_before=$4 WHERE id=$1 AND state=1 AND attempts=$2");
  query.bind(hold.id).bind(std::int64_t{hold.attempt}).bind(reason).bind(not_before_ms);
  return moved(run_unflushed(with_.pool, query), hold);
}

Status PostgresJobs::fail(const JobHold& hold, const std::string& reason) {
  Query query("UPDATE weft.jobs SET state=2, reason=$3, not_before=0 WHERE id=$1 AND state=1 AND attempts=$2");
  return moved(with_.pool.run(query.bind(hold.id).bind(std::int64_t{hold.attempt}).bind(reason)), hold);
}

Result<std::size_t> PostgresJobs::retry(const JobId& id) {
  Query query("UPDATE weft.jobs SET state=0, attempts=0, not_before=0 WHERE state=2 AND ($1='' OR id=$1)");
  WEFT_TRY(const Rows done, with_.pool.run(query.bind(id)));
  return done.changed();
}

Status PostgresJobs::release_all() {
  return as_status(with_.pool.run(Query("UPDATE weft.jobs SET state=0 WHERE state=1")));
}

Result<bool> PostgresJobs::contains(const JobId& id) {
  Query query("SELECT count(*) FROM weft.jobs WHERE id=$1");
  WEFT_TRY(const auto found, read_number(with_.pool, query.bind(id)));
  return found > 0;
}

Result<std::vector<Job>> PostgresJobs::list() {
  return read_all(with_.pool, Query("SELECT " WEFT_PG_JOB " FROM weft.jobs ORDER BY place"), read_job);
}

Result<JobCounts> PostgresJobs::counts(std::int64_t now_ms) {
  Query query(
      "SELECT state, count(*), min(greatest(created,not_before)) FILTER (WHERE greatest(created,not_before)<=$1) "
      "FROM weft.jobs GROUP BY state");
  WEFT_TRY(const Rows rows, with_.pool.run(query.bind(now_ms)));
  JobCounts counts;
  for (int i = 0; i < rows.count(); ++i) {
    const Row row(rows, i);
    const auto state = static_cast<JobState>(row.integer(0));
    std::size_t& count = state == JobState::kPending      ? counts.pending
                         : state == JobState::kProcessing ? counts.processing
                                                          : counts.failed;
    count = static_cast<std::size_t>(row.integer(1));
    if (state == JobState::kPending && !row.is_null(2)) counts.waiting_since = row.integer(2);
  }
  return counts;
}

Result<std::optional<std::int64_t>> PostgresJobs::next_due() {
  WEFT_TRY(const Rows rows,
           with_.pool.run(Query("SELECT min(CASE state WHEN 0 THEN not_before ELSE lease END) FROM weft.jobs WHERE "
                                "state<2")));
  std::optional<std::int64_t> due;
  if (rows.count() > 0 && !Row(rows, 0).is_null(0)) due = Row(rows, 0).integer(0);
  return due;
}

// The log.

// A row without a scope says that the reader is known.
Status PostgresLog::open_reader(const std::string& reader) {
  WEFT_TRY(auto connection, with_.pool.take());
  const auto opened = connection->run_together(
      {Query("INSERT INTO weft.cursors (reader,scope,seq) SELECT $1::text, scope, seq FROM weft.heads WHERE NOT EXISTS "
             "(SELECT 1 FROM weft.cursors WHERE reader=$1 AND scope='') ON CONFLICT DO NOTHING")
           .bind(reader),
       Query("INSERT INTO weft.cursors (reader,scope,seq) VALUES ($1,'',0) ON CONFLICT DO NOTHING").bind(reader)});
  return opened.ok() ? Status() : Status(opened.error());
}

Result<std::vector<LogEntry>> PostgresLog::behind(const ScopeKey& scope, std::int64_t seq, std::size_t limit) {
  Query query("SELECT scope,seq,kind,session,body,time FROM weft.log WHERE scope=$1 AND seq>$2 ORDER BY seq LIMIT $3");
  return read_all(with_.pool, query.bind(scope).bind(seq).bind(static_cast<std::int64_t>(limit)), read_entry);
}

Result<std::vector<std::int64_t>> PostgresLog::cursors(const ScopeKey& scope, std::span<const std::string> readers) {
  Query query(
      "SELECT coalesce(c.seq,0) FROM unnest($1::text[]) WITH ORDINALITY AS r (name, place) LEFT JOIN weft.cursors AS c "
      "ON c.reader=r.name AND c.scope=$2 ORDER BY r.place");
  return read_all(with_.pool, query.bind(list_of(readers)).bind(scope), [](const Row& at) { return at.integer(0); });
}

Result<std::vector<ScopeKey>> PostgresLog::scopes_behind(std::span<const std::string> readers, std::size_t limit) {
  Query query(WEFT_PG_BEHIND "SELECT scope FROM behind WHERE since IS NOT NULL ORDER BY since, scope LIMIT $2");
  return read_all(with_.pool, query.bind(list_of(readers)).bind(static_cast<std::int64_t>(limit)),
                  [](const Row& at) { return ScopeKey(at.text(0)); });
}

Result<ReaderLag> PostgresLog::lag(const std::string& reader) {
  Query query(WEFT_PG_BEHIND
              "SELECT coalesce(sum((SELECT count(*) FROM weft.log WHERE log.scope=behind.scope AND "
              "log.seq>cursor)),0)::bigint, min(since) FROM behind");
  WEFT_TRY(const Rows rows, with_.pool.run(query.bind(list_of(std::span(&reader, 1)))));
  ReaderLag lag;
  if (rows.count() == 0) return lag;
  const Row row(rows, 0);
  lag.entries = static_cast<std::uint64_t>(row.integer(0));
  if (!row.is_null(1)) lag.since_ms = row.integer(1);
  return lag;
}

Result<std::int64_t> PostgresLog::newest(const ScopeKey& scope) {
  WEFT_TRY(const Rows rows,
           with_.pool.run(Query("SELECT coalesce(max(seq),0) FROM weft.heads WHERE scope=$1").bind(scope)));
  return rows.count() == 0 ? 0 : Row(rows, 0).integer(0);
}

Result<std::size_t> PostgresLog::trim(std::span<const std::string> readers, std::int64_t keep, std::size_t limit) {
  Query query(
      "WITH bounds AS (SELECT h.scope, least(h.seq-$1, coalesce((SELECT min(coalesce(c.seq,0)) FROM "
      "unnest($2::text[]) AS r LEFT JOIN weft.cursors AS c ON c.reader=r AND c.scope=h.scope), h.seq)) AS bound FROM "
      "weft.heads AS h), oldest AS (SELECT scope, bound, (SELECT min(seq) FROM weft.log WHERE log.scope=bounds.scope) "
      "AS first FROM bounds WHERE bound>0) SELECT scope, least(bound, first+$3-1) FROM oldest WHERE first<=bound "
      "LIMIT $3");
  query.bind(keep).bind(list_of(readers)).bind(static_cast<std::int64_t>(limit));
  WEFT_TRY(const auto scopes,
           read_all(with_.pool, query, [](const Row& at) { return std::pair(ScopeKey(at.text(0)), at.integer(1)); }));
  std::size_t gone = 0;
  for (const auto& [scope, last] : scopes) {
    if (gone >= limit) break;
    WEFT_TRY(const Rows done,
             with_.pool.run(Query("DELETE FROM weft.log WHERE scope=$1 AND seq<=$2").bind(scope).bind(last)));
    gone += done.changed();
  }
  return gone;
}

// Vectors of the next model.

Result<std::vector<NextItem>> PostgresNextVectors::missing(const std::string& model, std::int64_t after,
                                                           std::size_t limit) {
  Query query(
      "SELECT number, text FROM weft.items WHERE number>$1 AND model<>'-' AND NOT EXISTS (SELECT 1 FROM "
      "weft.next_vectors AS next WHERE next.number=items.number AND next.model=$2) ORDER BY number LIMIT $3");
  return read_all(with_.pool, query.bind(after).bind(model).bind(static_cast<std::int64_t>(limit)),
                  [](const Row& at) { return NextItem{at.integer(0), at.text(1)}; });
}

Status PostgresNextVectors::keep(const std::string& model, std::span<const NextVector> vectors) {
  WEFT_TRY(auto connection, with_.pool.take());
  std::vector<Query> all;
  for (const NextVector& next : vectors)
    all.push_back(
        Query("INSERT INTO weft.next_vectors (number,model,vector) SELECT number, $1, $2::bytea FROM weft.items WHERE "
              "number=$3 AND text=$4 AND model<>'-' ON CONFLICT (number) DO UPDATE SET model=EXCLUDED.model, "
              "vector=EXCLUDED.vector")
            .bind(model)
            .bind_bytes(as_bytes(next.vector))
            .bind(next.row)
            .bind(next.text));
  const auto kept = connection->run_together(all);
  return kept.ok() ? Status() : Status(kept.error());
}

Result<NextCounts> PostgresNextVectors::count(const std::string& model) {
  Query query(
      "SELECT (SELECT count(*) FROM weft.next_vectors WHERE model=$1), (SELECT count(*) FROM weft.items), "
      "(SELECT count(*) FROM weft.items WHERE model='-')");
  WEFT_TRY(const Rows rows, with_.pool.run(query.bind(model)));
  const Row row(rows, 0);
  NextCounts counts;
  counts.all = static_cast<std::uint64_t>(row.integer(1) - row.integer(2));
  counts.done = std::min(counts.all, static_cast<std::uint64_t>(row.integer(0)));
  return counts;
}

Status PostgresNextVectors::discard(const std::string& except_model) {
  return as_status(with_.pool.run(Query("DELETE FROM weft.next_vectors WHERE model<>$1").bind(except_model)));
}

Status PostgresNextVectors::serve(const std::string& model) {
  WEFT_TRY(auto connection, with_.pool.take());
  const auto done = connection->run_together(
      {Query(
           "UPDATE weft.items SET vector=next.vector, model=CASE WHEN length(next.vector)=0 THEN '-' ELSE $1 END FROM "
           "weft.next_vectors AS next WHERE next.number=items.number AND next.model=$1 AND items.model<>'-'")
           .bind(model),
       Query("UPDATE weft.items SET model='', vector='' WHERE model NOT IN ('', '-', $1)").bind(model),
       Query("UPDATE weft.topics SET trace='' WHERE trace<>''"), Query("DELETE FROM weft.next_vectors"),
       Query(kAllAreNews),
       Query("INSERT INTO weft.meta VALUES ('embedder', $1) ON CONFLICT (name) DO UPDATE SET value=EXCLUDED.value")
           .bind(model)},
      {.may_last = true});
  return done.ok() ? Status() : Status(done.error());
}

// The store as a whole.

Status PostgresFile::scan_texts(const std::function<void(bool said, std::string_view text)>& take) {
  const auto slice = [](const char* sql) {
    return [sql](std::int64_t last, std::int64_t limit) { return Query(sql).bind(last).bind(limit); };
  };
  WEFT_CHECK(scan_slices(with_.pool,
                         slice("SELECT seq,content,extra FROM weft.messages WHERE seq>$1 ORDER BY seq LIMIT $2"),
                         [&](const Row& at) {
                           take(true, at.text(1));
                           take(true, at.text(2));
                         }));
  WEFT_CHECK(
      scan_slices(with_.pool, slice("SELECT number,text,kind FROM weft.items WHERE number>$1 ORDER BY number LIMIT $2"),
                  [&](const Row& at) { take(static_cast<ItemKind>(at.integer(2)) == ItemKind::kLore, at.text(1)); }));
  for (const auto& [said, sql] : {std::pair{true, "SELECT system FROM weft.sessions WHERE system<>''"},
                                  {false, "SELECT lead FROM weft.topics WHERE lead<>''"},
                                  {false, "SELECT payload FROM weft.jobs"},
                                  {false, "SELECT body FROM weft.documents"},
                                  {false, "SELECT body FROM weft.log"}}) {
    WEFT_TRY(const Rows rows, with_.pool.run(Query(sql)));
    for (int i = 0; i < rows.count(); ++i) take(said, Row(rows, i).text(0));
  }
  return {};
}

Status PostgresFile::copy_to(const std::string&) {
  return invalid_argument("the memory lies in PostgreSQL", "use pg_dump or the server's own backups");
}

}  // namespace weft::postgres
