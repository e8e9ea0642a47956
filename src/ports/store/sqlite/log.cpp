// The log of each scope, and the cursors of its readers.
#include <algorithm>

#include "base/clock.h"
#include "ports/store/sqlite/row_readers.h"
#include "ports/store/sqlite/tables.h"

namespace weft::sqlite {
namespace {

// Numbers are dense: writers take turns, so that no other number is given between the two statements.
Status append(Connection& connection, const ScopeKey& scope, LogKind kind, const SessionId& session,
              std::string_view body, std::int64_t time_ms) {
  WEFT_CHECK(
      connection
          .prepare("INSERT INTO heads (scope,seq) VALUES (?1,1+ifnull((SELECT CAST(value AS INTEGER) FROM meta WHERE "
                   "name=?2),0)) ON CONFLICT (scope) DO UPDATE SET seq=seq+1")
          .bind(scope)
          .bind(std::string_view(kLastLogNote))
          .run());
  return connection
      .prepare(
          "INSERT INTO log (scope,seq,kind,session,body,time) VALUES (?1,(SELECT seq FROM heads WHERE "
          "scope=?1),?2,?3,?4,?5)")
      .bind(scope)
      .bind(static_cast<std::int64_t>(kind))
      .bind(session)
      .bind(body)
      .bind(time_ms)
      .run();
}

Status move_cursor(Connection& connection, const CursorMove& move) {
  if (move.from == 0)
    WEFT_CHECK(connection.prepare("INSERT OR IGNORE INTO cursors (reader,scope,seq) VALUES (?,?,0)")
                   .bind(move.reader)
                   .bind(move.scope)
                   .run());
  WEFT_CHECK(connection.prepare("UPDATE cursors SET seq=? WHERE reader=? AND scope=? AND seq=?")
                 .bind(move.to)
                 .bind(move.reader)
                 .bind(move.scope)
                 .bind(move.from)
                 .run());
  if (sqlite3_changes64(connection.handle()) > 0) return {};
  return conflict("log: the cursor of the reader \"" + move.reader + "\" does not stand at " +
                  std::to_string(move.from) + " in " + move.scope.str());
}

LogEntry read_entry(const Statement& at) {
  LogEntry entry;
  entry.scope = ScopeKey(at.text(0));
  entry.seq = at.integer(1);
  entry.kind = static_cast<LogKind>(at.integer(2));
  entry.session = SessionId(at.text(3));
  entry.body = at.text(4);
  entry.time_ms = at.integer(5);
  return entry;
}

std::string names_of(std::span<const std::string> readers) {
  return json_list(std::vector<std::string_view>(readers.begin(), readers.end()));
}

// Scopes with entries behind the cursor of one of the readers ?1, a JSON list, as (scope, the first cursor, time of the
// first of these entries). The numbers of the entries alone are compared first, so that scopes without news cost a
// look-up a reader.
#define WEFT_BEHIND                                                                                                    \
  "WITH standing AS (SELECT h.scope AS scope, min(ifnull(c.seq,0)) AS cursor FROM heads AS h CROSS JOIN "              \
  "json_each(?1) "                                                                                                     \
  "AS r LEFT JOIN cursors AS c ON c.reader=r.value AND c.scope=h.scope WHERE h.seq>ifnull(c.seq,0) GROUP BY "          \
  "h.scope), "                                                                                                         \
  "behind AS (SELECT scope, cursor, (SELECT time FROM log WHERE log.scope=standing.scope AND log.seq>cursor ORDER BY " \
  "log.seq LIMIT 1) AS since FROM standing) "

}  // namespace

Status put_log(Connection& connection, const WriteBatch& batch) {
  const std::int64_t time_ms = batch.now_ms != 0 ? batch.now_ms : SystemClock().now().ms;
  for (const MessageRow& row : batch.messages)
    WEFT_CHECK(append(connection, row.scope, LogKind::kMessage, row.session, std::to_string(row.seq), time_ms));
  for (const LogEntry& entry : batch.log)
    WEFT_CHECK(append(connection, entry.scope, entry.kind, entry.session, entry.body, time_ms));
  for (const CursorMove& move : batch.cursors) WEFT_CHECK(move_cursor(connection, move));
  return {};
}

// A row without a scope says that the reader is known.
Status SqliteLog::open_reader(const std::string& reader) {
  auto connection = pools_.writer->take();
  Transaction transaction(*connection);
  WEFT_CHECK(transaction.begin());
  WEFT_CHECK(
      connection
          ->prepare("INSERT OR IGNORE INTO cursors (reader,scope,seq) SELECT ?1, scope, seq FROM heads WHERE NOT "
                    "EXISTS (SELECT 1 FROM cursors WHERE reader=?1 AND scope='')")
          .bind(reader)
          .run());
  WEFT_CHECK(
      connection->prepare("INSERT OR IGNORE INTO cursors (reader,scope,seq) VALUES (?,'',0)").bind(reader).run());
  return transaction.commit();
}

Result<std::vector<LogEntry>> SqliteLog::behind(const ScopeKey& scope, std::int64_t seq, std::size_t limit) {
  auto connection = pools_.readers().take();
  Statement statement = connection->prepare(
      "SELECT scope,seq,kind,session,body,time FROM log WHERE scope=? AND seq>? ORDER BY seq LIMIT ?");
  statement.bind(scope).bind(seq).bind(static_cast<std::int64_t>(limit));
  return read_all(statement, read_entry);
}

Result<std::vector<std::int64_t>> SqliteLog::cursors(const ScopeKey& scope, std::span<const std::string> readers) {
  auto connection = pools_.readers().take();
  Statement statement = connection->prepare(
      "SELECT ifnull(c.seq,0) FROM json_each(?1) AS r LEFT JOIN cursors AS c ON c.reader=r.value AND c.scope=?2 ORDER "
      "BY r.key");
  const std::string names = names_of(readers);
  statement.bind(names).bind(scope);
  return read_all(statement, [](const Statement& at) { return at.integer(0); });
}

Result<std::vector<ScopeKey>> SqliteLog::scopes_behind(std::span<const std::string> readers, std::size_t limit) {
  auto connection = pools_.readers().take();
  Statement statement = connection->prepare(
      WEFT_BEHIND "SELECT scope FROM behind WHERE since IS NOT NULL ORDER BY since, scope LIMIT ?2");
  const std::string names = names_of(readers);
  statement.bind(names).bind(static_cast<std::int64_t>(limit));
  return read_all(statement, [](const Statement& at) { return ScopeKey(at.text(0)); });
}

Result<ReaderLag> SqliteLog::lag(const std::string& reader) {
  auto connection = pools_.readers().take();
  Statement statement = connection->prepare(
      WEFT_BEHIND
      "SELECT ifnull(sum((SELECT count(*) FROM log WHERE log.scope=behind.scope AND log.seq>cursor)),0), min(since) "
      "FROM behind");
  const std::string names = names_of(std::span(&reader, 1));
  statement.bind(names);
  ReaderLag lag;
  if (statement.step()) {
    lag.entries = static_cast<std::uint64_t>(statement.integer(0));
    if (!statement.is_null(1)) lag.since_ms = statement.integer(1);
  }
  WEFT_CHECK(statement.status());
  return lag;
}

Result<std::int64_t> SqliteLog::newest(const ScopeKey& scope) {
  auto connection = pools_.readers().take();
  Statement statement = connection->prepare("SELECT ifnull(max(seq),0) FROM heads WHERE scope=?");
  statement.bind(scope);
  const bool has_row = statement.step();
  WEFT_CHECK(statement.status());
  return has_row ? statement.integer(0) : 0;
}

Result<std::size_t> SqliteLog::trim(std::span<const std::string> readers, std::int64_t keep, std::size_t limit) {
  const std::string names = names_of(readers);
  std::vector<std::pair<std::string, std::int64_t>> scopes;  // with the last number that may go
  {
    auto connection = pools_.readers().take();
    Statement statement = connection->prepare(
        "WITH bounds AS (SELECT h.scope AS scope, min(h.seq-?1, ifnull((SELECT min(ifnull(c.seq,0)) FROM json_each(?2) "
        "AS r LEFT JOIN cursors AS c ON c.reader=r.value AND c.scope=h.scope), h.seq)) AS bound FROM heads AS h), "
        "oldest AS (SELECT scope, bound, (SELECT min(seq) FROM log WHERE log.scope=bounds.scope) AS first FROM bounds "
        "WHERE bound>0) SELECT scope, min(bound, first+?3-1) FROM oldest WHERE first<=bound LIMIT ?3");
    statement.bind(keep).bind(names).bind(static_cast<std::int64_t>(limit));
    WEFT_TRY(scopes, read_all(statement, [](const Statement& at) { return std::pair(at.text(0), at.integer(1)); }));
  }
  std::size_t gone = 0;
  for (const auto& [scope, last] : scopes) {
    if (gone >= limit) break;
    auto connection = pools_.writer->take();
    WEFT_CHECK(connection->prepare("DELETE FROM log WHERE scope=? AND seq<=?").bind(scope).bind(last).run());
    gone += static_cast<std::size_t>(sqlite3_changes64(connection->handle()));
  }
  return gone;
}

}  // namespace weft::sqlite
