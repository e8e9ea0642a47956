// Sessions, and the blocks and topics that their messages were cut into.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "ports/store/sqlite/row_readers.h"
#include "ports/store/sqlite/tables.h"
#include "text/json.h"

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

Result<std::optional<MessageRow>> SqliteMessages::get(const ScopeKey& scope, const SessionId& session,
                                                      const MessageId& id) {
  auto connection = pools_.readers().take();
  Statement statement =
      connection->prepare("SELECT " WEFT_MESSAGE_COLUMNS " FROM messages WHERE scope=? AND session=? AND id=?");
  statement.bind(scope).bind(session).bind(id);
  return read_one(statement, read_message);
}

Result<std::vector<MessageRow>> SqliteMessages::get(const ScopeKey& scope, std::span<const MessageId> ids) {
  return read_wanted(pools_,
                     "SELECT " WEFT_MESSAGE_COLUMNS " FROM " WEFT_WANTED
                     " CROSS JOIN messages ON scope=? AND "
                     "messages.id=wanted ORDER BY seq",
                     json_list(ids), scope, read_message);
}

Result<std::vector<MessageRow>> SqliteMessages::numbered(const ScopeKey& scope, std::span<const std::int64_t> seqs) {
  return read_wanted(pools_,
                     "SELECT " WEFT_MESSAGE_COLUMNS " FROM " WEFT_WANTED
                     " CROSS JOIN messages ON seq=wanted AND "
                     "scope=? ORDER BY place",
                     json_list(seqs), scope, read_message);
}

Result<std::vector<MessageRow>> SqliteMessages::branch(const ScopeKey& scope, const SessionId& session, bool brief) {
  auto connection = pools_.readers().take();
  Statement statement = connection->prepare(
      brief ? "SELECT " WEFT_BRIEF_COLUMNS " FROM messages WHERE scope=? AND session=? AND active=1 ORDER BY seq"
            : "SELECT " WEFT_MESSAGE_COLUMNS " FROM messages WHERE scope=? AND session=? AND active=1 ORDER BY seq");
  statement.bind(scope).bind(session);
  return read_all(statement, read_message);
}

Result<std::vector<MessageRow>> SqliteMessages::with_chain(const ScopeKey& scope, std::uint64_t chain,
                                                           std::size_t limit) {
  auto connection = pools_.readers().take();
  Statement statement = connection->prepare("SELECT " WEFT_BRIEF_COLUMNS
                                            " FROM messages WHERE scope=? AND chain=? ORDER BY seq DESC LIMIT ?");
  statement.bind(scope).bind(static_cast<std::int64_t>(chain)).bind(static_cast<std::int64_t>(limit));
  return read_all(statement, read_message);
}

Result<std::vector<MessageRow>> SqliteMessages::with_digest(const ScopeKey& scope, std::uint64_t digest,
                                                            std::size_t limit) {
  auto connection = pools_.readers().take();
  Statement statement = connection->prepare(
      "SELECT " WEFT_BRIEF_COLUMNS " FROM messages WHERE scope=? AND digest=? AND active=1 ORDER BY seq DESC LIMIT ?");
  statement.bind(scope).bind(static_cast<std::int64_t>(digest)).bind(static_cast<std::int64_t>(limit));
  return read_all(statement, read_message);
}

Result<std::vector<MessageRow>> SqliteMessages::tree(const ScopeKey& scope, const SessionId& session) {
  auto connection = pools_.readers().take();
  Statement statement =
      connection->prepare("SELECT " WEFT_BRIEF_COLUMNS " FROM messages WHERE scope=? AND session=? ORDER BY seq");
  statement.bind(scope).bind(session);
  return read_all(statement, read_message);
}

// A child has a higher number than its parent, so for the newest message no row is read.
Result<bool> SqliteMessages::has_child(const ScopeKey& scope, const SessionId& session, std::int64_t parent) {
  auto connection = pools_.readers().take();
  Statement statement =
      connection->prepare("SELECT 1 FROM messages WHERE scope=? AND session=? AND seq>? AND parent=? LIMIT 1");
  statement.bind(scope).bind(session).bind(parent).bind(parent);
  const bool found = statement.step();
  WEFT_CHECK(statement.status());
  return found;
}

Result<std::vector<MessageRow>> SqliteMessages::recent(const ScopeKey& scope, const SessionId& session,
                                                       std::size_t limit) {
  return before(scope, session, std::numeric_limits<std::int64_t>::max(), limit);
}

