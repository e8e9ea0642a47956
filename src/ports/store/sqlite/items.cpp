// Items of memory, with and without their texts, and whose vectors they carry.
#include <algorithm>
#include <utility>

#include "ports/store/row_codec.h"
#include "ports/store/sqlite/row_readers.h"
#include "ports/store/sqlite/tables.h"

namespace weft::sqlite {
namespace {

template <class Body>
Status in_transaction(Connection& connection, Body body) {
  Transaction transaction(connection);
  WEFT_CHECK(transaction.begin());
  WEFT_CHECK(body());
  return transaction.commit();
}

Status put(Connection& connection, const std::string& model, const NextVector& next) {
  return connection
      .prepare(
          "INSERT OR REPLACE INTO next_vectors (row,model,vector) SELECT row, ?, ? FROM items WHERE row=? AND text=? "
          "AND model<>'-'")
      .bind(model)
      .bind_blob(as_bytes(next.vector))
      .bind(next.row)
      .bind(next.text)
      .run();
}

Status put_in_place(Connection& connection, const std::string& model) {
  WEFT_CHECK(connection
                 .prepare("UPDATE items SET vector = next.vector, model = iif(length(next.vector) = 0, '-', ?1) "
                          "FROM next_vectors AS next WHERE next.row = items.row AND next.model = ?1 AND "
                          "items.model <> '-'")
                 .bind(model)
                 .run());
  WEFT_CHECK(
      connection.prepare("UPDATE items SET model='', vector=x'' WHERE model NOT IN ('', '-', ?)").bind(model).run());
  WEFT_CHECK(connection.prepare("UPDATE topics SET trace=x'' WHERE trace<>x''").run());
  WEFT_CHECK(connection.prepare("DELETE FROM next_vectors").run());
  return connection.prepare("INSERT OR REPLACE INTO meta (name,value) VALUES ('embedder', ?)").bind(model).run();
}

}  // namespace

Status SqliteItems::scan(const ScopeKey& scope, const std::function<void(ItemRow&&)>& take) {
  auto connection = pools_.readers().take();
  Statement statement = connection->prepare(
      "SELECT row,kind,session,time,zone,position,role,speaker,active,model,terms,vector FROM items WHERE scope=? "
      "ORDER BY row");
  statement.bind(scope);
  while (statement.step()) take(read_indexed_item(statement, scope));
  return statement.status();
}

Result<std::vector<ItemRow>> SqliteItems::get(const ScopeKey& scope, std::span<const std::int64_t> rows) {
  return read_wanted(pools_,
                     "SELECT " WEFT_ITEM_COLUMNS "sources,text FROM " WEFT_WANTED
                     " CROSS JOIN items ON row=wanted AND scope=? ORDER BY place",
                     json_list(rows), scope, read_item);
}

Result<std::vector<std::int64_t>> SqliteItems::rows_of(const ScopeKey& scope, std::span<const ItemId> ids) {
  return read_wanted(pools_,
                     "SELECT COALESCE(row,0) FROM " WEFT_WANTED
                     " LEFT JOIN items ON scope=? AND items.id=wanted "
                     "ORDER BY place",
                     json_list(ids), scope, [](const Statement& at) { return at.integer(0); });
}

Result<std::vector<ItemRow>> SqliteItems::of_kind(const ScopeKey& scope, ItemKind kind, std::size_t limit) {
  auto connection = pools_.readers().take();
  Statement statement = connection->prepare(
      "SELECT " WEFT_ITEM_COLUMNS "sources,text FROM items WHERE scope=? AND kind=? ORDER BY position, row LIMIT ?");
  statement.bind(scope).bind(static_cast<std::int64_t>(kind)).bind(static_cast<std::int64_t>(limit));
  return read_all(statement, read_item);
}

Result<std::vector<ItemRow>> SqliteItems::next_of_kind(const ScopeKey& scope, ItemKind kind, std::int64_t row,
                                                       bool back, std::size_t limit) {
  auto connection = pools_.readers().take();
  Statement statement = connection->prepare(
      back ? "SELECT " WEFT_ITEM_COLUMNS
             "sources,text FROM items WHERE scope=? AND kind=? AND row<? AND active=1 ORDER BY row DESC LIMIT ?"
           : "SELECT " WEFT_ITEM_COLUMNS
             "sources,text FROM items WHERE scope=? AND kind=? AND row>? AND active=1 ORDER BY row LIMIT ?");
  statement.bind(scope).bind(static_cast<std::int64_t>(kind)).bind(row).bind(static_cast<std::int64_t>(limit));
  return read_all(statement, read_item);
}

Result<std::vector<ItemRow>> SqliteItems::before(const ScopeKey& scope, const SessionId& session, ItemKind kind,
                                                 std::int64_t position, std::size_t limit) {
  auto connection = pools_.readers().take();
  Statement statement =
      connection->prepare("SELECT * FROM (SELECT " WEFT_ITEM_COLUMNS
                          "sources,text FROM items WHERE scope=? AND session=? AND kind=? AND position<? AND active=1"
                          " ORDER BY position DESC, row DESC LIMIT ?) ORDER BY position, row");
  statement.bind(scope).bind(session).bind(static_cast<std::int64_t>(kind)).bind(position);
  statement.bind(static_cast<std::int64_t>(limit));
  return read_all(statement, read_item);
}

Result<std::vector<ItemRow>> SqliteItems::of_session(const ScopeKey& scope, const SessionId& session) {
  auto connection = pools_.readers().take();
  Statement statement =
      connection->prepare("SELECT " WEFT_ITEM_COLUMNS "sources,'' FROM items WHERE scope=? AND session=? ORDER BY row");
  statement.bind(scope).bind(session);
  return read_all(statement, read_item);
}

Result<std::vector<ItemRow>> SqliteItems::unembedded(std::size_t limit) {
  auto connection = pools_.readers().take();
  Statement statement =
      connection->prepare("SELECT " WEFT_ITEM_COLUMNS "sources,text FROM items WHERE model='' ORDER BY row LIMIT ?");
  statement.bind(static_cast<std::int64_t>(limit));
  return read_all(statement, read_item);
}

Status SqliteItems::forget_other_vectors(const std::string& model) {
  auto connection = pools_.writer->take();
  // Noted, so that only a change of the model costs a pass over all items.
  Statement known = connection->prepare("SELECT 1 FROM meta WHERE name='embedder' AND value=?");
  if (known.bind(model).step()) return {};
  WEFT_CHECK(known.status());
  WEFT_CHECK(
      connection->prepare("UPDATE items SET model='', vector=x'' WHERE model NOT IN ('', '-', ?)").bind(model).run());
  return connection->prepare("INSERT OR REPLACE INTO meta (name,value) VALUES ('embedder', ?)").bind(model).run();
}

Status SqliteItems::scan_sources(const ScopeKey& scope, const std::function<void(ItemRow&&)>& take) {
  auto connection = pools_.readers().take();
  Statement statement = connection->prepare(
      "SELECT "
      "row,scope,id,kind,session,topic,block,time,zone,position,made_by,role,speaker,active,model,x'',x'',details,"
      "sources,'' FROM items WHERE scope=? ORDER BY row");
  statement.bind(scope);
  while (statement.step()) take(read_item(statement));
  return statement.status();
}

Result<std::vector<ItemRow>> SqliteItems::of_scope(const ScopeKey& scope) {
  std::vector<ItemRow> rows;
  WEFT_CHECK(scan_sources(scope, [&](ItemRow&& row) { rows.push_back(std::move(row)); }));
  return rows;
}

Result<std::vector<NextItem>> SqliteNextVectors::missing(const std::string& model, std::int64_t after,
                                                         std::size_t limit) {
  auto connection = pools_.readers().take();
  Statement statement = connection->prepare(
      "SELECT row, text FROM items WHERE row > ? AND model <> '-' AND NOT EXISTS (SELECT 1 FROM next_vectors AS next "
      "WHERE next.row = items.row AND next.model = ?) ORDER BY row LIMIT ?");
  statement.bind(after).bind(model).bind(static_cast<std::int64_t>(limit));
  std::vector<NextItem> items;
  while (statement.step()) items.push_back({statement.integer(0), statement.text(1)});
  WEFT_CHECK(statement.status());
  return items;
}

Status SqliteNextVectors::keep(const std::string& model, std::span<const NextVector> vectors) {
  auto connection = pools_.writer->take();
  return in_transaction(*connection, [&]() -> Status {
    for (const NextVector& next : vectors) WEFT_CHECK(put(*connection, model, next));
    return {};
  });
}

Result<NextCounts> SqliteNextVectors::count(const std::string& model) {
  auto connection = pools_.readers().take();
  // Two counts over indexes: a condition on items would read every row.
  Statement statement = connection->prepare(
      "SELECT (SELECT count(*) FROM next_vectors WHERE model=?), (SELECT count(*) FROM items), "
      "(SELECT count(*) FROM items WHERE model='-')");
  statement.bind(model);
  NextCounts counts;
  if (statement.step()) {
    counts.all = static_cast<std::uint64_t>(statement.integer(1) - statement.integer(2));
    counts.done = std::min(counts.all, static_cast<std::uint64_t>(statement.integer(0)));
  }
  WEFT_CHECK(statement.status());
  return counts;
}

Status SqliteNextVectors::discard(const std::string& except_model) {
  auto connection = pools_.writer->take();
  return connection->prepare("DELETE FROM next_vectors WHERE model <> ?").bind(except_model).run();
}

Status SqliteNextVectors::serve(const std::string& model) {
  auto connection = pools_.writer->take();
  return in_transaction(*connection, [&] { return put_in_place(*connection, model); });
}

}  // namespace weft::sqlite
