#pragma once

#include <string_view>

namespace weft {

/// A file of templates/, as the build put it into the library.
struct ShippedTemplate {
  std::string_view id, source;
};

/// The first of `shipped_template_count`, sorted by id. Written by cmake/weft_embed.cmake.
extern const ShippedTemplate shipped_template_list[];
extern const unsigned shipped_template_count;

}  // namespace weft
