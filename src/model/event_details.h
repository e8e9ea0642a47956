#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "weft/memory.h"

namespace weft {

/// The metadata of an event as a JSON object, as it is kept and as surfaces show it.
std::string to_json(const EventDetails& details);

/// Reads what `to_json` wrote; nothing for an empty text or one that is no such object.
std::optional<EventDetails> read_details(std::string_view json);

}  // namespace weft
