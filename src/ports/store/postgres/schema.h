#pragma once

#include "ports/store/postgres/connection.h"

namespace weft::postgres {

/// The version of the tables; a database of a newer version is refused, an older one migrated.
inline constexpr int kSchemaVersion = 1;

/// Makes the schema "weft" and its tables where they are missing; many programs may try at once. kConflict where a
/// newer Weft wrote them, kUnavailable where the server is too old.
Status prepare_schema(Connection& connection);

}  // namespace weft::postgres
