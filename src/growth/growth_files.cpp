#include "growth/growth_files.h"

#include "ports/files/scope_folder.h"

namespace weft {

std::filesystem::path GrowthFiles::beliefs(std::string_view scope) const {
  return scope_folder(workspace, "beliefs", scope) / "beliefs.yaml";
}

}  // namespace weft
