#pragma once

#include "ports/store/sqlite/connection.h"
#include "ports/store/store.h"

namespace weft::sqlite {

/// Documents of a batch, inside the open transaction.
Status put_documents(Connection& connection, const WriteBatch& batch);

/// Applies one batch inside the open transaction.
Status apply(Connection& connection, const WriteBatch& batch);

}  // namespace weft::sqlite
