#pragma once

#include <string>
#include <string_view>

#include "weft/erasure.h"
#include "weft/result.h"

namespace weft {

/// A receipt as JSON, as it is kept and as surfaces show it.
std::string to_json(const EraseReceipt& receipt);

/// Reads what it wrote. kCorrupt says what is wrong.
Result<EraseReceipt> parse_receipt(std::string_view json);

}  // namespace weft
