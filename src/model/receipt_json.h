#pragma once

#include <string>

#include "weft/erasure.h"

namespace weft {

/// A receipt as JSON, as it is kept and as surfaces show it.
std::string to_json(const EraseReceipt& receipt);

}  // namespace weft
