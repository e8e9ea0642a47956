#pragma once

#include <string_view>

#include "text/json.h"
#include "weft/value.h"

namespace weft {

/// As `parse_value` of one text, within these limits; errors begin with `what`.
Result<Value> parse_value(std::string_view json, const JsonLimits& limits, std::string_view what);

}  // namespace weft
