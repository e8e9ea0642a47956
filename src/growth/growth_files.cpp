#include "growth/growth_files.h"

#include "ports/files/scope_folder.h"

namespace weft {

std::filesystem::path GrowthFiles::beliefs(const ScopeKey& scope) const {
  return scope_folder(workspace, "beliefs", scope) / "beliefs.yaml";
}

}  // namespace weft
