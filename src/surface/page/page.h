#pragma once

#include "surface/http/router.h"

namespace weft {

/// Serves the page: /ui and the files that it loads, which are built in. Answers carry a tag, by which browsers need
/// not load again what has not changed, and a policy under which nothing runs or loads but these files.
void add_page(http::Router& router);

}  // namespace weft
