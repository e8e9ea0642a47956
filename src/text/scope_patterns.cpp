#include "text/scope_patterns.h"

#include "text/plain_words.h"

namespace weft {
namespace {

bool fits(std::string_view pattern, std::string_view text) {
  const auto star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == text;
  if (!text.starts_with(pattern.substr(0, star))) return false;
  const std::string_view rest = pattern.substr(star + 1);
  for (std::size_t at = star; at <= text.size(); ++at)
    if (fits(rest, text.substr(at))) return true;
  return false;
}

}  // namespace

bool is_meant(std::string_view patterns, std::string_view scope) {
  bool meant = false;
  for (std::string_view pattern : split_list(patterns, ' ')) {
    const bool out = pattern.starts_with('-');
    if (out) pattern.remove_prefix(1);
    if (fits(pattern, scope)) meant = !out;
  }
  return meant;
}

}  // namespace weft
