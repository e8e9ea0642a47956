// Messages of sessions: single ones, living branches, trees, stretches.
#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "ports/store/sqlite/row_readers.h"
#include "ports/store/sqlite/tables.h"

namespace weft::sqlite {

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

}  // namespace weft::sqlite
