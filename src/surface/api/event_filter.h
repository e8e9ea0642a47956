#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "weft/memory.h"
#include "weft/result.h"

namespace weft {

/// The names of the metadata that events are filtered by.
const std::vector<std::string_view>& event_filter_names();

/// Sets one field of a filter from its text. kInvalidArgument names the field and what it may be.
Status set_event_filter(EventFilter& filter, std::string_view name, const std::string& value);

/// Reads a JSON object of fields, such as {"sender_id": "ann", "has_new_info": true}; empty text: no filter.
Result<EventFilter> parse_event_filter(std::string_view json);

}  // namespace weft
