#pragma once

#include "ports/store/postgres/connection.h"

namespace weft::postgres {

/// The version of the tables. A database with any other version is refused.
inline constexpr int kSchemaVersion = 1;

/// Makes the schema "weft" and its tables where they are missing; many programs may try at once. kConflict where a
/// newer Weft wrote them, kUnavailable where the server is too old.
Status prepare_schema(Connection& connection);

}  // namespace weft::postgres
