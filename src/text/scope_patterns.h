#pragma once

#include <string_view>

namespace weft {

/// Whether a scope's key is meant by a list of patterns with blanks between, such as "user:* group:club -user:guest".
/// '*' stands for any characters, '-' before a pattern takes its scopes out, and the last pattern that fits counts.
bool is_meant(std::string_view patterns, std::string_view scope);

}  // namespace weft
