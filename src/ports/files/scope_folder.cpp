#include "ports/files/scope_folder.h"

#include "ports/files/file.h"

namespace weft {

std::filesystem::path scope_folder(const std::filesystem::path& workspace, std::string_view name,
                                   std::string_view scope) {
  const std::filesystem::path folder = workspace / name;
  if (scope == "user:default") return folder;
  const auto colon = scope.find(':');
  const bool group = scope.substr(0, colon) == "group";
  return folder / (group ? "groups" : "users") / encode_file_name(scope.substr(colon + 1));
}

}  // namespace weft
