#include "surface/api/paths.h"

#include "surface/api/operation.h"
#include "surface/api/other_paths.h"

namespace weft {

std::vector<PathInfo> http_paths() {
  std::vector<PathInfo> all;
  for (const Operation& one : operations()) {
    std::string text = one.summary;
    for (const Parameter& parameter : one.query)
      text += (&parameter == &one.query.front() ? "; ?" : ", ?") + parameter.name + "=";
    all.push_back({one.method + " " + one.path, std::move(text)});
  }
  for (const OtherPath& one : other_paths()) all.push_back({std::string(one.line), std::string(one.text)});
  return all;
}

std::vector<std::string> names_in_path(std::string_view path) {
  std::vector<std::string> names;
  for (auto begin = path.find('{'); begin != std::string_view::npos; begin = path.find('{', begin + 1))
    names.emplace_back(path.substr(begin + 1, path.find('}', begin) - begin - 1));
  return names;
}

}  // namespace weft
