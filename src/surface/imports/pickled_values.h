#pragma once

#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "weft/result.h"

namespace weft {

/// What Python's pickle holds, as data: dictionaries, lists, texts, numbers. Nothing is run: an object is its state,
/// and what a function would have made is null. Protocols 2 to 5, as far as programs write plain records with them.
/// kCorrupt, with the place, for what is none.
Result<nlohmann::json> read_pickle(std::string_view bytes);

}  // namespace weft
