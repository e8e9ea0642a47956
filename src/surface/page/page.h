#pragma once

#include <string_view>

#include "surface/http/exchange.h"

namespace weft {

/// A file of the page as it was built in from web/.
struct PageFile {
  std::string_view path;  ///< below web/: "app.js", "views/memory.js"
  std::string_view bytes;
};

extern const PageFile page_file_list[];
extern const unsigned page_file_count;

/// Serves the page: /ui and the files that it loads, which are built in. Answers carry a tag, by which browsers need
/// not load again what has not changed, and a policy under which nothing runs or loads but these files.
void add_page(http::Router& router);

}  // namespace weft
