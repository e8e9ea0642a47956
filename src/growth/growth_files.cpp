#include "growth/growth_files.h"

#include "ports/files/scope_folder.h"

namespace weft {

std::filesystem::path GrowthFiles::beliefs(std::string_view scope) const {
  return scope_folder(workspace, "beliefs", scope) / "beliefs.yaml";
}

std::filesystem::path GrowthFiles::run(std::string_view id) const {
  return workspace / "agents" / (std::string(id) + ".jsonl");
}

}  // namespace weft
