// Vectors of a model that is to serve next, and the moment in which it begins to.
#include <algorithm>

#include "ports/store/row_codec.h"
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
