#include "text/scope_patterns.h"

#include <functional>

#include "base/strings.h"
#include "text/plain_words.h"

namespace weft {
bool is_meant(std::string_view patterns, std::string_view scope) {
  bool meant = false;
  for (std::string_view pattern : split_list(patterns, ' ')) {
    const bool out = pattern.starts_with('-');
    if (out) pattern.remove_prefix(1);
    if (glob(pattern, scope, std::equal_to<>())) meant = !out;
  }
  return meant;
}

}  // namespace weft
