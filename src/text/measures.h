#pragma once

#include <string_view>
#include <vector>

#include "text/protected_spans.h"

namespace weft {

/// The numbers of a text that count or measure something that is no time, with their units: "200 degrees", "$40",
/// "twelve nights", 1100块, 三个苹果, 第3章. Lengths of time ("two weeks") are left to the time grammar. In order.
/// Linear. Safe from any thread.
std::vector<Span> measure_spans(std::string_view text);

}  // namespace weft
