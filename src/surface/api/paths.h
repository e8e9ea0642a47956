#pragma once

#include <string>
#include <vector>

namespace weft {

/// One path of the server, for people.
struct PathInfo {
  std::string path;  ///< "POST /v1/search"
  std::string text;
};

/// Every path that a server answers, those of the proxy last.
std::vector<PathInfo> http_paths();

}  // namespace weft
