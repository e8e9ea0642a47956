#pragma once

#include <string_view>
#include <vector>

#include "text/protected_spans.h"

namespace weft {

/// The words of a text that machines made or read: hashes, uuids, order numbers, versions, file and host names,
/// snake_case and camelCase, addresses of machines, telephone numbers. Numbers that can be dates, times or amounts are
/// none of them ("5pm", "2nd", "12-Mar-2026", "90s"). In order, without overlaps. Linear. Safe from any thread.
std::vector<Span> identifier_spans(std::string_view text);

}  // namespace weft
