#pragma once

#include <span>
#include <string_view>

namespace weft {

/// One path of the server, for people.
struct PathInfo {
  std::string_view path;  ///< "POST /v1/search"
  std::string_view text;
};

/// Every path that a server answers, those of the proxy last.
std::span<const PathInfo> http_paths();

}  // namespace weft
