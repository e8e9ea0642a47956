#pragma once

#include <string>
#include <vector>

#include "ports/store/sqlite/connection.h"
#include "ports/store/store.h"

namespace weft::sqlite {

/// Texts of a batch's rows as columns hold them, made before its transaction begins: what they are made of comes from
/// outside, and while a writer works on it others need not wait.
struct RowTexts {
  explicit RowTexts(const WriteBatch& batch);
  std::vector<std::string> extras;            ///< of messages, in their order
  std::vector<std::string> sources, details;  ///< of items, in their order
};

/// Documents of a batch, inside the open transaction.
Status check_documents(Connection& connection, const WriteBatch& batch);
Status put_documents(Connection& connection, const WriteBatch& batch);

/// Log entries of a batch, with those of its messages, and its cursors, likewise.
Status put_log(Connection& connection, const WriteBatch& batch);

/// Jobs of a batch, likewise.
Status put_jobs(Connection& connection, const WriteBatch& batch);

/// Applies one batch inside the open transaction.
Status apply(Connection& connection, const WriteBatch& batch, const RowTexts& texts);

}  // namespace weft::sqlite
