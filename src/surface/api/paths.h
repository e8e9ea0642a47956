#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft {

/// One path of the server, for people.
struct PathInfo {
  std::string path;  ///< "POST /v1/search"
  std::string text;
};

/// Every path that a server answers, those of the proxy last.
std::vector<PathInfo> http_paths();

/// The names in a path: "/v1/sessions/{id}/messages" has "id".
std::vector<std::string> names_in_path(std::string_view path);

}  // namespace weft