Result<std::vector<MessageRow>> SqliteMessages::before(const ScopeKey& scope, const SessionId& session,
                                                       std::int64_t before, std::size_t limit) {
  auto connection = pools_.readers().take();
  Statement statement = connection->prepare(
      "SELECT * FROM (SELECT " WEFT_MESSAGE_COLUMNS
      " FROM messages WHERE scope=? AND session=? AND seq<? AND active=1 ORDER BY seq DESC LIMIT ?) ORDER BY seq");
  statement.bind(scope).bind(session).bind(before).bind(static_cast<std::int64_t>(limit));
  return read_all(statement, read_message);
}

// Walks the index from one pair of member and name to the next, so that a large group costs no more than a small one
// with as many names. The conditions of the group are those of the index, which holds nothing else.
Result<std::vector<MemberName>> SqliteMessages::member_names(const ScopeKey& scope) {
#define WEFT_OF_GROUP "scope=?1 AND sender_id<>'' AND substr(scope, 1, 6)='group:'"
  auto connection = pools_.readers().take();
  Statement statement = connection->prepare(
      "WITH RECURSIVE found(seq) AS ("
      "SELECT * FROM (SELECT seq FROM messages WHERE " WEFT_OF_GROUP
      " ORDER BY sender_id, name, seq LIMIT 1) "
      "UNION ALL SELECT coalesce("
      "(SELECT seq FROM messages WHERE " WEFT_OF_GROUP
      " AND sender_id=last.sender_id AND name>last.name ORDER BY name, seq LIMIT 1), "
      "(SELECT seq FROM messages WHERE " WEFT_OF_GROUP
      " AND sender_id>last.sender_id ORDER BY sender_id, name, seq LIMIT 1)) "
      "FROM found JOIN messages AS last ON last.seq=found.seq) "
      "SELECT one.sender_id, one.name, (SELECT seq FROM messages WHERE " WEFT_OF_GROUP
      " AND sender_id=one.sender_id AND name=one.name ORDER BY seq DESC LIMIT 1) "
      "FROM found JOIN messages AS one ON one.seq=found.seq ORDER BY 1, 3");
#undef WEFT_OF_GROUP
  statement.bind(scope);
  return read_all(statement,
                  [](const Statement& at) { return MemberName{UserId(at.text(0)), at.text(1), at.integer(2)}; });
}

Result<std::int64_t> SqliteMessages::newest_number(const ScopeKey& scope, const SessionId& session, std::int64_t most) {
  auto connection = pools_.readers().take();
  Statement statement = connection->prepare("SELECT max(seq) FROM messages WHERE scope=? AND session=? AND seq<=?");
  statement.bind(scope).bind(session).bind(most);
  const std::int64_t number = statement.step() ? statement.integer(0) : 0;
  WEFT_CHECK(statement.status());
  return number;
}

Result<std::vector<MessageRow>> SqliteMessages::range(const ScopeKey& scope, const SessionId& session,
                                                      std::int64_t first, std::int64_t last) {
  auto connection = pools_.readers().take();
  Statement statement = connection->prepare(
      "SELECT " WEFT_MESSAGE_COLUMNS
      " FROM messages WHERE scope=? AND session=? AND seq BETWEEN ? AND ? AND active=1 ORDER BY seq");
  statement.bind(scope).bind(session).bind(first).bind(last);
  return read_all(statement, read_message);
}

Result<std::vector<MessageRow>> SqliteMessages::of_block(const ScopeKey& scope, const SessionId& session,
                                                         const BlockId& block) {
  auto connection = pools_.readers().take();
  Statement statement = connection->prepare("SELECT " WEFT_MESSAGE_COLUMNS
                                            " FROM messages WHERE scope=? AND session=? AND block=? ORDER BY seq");
  statement.bind(scope).bind(session).bind(block);
  return read_all(statement, read_message);
}

Result<std::vector<MessageRow>> SqliteMessages::of_scope(const ScopeKey& scope) {
  std::vector<MessageRow> rows;
  WEFT_CHECK(scan(scope, true, [&](MessageRow&& row) { rows.push_back(std::move(row)); }));
  return rows;
}

Status SqliteMessages::scan(const ScopeKey& scope, bool brief, const std::function<void(MessageRow&&)>& take) {
  auto connection = pools_.readers().take();
  Statement statement =
      connection->prepare(brief ? "SELECT " WEFT_BRIEF_COLUMNS " FROM messages WHERE scope=? ORDER BY seq"
                                : "SELECT " WEFT_MESSAGE_COLUMNS " FROM messages WHERE scope=? ORDER BY seq");
  statement.bind(scope);
  while (statement.step()) take(read_message(statement));
  return statement.status();
}

std::string json_list(std::span<const std::int64_t> numbers) { return fmt::format("[{}]", fmt::join(numbers, ",")); }

std::string json_list(std::span<const std::string_view> texts) {
  nlohmann::json list = nlohmann::json::array();
  for (const std::string_view text : texts) list.push_back(text);
  return write_json(list);
}

}  // namespace weft::sqlite
