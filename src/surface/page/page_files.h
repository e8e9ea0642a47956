#pragma once

#include <string_view>

namespace weft {

/// A file of the page as it was built in from web/.
struct PageFile {
  std::string_view path;  ///< below web/: "app.js", "views/memory.js"
  std::string_view bytes;
};

extern const PageFile page_file_list[];
extern const unsigned page_file_count;

}  // namespace weft
