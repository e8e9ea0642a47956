// Versioned documents of the engine's own.
#include <algorithm>

#include "ports/store/sqlite/tables.h"

namespace weft::sqlite {
namespace {

#define WEFT_DOCUMENT_COLUMNS "scope,kind,id,version,time,zone,author,body"

DocumentRow read_document(const Statement& at) {
  DocumentRow row;
  row.scope = ScopeKey(at.text(0));
  row.kind = at.text(1);
  row.id = at.text(2);
  row.version = at.integer(3);
  row.time = {at.integer(4), static_cast<int>(at.integer(5))};
  row.author = at.text(6);
  row.body = at.text(7);
  return row;
}

Result<std::vector<DocumentRow>> read_documents(Statement& statement) {
  std::vector<DocumentRow> rows;
  while (statement.step()) rows.push_back(read_document(statement));
  WEFT_CHECK(statement.status());
  return rows;
}

// A statement a depth: an optional part within one keeps SQLite from its index, and each erasure would look at all
// documents of the scope.
Status erase(Connection& connection, const DocumentKey& key) {
  if (key.kind.empty() && key.id.empty())
    return connection.prepare("DELETE FROM documents WHERE scope=?").bind(key.scope).run();
  if (key.kind.empty())
    return connection.prepare("DELETE FROM documents WHERE scope=? AND id=?").bind(key.scope).bind(key.id).run();
  if (key.id.empty())
    return connection.prepare("DELETE FROM documents WHERE scope=? AND kind=?").bind(key.scope).bind(key.kind).run();
  return connection.prepare("DELETE FROM documents WHERE scope=? AND kind=? AND id=?")
      .bind(key.scope)
      .bind(key.kind)
      .bind(key.id)
      .run();
}

}  // namespace

Status check_documents(Connection& connection, const WriteBatch& batch) {
  for (const auto& [key, version] : batch.expected_documents) {
    Statement newest =
        connection.prepare("SELECT ifnull(max(version),0) FROM documents WHERE scope=? AND kind=? AND id=?");
    newest.bind(key.scope).bind(key.kind).bind(key.id);
    const bool same = newest.step() && newest.integer(0) == version;
    WEFT_CHECK(newest.status());
    if (!same) return conflict("store: " + key.kind + " \"" + key.id + "\" has changed meanwhile", "try again");
  }
  return {};
}

Status put_documents(Connection& connection, const WriteBatch& batch) {
  for (const DocumentKey& key : batch.erased_documents) WEFT_CHECK(erase(connection, key));
  for (const auto& [key, first] : batch.erased_versions)
    WEFT_CHECK(connection.prepare("DELETE FROM documents WHERE scope=? AND kind=? AND id=? AND version<?")
                   .bind(key.scope)
                   .bind(key.kind)
                   .bind(key.id)
                   .bind(first)
                   .run());
  for (const DocumentRow& row : batch.documents) {
    WEFT_CHECK(connection.prepare("INSERT INTO documents (" WEFT_DOCUMENT_COLUMNS ") VALUES (?,?,?,?,?,?,?,?)")
                   .bind(row.scope)
                   .bind(row.kind)
                   .bind(row.id)
                   .bind(row.version)
                   .bind(row.time.ms)
                   .bind(static_cast<std::int64_t>(row.time.offset_minutes))
                   .bind(row.author)
                   .bind(row.body)
                   .run());
  }
  return {};
}

Result<std::optional<DocumentRow>> SqliteDocuments::newest(const ScopeKey& scope, const std::string& kind,
                                                           const std::string& id) {
  auto connection = pools_.readers().take();
  Statement statement = connection->prepare("SELECT " WEFT_DOCUMENT_COLUMNS
                                            " FROM documents WHERE scope=? AND kind=? AND id=? "
                                            "ORDER BY version DESC LIMIT 1");
  statement.bind(scope).bind(kind).bind(id);
  std::optional<DocumentRow> row;
  if (statement.step()) row = read_document(statement);
  WEFT_CHECK(statement.status());
  return row;
}

Result<std::vector<DocumentRow>> SqliteDocuments::versions(const ScopeKey& scope, const std::string& kind,
                                                           const std::string& id, std::int64_t first,
                                                           std::size_t limit) {
  auto connection = pools_.readers().take();
  Statement statement = connection->prepare("SELECT " WEFT_DOCUMENT_COLUMNS
                                            " FROM documents WHERE scope=? AND kind=? AND id=? AND version>=? "
                                            "ORDER BY version LIMIT ?");
  statement.bind(scope).bind(kind).bind(id).bind(first).bind(static_cast<std::int64_t>(limit));
  return read_documents(statement);
}

Result<std::vector<DocumentRow>> SqliteDocuments::all(const ScopeKey& scope, const std::string& kind) {
  auto connection = pools_.readers().take();
#define WEFT_NEWEST                                                                                               \
  " AND version=(SELECT max(version) FROM documents AS n WHERE n.scope=d.scope AND n.kind=d.kind AND n.id=d.id) " \
  "ORDER BY id"
  Statement statement = connection->prepare(
      kind.empty() ? "SELECT " WEFT_DOCUMENT_COLUMNS " FROM documents AS d WHERE scope=?" WEFT_NEWEST
                   : "SELECT " WEFT_DOCUMENT_COLUMNS " FROM documents AS d WHERE scope=? AND kind=?" WEFT_NEWEST);
  statement.bind(scope);
  if (!kind.empty()) statement.bind(kind);
  return read_documents(statement);
}

Result<std::vector<DocumentRow>> SqliteDocuments::latest(const ScopeKey& scope, const std::string& kind,
                                                         std::size_t limit) {
  auto connection = pools_.readers().take();
  Statement statement = connection->prepare("SELECT " WEFT_DOCUMENT_COLUMNS
                                            " FROM documents WHERE kind=? AND scope=? "
                                            "ORDER BY time DESC, id DESC, version DESC LIMIT ?");
  statement.bind(kind).bind(scope).bind(static_cast<std::int64_t>(limit));
  WEFT_TRY(auto rows, read_documents(statement));
  std::reverse(rows.begin(), rows.end());
  return rows;
}

Result<std::vector<DocumentRow>> SqliteDocuments::of_kind(const std::string& kind, std::int64_t first_ms) {
  auto connection = pools_.readers().take();
  Statement statement = connection->prepare(
      "SELECT " WEFT_DOCUMENT_COLUMNS " FROM documents WHERE kind=? AND time>=? ORDER BY time, scope, id, version");
  statement.bind(kind).bind(first_ms);
  return read_documents(statement);
}

}  // namespace weft::sqlite
