#include "ports/files/scope_folder.h"

#include "ports/files/file.h"

namespace weft {

std::filesystem::path scope_folder(const std::filesystem::path& workspace, std::string_view name,
                                   const ScopeKey& scope) {
  const std::filesystem::path folder = workspace / name;
  const std::string_view key = scope.str();
  if (key == "user:default") return folder;
  const auto colon = key.find(':');
  const bool group = key.substr(0, colon) == "group";
  return folder / (group ? "groups" : "users") / encode_file_name(key.substr(colon + 1));
}

}  // namespace weft
