#pragma once

#include "ports/store/sqlite/connection.h"

namespace weft::sqlite {

/// The version of the tables below; a store of a newer version is refused, an older one migrated.
inline constexpr int kSchemaVersion = 11;

/// Makes the tables where they are missing. kConflict when the store was written by a newer Weft.
Status prepare_schema(Connection& connection);

}  // namespace weft::sqlite
