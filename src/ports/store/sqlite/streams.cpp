// Sessions, and the blocks and topics that their messages were cut into.
#include <utility>

#include "ports/store/sqlite/row_readers.h"
#include "ports/store/sqlite/tables.h"

namespace weft::sqlite {
namespace {

SessionKey read_session_key(const Statement& at) {
  ScopeKey scope(at.text(0));
  return {std::move(scope), SessionId(at.text(1))};
}

}  // namespace

Result<std::optional<SessionRow>> SqliteStreams::session(const ScopeKey& scope, const SessionId& session) {
  auto connection = pools_.readers().take();
  Statement statement = connection->prepare(
      "SELECT scope,session,head,open_topic,open_block,system,resent,version FROM sessions WHERE scope=? AND "
      "session=?");
  statement.bind(scope).bind(session);
  return read_one(statement, [](const Statement& at) {
    return SessionRow{ScopeKey(at.text(0)), SessionId(at.text(1)), at.integer(2),
                      TopicId(at.text(3)),  BlockId(at.text(4)),   at.text(5),
                      at.integer(6) != 0,   at.integer(7)};
  });
}

Result<std::optional<BlockRow>> SqliteStreams::block(const ScopeKey& scope, const SessionId& session,
                                                     const BlockId& id) {
  auto connection = pools_.readers().take();
  Statement statement =
      connection->prepare("SELECT " WEFT_BLOCK_COLUMNS " FROM blocks WHERE scope=? AND session=? AND id=?");
  statement.bind(scope).bind(session).bind(id);
  return read_one(statement, read_block);
}

Result<std::vector<BlockRow>> SqliteStreams::topic_blocks(const ScopeKey& scope, const SessionId& session,
                                                          const TopicId& topic) {
  auto connection = pools_.readers().take();
  Statement statement =
      connection->prepare("SELECT " WEFT_BLOCK_COLUMNS
                          " FROM blocks WHERE scope=? AND session=? AND topic=? AND active=1 ORDER BY first_seq");
  statement.bind(scope).bind(session).bind(topic);
  return read_all(statement, read_block);
}

Result<std::vector<BlockRow>> SqliteStreams::session_blocks(const ScopeKey& scope, const SessionId& session) {
  auto connection = pools_.readers().take();
  Statement statement = connection->prepare("SELECT " WEFT_BLOCK_COLUMNS
                                            " FROM blocks WHERE scope=? AND session=? AND active=1 ORDER BY first_seq");
  statement.bind(scope).bind(session);
  return read_all(statement, read_block);
}

Result<std::vector<BlockRow>> SqliteStreams::blocks_before(const ScopeKey& scope, const SessionId& session,
                                                           std::int64_t first_seq, std::size_t limit) {
  auto connection = pools_.readers().take();
  Statement statement = connection->prepare("SELECT * FROM (SELECT " WEFT_BLOCK_COLUMNS
                                            " FROM blocks WHERE scope=? AND session=? AND first_seq<? AND active=1"
                                            " ORDER BY first_seq DESC LIMIT ?) ORDER BY first_seq");
  statement.bind(scope).bind(session).bind(first_seq).bind(static_cast<std::int64_t>(limit));
  return read_all(statement, read_block);
}

Result<SessionSums> SqliteStreams::session_sums(const ScopeKey& scope, const SessionId& session) {
  auto connection = pools_.readers().take();
  Statement statement = connection->prepare(
      "SELECT count(*), count(DISTINCT nullif(topic,'')), coalesce(sum(tokens),0), coalesce(min(first_seq),0)"
      " FROM blocks WHERE scope=? AND session=? AND active=1");
  statement.bind(scope).bind(session);
  SessionSums sums;
  if (statement.step()) sums = {statement.integer(0), statement.integer(1), statement.integer(2), statement.integer(3)};
  WEFT_CHECK(statement.status());
  return sums;
}

Result<std::optional<TopicRow>> SqliteStreams::topic(const ScopeKey& scope, const SessionId& session,
                                                     const TopicId& id) {
  auto connection = pools_.readers().take();
  Statement statement =
      connection->prepare("SELECT " WEFT_TOPIC_COLUMNS " FROM topics WHERE scope=? AND session=? AND id=?");
  statement.bind(scope).bind(session).bind(id);
  return read_one(statement, read_topic);
}

Result<std::vector<BlockRow>> SqliteStreams::waiting_blocks(const ScopeKey& scope, const SessionId& session) {
  auto connection = pools_.readers().take();
  Statement statement =
      connection->prepare("SELECT " WEFT_BLOCK_COLUMNS " FROM blocks WHERE scope=? AND session=? AND " WEFT_BLOCK_WAITS
                          " ORDER BY first_seq");
  statement.bind(scope).bind(session);
  return read_all(statement, read_block);
}

Result<std::vector<SessionKey>> SqliteStreams::sessions_with_waiting_blocks(const std::optional<SessionKey>& after,
                                                                            std::size_t limit) {
  auto connection = pools_.readers().take();
  Statement statement =
      connection->prepare("SELECT DISTINCT scope,session FROM blocks INDEXED BY blocks_waiting WHERE " WEFT_BLOCK_WAITS
                          " AND (scope,session)>(?,?) ORDER BY scope,session LIMIT ?");
  const SessionKey behind = after.value_or(SessionKey());  // bound texts must outlive the statement's steps
  statement.bind(behind.first).bind(behind.second).bind(static_cast<std::int64_t>(limit));
  return read_all(statement, read_session_key);
}

Result<std::vector<OpenSession>> SqliteStreams::open_sessions() {
  auto connection = pools_.readers().take();
  Statement statement = connection->prepare(
      "SELECT scope,session,min(touched) FROM (SELECT scope,session,touched FROM topics WHERE status=? AND done=0 "
      "UNION ALL SELECT scope,session,0 FROM sessions WHERE open_block<>'') GROUP BY scope,session");
  statement.bind(static_cast<std::int64_t>(TopicStatus::kOpen));
  return read_all(statement, [](const Statement& at) { return OpenSession{read_session_key(at), at.integer(2)}; });
}

Result<std::vector<SessionId>> SqliteStreams::scope_sessions(const ScopeKey& scope) {
  auto connection = pools_.readers().take();
  Statement statement = connection->prepare("SELECT session FROM sessions WHERE scope=? ORDER BY session");
  statement.bind(scope);
  return read_all(statement, [](const Statement& at) { return SessionId(at.text(0)); });
}

Result<std::vector<ScopeKey>> SqliteStreams::scopes() {
  auto connection = pools_.readers().take();
  Statement statement = connection->prepare(
      "SELECT scope FROM sessions UNION SELECT scope FROM messages UNION SELECT scope FROM items ORDER BY 1");
  return read_all(statement, [](const Statement& at) { return ScopeKey(at.text(0)); });
}

}  // namespace weft::sqlite
