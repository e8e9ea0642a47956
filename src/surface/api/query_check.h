#pragma once

#include "surface/api/operation.h"

namespace weft {

/// Refuses what an operation does not read in a query, naming what it does, and what is there more than once: a filter
/// with a slip in its name would otherwise be no filter.
Status check_query(const Operation& operation, const http::Request& request);

}  // namespace weft
