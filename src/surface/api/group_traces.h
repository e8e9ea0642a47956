#pragma once

#include <string>
#include <vector>

#include "surface/http/router.h"
#include "weft/engine.h"

namespace weft {

/// {"groups":[{"group_id":…,"events":…,"messages":…}]}: counts, no text.
std::string to_json(const std::vector<GroupTrace>& traces);

/// GET /v1/erase/groups tells what of a user stands in groups, POST forgets it there.
void add_group_traces_api(http::Router& router, Engine& engine);

}  // namespace weft
