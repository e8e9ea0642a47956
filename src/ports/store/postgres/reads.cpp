// Messages, sessions with their blocks and topics, items and documents, as they are read.
#include <algorithm>
#include <limits>

#include "ports/store/postgres/postgres_store.h"
#include "ports/store/postgres/row_readers.h"

namespace weft::postgres {
namespace {

std::int64_t number(std::size_t count) {
  return static_cast<std::int64_t>(std::min<std::size_t>(count, std::numeric_limits<std::int64_t>::max()));
}
std::int64_t number(ItemKind kind) { return static_cast<std::int64_t>(kind); }
std::int64_t bits(std::uint64_t value) { return static_cast<std::int64_t>(value); }

SessionId read_session_id(const Row& at) { return SessionId(at.text(0)); }
SessionKey read_session_key(const Row& at) { return {ScopeKey(at.text(0)), SessionId(at.text(1))}; }

#define WEFT_PG_DOCUMENT "scope,kind,id,version,time,zone,author,body"

DocumentRow read_document(const Row& at) {
  return {ScopeKey(at.text(0)),
          at.text(1),
          at.text(2),
          at.integer(3),
          {at.integer(4), static_cast<std::int32_t>(at.integer(5))},
          at.text(6),
          at.text(7)};
}

}  // namespace

// Messages.

Result<std::optional<MessageRow>> PostgresMessages::get(const ScopeKey& scope, const SessionId& session,
                                                        const MessageId& id) {
  Query query("SELECT " WEFT_MESSAGE_COLUMNS " FROM weft.messages WHERE scope=$1 AND session=$2 AND id=$3");
  return read_one(with_.pool, query.bind(scope).bind(session).bind(id), read_message);
}

Result<std::vector<MessageRow>> PostgresMessages::get(const ScopeKey& scope, std::span<const MessageId> ids) {
  Query query("SELECT " WEFT_MESSAGE_COLUMNS " FROM weft.messages WHERE scope=$1 AND id=ANY($2::text[]) ORDER BY seq");
  return read_all(with_.pool, query.bind(scope).bind(list_of(ids)), read_message);
}

Result<std::vector<MessageRow>> PostgresMessages::numbered(const ScopeKey& scope, std::span<const std::int64_t> seqs) {
  Query query("SELECT " WEFT_MESSAGE_COLUMNS
              " FROM unnest($2::bigint[]) WITH ORDINALITY AS u(wanted, place) JOIN weft.messages ON seq=wanted"
              " WHERE scope=$1 ORDER BY place");
  return read_all(with_.pool, query.bind(scope).bind(list_of(seqs)), read_message);
}

Result<std::vector<MessageRow>> PostgresMessages::branch(const ScopeKey& scope, const SessionId& session, bool brief) {
#define WEFT_PG_BRANCH " FROM weft.messages WHERE scope=$1 AND session=$2 AND active=1 ORDER BY seq"
  Query query(brief ? "SELECT " WEFT_BRIEF_COLUMNS WEFT_PG_BRANCH : "SELECT " WEFT_MESSAGE_COLUMNS WEFT_PG_BRANCH);
#undef WEFT_PG_BRANCH
  return read_all(with_.pool, query.bind(scope).bind(session), read_message);
}

Result<std::vector<MessageRow>> PostgresMessages::tree(const ScopeKey& scope, const SessionId& session) {
  Query query("SELECT " WEFT_BRIEF_COLUMNS " FROM weft.messages WHERE scope=$1 AND session=$2 ORDER BY seq");
  return read_all(with_.pool, query.bind(scope).bind(session), read_message);
}

// A child has a higher number than its parent, so for the newest message no row is read.
Result<bool> PostgresMessages::has_child(const ScopeKey& scope, const SessionId& session, std::int64_t parent) {
  Query query(
      "SELECT count(*) FROM (SELECT 1 FROM weft.messages WHERE scope=$1 AND session=$2 AND seq>$3 AND "
      "parent=$3 LIMIT 1) AS found");
  WEFT_TRY(const auto found, read_number(with_.pool, query.bind(scope).bind(session).bind(parent)));
  return found > 0;
}

Result<std::vector<MessageRow>> PostgresMessages::with_chain(const ScopeKey& scope, std::uint64_t chain,
                                                             std::size_t limit) {
  Query query("SELECT " WEFT_BRIEF_COLUMNS
              " FROM weft.messages WHERE scope=$1 AND chain=$2 ORDER BY seq DESC LIMIT $3");
  return read_all(with_.pool, query.bind(scope).bind(bits(chain)).bind(number(limit)), read_message);
}

Result<std::vector<MessageRow>> PostgresMessages::with_digest(const ScopeKey& scope, std::uint64_t digest,
                                                              std::size_t limit) {
  Query query("SELECT " WEFT_BRIEF_COLUMNS
              " FROM weft.messages WHERE scope=$1 AND digest=$2 AND active=1 ORDER BY seq DESC LIMIT $3");
  return read_all(with_.pool, query.bind(scope).bind(bits(digest)).bind(number(limit)), read_message);
}

Result<std::vector<MessageRow>> PostgresMessages::recent(const ScopeKey& scope, const SessionId& session,
                                                         std::size_t limit) {
  return before(scope, session, std::numeric_limits<std::int64_t>::max(), limit);
}

Result<std::vector<MessageRow>> PostgresMessages::before(const ScopeKey& scope, const SessionId& session,
                                                         std::int64_t before, std::size_t limit) {
  Query query("SELECT " WEFT_MESSAGE_COLUMNS
              " FROM weft.messages WHERE scope=$1 AND session=$2 AND seq<$3 AND active=1 ORDER BY seq DESC LIMIT $4");
  WEFT_TRY(auto rows,
           read_all(with_.pool, query.bind(scope).bind(session).bind(before).bind(number(limit)), read_message));
  std::reverse(rows.begin(), rows.end());
  return rows;
}

Result<std::vector<MemberName>> PostgresMessages::member_names(const ScopeKey& scope) {
  if (!scope.str().starts_with("group:")) return std::vector<MemberName>();
  Query query(
      "SELECT sender_id, name, max(seq) AS newest FROM weft.messages WHERE scope=$1 AND sender_id<>'' AND "
      "left(scope, 6)='group:' GROUP BY sender_id, name ORDER BY sender_id, newest");
  return read_all(with_.pool, query.bind(scope),
                  [](const Row& at) { return MemberName{UserId(at.text(0)), at.text(1), at.integer(2)}; });
}

Result<std::int64_t> PostgresMessages::newest_number(const ScopeKey& scope, const SessionId& session,
                                                     std::int64_t most) {
  Query query("SELECT max(seq) FROM weft.messages WHERE scope=$1 AND session=$2 AND seq<=$3");
  return read_number(with_.pool, query.bind(scope).bind(session).bind(most));
}

Result<std::vector<MessageRow>> PostgresMessages::range(const ScopeKey& scope, const SessionId& session,
                                                        std::int64_t first, std::int64_t last) {
  Query query("SELECT " WEFT_MESSAGE_COLUMNS
              " FROM weft.messages WHERE scope=$1 AND session=$2 AND seq BETWEEN $3 AND $4 AND active=1 ORDER BY seq");
  return read_all(with_.pool, query.bind(scope).bind(session).bind(first).bind(last), read_message);
}

Result<std::vector<MessageRow>> PostgresMessages::of_block(const ScopeKey& scope, const SessionId& session,
                                                           const BlockId& block) {
  Query query("SELECT " WEFT_MESSAGE_COLUMNS
              " FROM weft.messages WHERE scope=$1 AND session=$2 AND block=$3 ORDER BY seq");
  return read_all(with_.pool, query.bind(scope).bind(session).bind(block), read_message);
}

Result<std::vector<MessageRow>> PostgresMessages::of_scope(const ScopeKey& scope) {
  std::vector<MessageRow> rows;
  WEFT_CHECK(scan(scope, true, [&](MessageRow&& row) { rows.push_back(std::move(row)); }));
  return rows;
}

Status PostgresMessages::scan(const ScopeKey& scope, bool brief, const std::function<void(MessageRow&&)>& take) {
#define WEFT_PG_SLICE " FROM weft.messages WHERE scope=$1 AND seq>$2 ORDER BY seq LIMIT $3"
  const auto slice = [&](std::int64_t last, std::int64_t limit) {
    Query query(brief ? "SELECT " WEFT_BRIEF_COLUMNS WEFT_PG_SLICE : "SELECT " WEFT_MESSAGE_COLUMNS WEFT_PG_SLICE);
    return query.bind(scope).bind(last).bind(limit);
  };
#undef WEFT_PG_SLICE
  return scan_slices(with_.pool, slice, [&](const Row& row) { take(read_message(row)); });
}

// Sessions, blocks and topics.

Result<std::optional<SessionRow>> PostgresStreams::session(const ScopeKey& scope, const SessionId& session) {
  Query query(
      "SELECT head,open_topic,open_block,system,resent,version FROM weft.sessions WHERE scope=$1 AND session=$2");
  return read_one(with_.pool, query.bind(scope).bind(session), [&](const Row& at) {
    return SessionRow{
        scope,        session, at.integer(0), TopicId(at.text(1)), BlockId(at.text(2)), at.text(3), at.integer(4) != 0,
        at.integer(5)};
  });
}

Result<std::optional<BlockRow>> PostgresStreams::block(const ScopeKey& scope, const SessionId& session,
                                                       const BlockId& id) {
  Query query("SELECT " WEFT_BLOCK_COLUMNS " FROM weft.blocks WHERE scope=$1 AND session=$2 AND id=$3");
  return read_one(with_.pool, query.bind(scope).bind(session).bind(id), read_block);
}

Result<std::vector<BlockRow>> PostgresStreams::topic_blocks(const ScopeKey& scope, const SessionId& session,
                                                            const TopicId& topic) {
  Query query("SELECT " WEFT_BLOCK_COLUMNS
              " FROM weft.blocks WHERE scope=$1 AND session=$2 AND topic=$3 AND active=1 ORDER BY first_seq");
  return read_all(with_.pool, query.bind(scope).bind(session).bind(topic), read_block);
}

Result<std::vector<BlockRow>> PostgresStreams::session_blocks(const ScopeKey& scope, const SessionId& session) {
  Query query("SELECT " WEFT_BLOCK_COLUMNS
              " FROM weft.blocks WHERE scope=$1 AND session=$2 AND active=1 ORDER BY first_seq");
  return read_all(with_.pool, query.bind(scope).bind(session), read_block);
}

Result<std::optional<TopicRow>> PostgresStreams::topic(const ScopeKey& scope, const SessionId& session,
                                                       const TopicId& id) {
  Query query("SELECT " WEFT_TOPIC_COLUMNS " FROM weft.topics WHERE scope=$1 AND session=$2 AND id=$3");
  return read_one(with_.pool, query.bind(scope).bind(session).bind(id), read_topic);
}

Result<std::vector<BlockRow>> PostgresStreams::waiting_blocks(const ScopeKey& scope, const SessionId& session) {
  Query query("SELECT " WEFT_BLOCK_COLUMNS " FROM weft.blocks WHERE scope=$1 AND session=$2 AND " WEFT_BLOCK_WAITS
              " ORDER BY first_seq");
  return read_all(with_.pool, query.bind(scope).bind(session), read_block);
}

Result<std::vector<SessionKey>> PostgresStreams::sessions_with_waiting_blocks(const std::optional<SessionKey>& after,
                                                                              std::size_t limit) {
  Query query("SELECT DISTINCT scope,session FROM weft.blocks WHERE " WEFT_BLOCK_WAITS
              " AND (scope,session)>($1,$2) ORDER BY scope,session LIMIT $3");
  const SessionKey behind = after.value_or(SessionKey());
  return read_all(with_.pool, query.bind(behind.first).bind(behind.second).bind(number(limit)), read_session_key);
}

Result<std::vector<OpenSession>> PostgresStreams::open_sessions() {
  const Query query(
      "SELECT scope,session,min(touched) FROM (SELECT scope,session,touched FROM weft.topics WHERE "
      "status=0 AND done=0 UNION ALL SELECT scope,session,0 FROM weft.sessions WHERE open_block<>'') AS "
      "open GROUP BY scope,session");
  static_assert(static_cast<int>(TopicStatus::kOpen) == 0);
  return read_all(with_.pool, query, [](const Row& at) { return OpenSession{read_session_key(at), at.integer(2)}; });
}

Result<std::vector<ScopeKey>> PostgresStreams::scopes() {
  const Query query(
      "SELECT scope FROM weft.heads WHERE EXISTS (SELECT 1 FROM weft.sessions AS s WHERE s.scope=heads.scope) OR "
      "EXISTS (SELECT 1 FROM weft.messages AS m WHERE m.scope=heads.scope) OR "
      "EXISTS (SELECT 1 FROM weft.items AS i WHERE i.scope=heads.scope) ORDER BY 1");
  return read_all(with_.pool, query, [](const Row& at) { return ScopeKey(at.text(0)); });
}

Result<std::vector<SessionId>> PostgresStreams::scope_sessions(const ScopeKey& scope) {
  Query query("SELECT session FROM weft.sessions WHERE scope=$1 ORDER BY session");
  return read_all(with_.pool, query.bind(scope), read_session_id);
}

Result<std::vector<BlockRow>> PostgresStreams::blocks_before(const ScopeKey& scope, const SessionId& session,
                                                             std::int64_t first_seq, std::size_t limit) {
  Query query("SELECT " WEFT_BLOCK_COLUMNS
              " FROM weft.blocks WHERE scope=$1 AND session=$2 AND first_seq<$3 AND active=1"
              " ORDER BY first_seq DESC LIMIT $4");
  WEFT_TRY(auto rows,
           read_all(with_.pool, query.bind(scope).bind(session).bind(first_seq).bind(number(limit)), read_block));
  std::reverse(rows.begin(), rows.end());
  return rows;
}

Result<SessionSums> PostgresStreams::session_sums(const ScopeKey& scope, const SessionId& session) {
  Query query(
      "SELECT count(*), count(DISTINCT nullif(topic,'')), coalesce(sum(tokens),0)::bigint, "
      "coalesce(min(first_seq),0) FROM weft.blocks WHERE scope=$1 AND session=$2 AND active=1");
  WEFT_TRY(const auto sums, read_one(with_.pool, query.bind(scope).bind(session), [](const Row& at) {
             return SessionSums{at.integer(0), at.integer(1), at.integer(2), at.integer(3)};
           }));
  return sums.value_or(SessionSums());
}

// Items.

Status PostgresItems::scan(const ScopeKey& scope, const std::function<void(ItemRow&&)>& take) {
  const auto slice = [&](std::int64_t last, std::int64_t limit) {
    Query query("SELECT " WEFT_PG_INDEXED " FROM weft.items WHERE scope=$1 AND number>$2 ORDER BY number LIMIT $3");
    return query.bind(scope).bind(last).bind(limit);
  };
  return scan_slices(with_.pool, slice, [&](const Row& row) { take(read_indexed_item(row, scope)); });
}

Status PostgresItems::scan_news(const ScopeKey& scope, std::int64_t since, const std::function<void(ItemRow&&)>& take) {
  Query query("SELECT " WEFT_PG_INDEXED " FROM weft.items WHERE scope=$1 AND version>$2 ORDER BY number");
  WEFT_TRY(const Rows rows, with_.pool.run(query.bind(scope).bind(since)));
  for (int i = 0; i < rows.count(); ++i) take(read_indexed_item(Row(rows, i), scope));
  return {};
}

Result<std::vector<ItemRow>> PostgresItems::get(const ScopeKey& scope, std::span<const std::int64_t> rows) {
  Query query("SELECT " WEFT_PG_ITEM
              "sources,text FROM unnest($2::bigint[]) WITH ORDINALITY AS u(wanted, place) JOIN weft.items ON "
              "number=wanted WHERE scope=$1 ORDER BY place");
  return read_all(with_.pool, query.bind(scope).bind(list_of(rows)), read_item);
}

Result<std::vector<std::int64_t>> PostgresItems::rows_of(const ScopeKey& scope, std::span<const ItemId> ids) {
  Query query(
      "SELECT coalesce(number,0) FROM unnest($2::text[]) WITH ORDINALITY AS u(wanted, place) LEFT JOIN "
      "weft.items ON scope=$1 AND id=wanted ORDER BY place");
  return read_all(with_.pool, query.bind(scope).bind(list_of(ids)), [](const Row& at) { return at.integer(0); });
}

Result<std::vector<ItemRow>> PostgresItems::of_kind(const ScopeKey& scope, ItemKind kind, std::size_t limit) {
  Query query("SELECT " WEFT_PG_ITEM
              "sources,text FROM weft.items WHERE scope=$1 AND kind=$2 ORDER BY position, number LIMIT $3");
  return read_all(with_.pool, query.bind(scope).bind(number(kind)).bind(number(limit)), read_item);
}

Result<std::vector<ItemRow>> PostgresItems::next_of_kind(const ScopeKey& scope, ItemKind kind, std::int64_t row,
                                                         bool back, std::size_t limit) {
  Query query(back ? "SELECT " WEFT_PG_ITEM
                     "sources,text FROM weft.items WHERE scope=$1 AND kind=$2 AND number<$3 AND "
                     "active=1 ORDER BY number DESC LIMIT $4"
                   : "SELECT " WEFT_PG_ITEM
                     "sources,text FROM weft.items WHERE scope=$1 AND kind=$2 AND number>$3 AND "
                     "active=1 ORDER BY number LIMIT $4");
  return read_all(with_.pool, query.bind(scope).bind(number(kind)).bind(row).bind(number(limit)), read_item);
}

Result<std::vector<ItemRow>> PostgresItems::before(const ScopeKey& scope, const SessionId& session, ItemKind kind,
                                                   std::int64_t position, std::size_t limit) {
  Query query("SELECT " WEFT_PG_ITEM
              "sources,text FROM weft.items WHERE scope=$1 AND session=$2 AND kind=$3 AND position<$4 AND active=1"
              " ORDER BY position DESC, number DESC LIMIT $5");
  query.bind(scope).bind(session).bind(number(kind)).bind(position).bind(number(limit));
  WEFT_TRY(auto rows, read_all(with_.pool, query, read_item));
  std::reverse(rows.begin(), rows.end());
  return rows;
}

Result<std::vector<ItemRow>> PostgresItems::of_session(const ScopeKey& scope, const SessionId& session) {
  Query query("SELECT " WEFT_PG_ITEM "sources,'' FROM weft.items WHERE scope=$1 AND session=$2 ORDER BY number");
  return read_all(with_.pool, query.bind(scope).bind(session), read_item);
}

// Each item is given to one program for a while, so that not all of them make the same vector. The server's clock
// counts the while, since those of the programs may differ.
Result<std::vector<ItemRow>> PostgresItems::unembedded(std::size_t limit) {
#define WEFT_PG_NOW "(extract(epoch FROM clock_timestamp())*1000)::bigint"
  Query query(
      "WITH mine AS MATERIALIZED (SELECT number AS chosen FROM weft.items AS waiting WHERE model='' AND (claimed_by=$1 "
      "OR "
      "claimed_until<" WEFT_PG_NOW
      " OR NOT EXISTS (SELECT 1 FROM weft.programs WHERE program=waiting.claimed_by AND seen "
      "> clock_timestamp() - interval '15 seconds')) ORDER BY number LIMIT $2 FOR UPDATE SKIP LOCKED) "
      "UPDATE weft.items SET claimed_by=$1, claimed_until=CASE WHEN claimed_by<>$1 OR claimed_until<" WEFT_PG_NOW
      " THEN " WEFT_PG_NOW "+60000 ELSE claimed_until END FROM mine WHERE number=chosen RETURNING " WEFT_PG_ITEM
      "sources,text");
#undef WEFT_PG_NOW
  WEFT_TRY(auto rows, read_all(with_.pool, query.bind(with_.program).bind(number(limit)), read_item));
  std::sort(rows.begin(), rows.end(), [](const ItemRow& a, const ItemRow& b) { return a.row < b.row; });
  return rows;
}

Status PostgresItems::forget_other_vectors(const std::string& model) {
  WEFT_TRY(auto connection, with_.pool.take());
  // Noted, so that only a change of the model costs a pass over all items.
  Query noted("SELECT 1 FROM weft.meta WHERE name='embedder' AND value=$1");
  WEFT_TRY(const Rows known, connection->run(noted.bind(model)));
  if (known.count() > 0) return {};
  const auto done = connection->run_together(
      {Query("UPDATE weft.items SET model='', vector='' WHERE model NOT IN ('', '-', $1)").bind(model),
       Query(kAllAreNews),
       Query("INSERT INTO weft.meta VALUES ('embedder', $1) ON CONFLICT (name) DO UPDATE SET value=EXCLUDED.value")
           .bind(model)},
      {.may_last = true});
  return done.ok() ? Status() : Status(done.error());
}

Result<std::vector<ItemRow>> PostgresItems::of_scope(const ScopeKey& scope) {
  std::vector<ItemRow> rows;
  WEFT_CHECK(scan_sources(scope, [&](ItemRow&& row) { rows.push_back(std::move(row)); }));
  return rows;
}

Status PostgresItems::scan_sources(const ScopeKey& scope, const std::function<void(ItemRow&&)>& take) {
  const auto slice = [&](std::int64_t last, std::int64_t limit) {
    Query query(
        "SELECT number,scope,id,kind,session,topic,block,time,zone,position,made_by,role,speaker,active,model,"
        "''::bytea,''::bytea,details,sources,'' FROM weft.items WHERE scope=$1 AND number>$2 ORDER BY number "
        "LIMIT $3");
    return query.bind(scope).bind(last).bind(limit);
  };
  return scan_slices(with_.pool, slice, [&](const Row& row) { take(read_item(row)); });
}

// Documents.

Result<std::optional<DocumentRow>> PostgresDocuments::newest(const ScopeKey& scope, const std::string& kind,
                                                             const std::string& id) {
  Query query("SELECT " WEFT_PG_DOCUMENT
              " FROM weft.documents WHERE scope=$1 AND kind=$2 AND id=$3 ORDER BY version DESC LIMIT 1");
  return read_one(with_.pool, query.bind(scope).bind(kind).bind(id), read_document);
}

Result<std::vector<DocumentRow>> PostgresDocuments::versions(const ScopeKey& scope, const std::string& kind,
                                                             const std::string& id, std::int64_t first,
                                                             std::size_t limit) {
  Query query("SELECT " WEFT_PG_DOCUMENT
              " FROM weft.documents WHERE scope=$1 AND kind=$2 AND id=$3 AND version>=$4 ORDER BY version LIMIT $5");
  return read_all(with_.pool, query.bind(scope).bind(kind).bind(id).bind(first).bind(number(limit)), read_document);
}

Result<std::vector<DocumentRow>> PostgresDocuments::all(const ScopeKey& scope, const std::string& kind) {
#define WEFT_PG_NEWEST                                                \
  "SELECT " WEFT_PG_DOCUMENT                                          \
  " FROM (SELECT DISTINCT ON (kind, id) * FROM weft.documents WHERE " \
  "scope=$1"
#define WEFT_PG_EACH " ORDER BY kind, id, version DESC) AS newest ORDER BY id"
  if (kind.empty()) return read_all(with_.pool, Query(WEFT_PG_NEWEST WEFT_PG_EACH).bind(scope), read_document);
  return read_all(with_.pool, Query(WEFT_PG_NEWEST " AND kind=$2" WEFT_PG_EACH).bind(scope).bind(kind), read_document);
#undef WEFT_PG_NEWEST
#undef WEFT_PG_EACH
}

Result<std::vector<DocumentRow>> PostgresDocuments::latest(const ScopeKey& scope, const std::string& kind,
                                                           std::size_t limit) {
  Query query("SELECT " WEFT_PG_DOCUMENT
              " FROM weft.documents WHERE kind=$1 AND scope=$2 ORDER BY time DESC, id DESC, version DESC LIMIT $3");
  WEFT_TRY(auto rows, read_all(with_.pool, query.bind(kind).bind(scope).bind(number(limit)), read_document));
  std::reverse(rows.begin(), rows.end());
  return rows;
}

Result<std::vector<DocumentRow>> PostgresDocuments::of_kind(const std::string& kind, std::int64_t first_ms) {
  Query query("SELECT " WEFT_PG_DOCUMENT
              " FROM weft.documents WHERE kind=$1 AND time>=$2 ORDER BY time, scope, id, version");
  return read_all(with_.pool, query.bind(kind).bind(first_ms), read_document);
}

Result<std::int64_t> read_number(Pool& pool, const Query& query) {
  WEFT_TRY(const Rows rows, pool.run(query));
  return rows.count() > 0 && !Row(rows, 0).is_null(0) ? Row(rows, 0).integer(0) : 0;
}

}  // namespace weft::postgres
