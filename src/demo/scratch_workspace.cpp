#include "demo/scratch_workspace.h"

#include <unistd.h>

#include <cstdlib>

namespace weft {

namespace fs = std::filesystem;

ScratchWorkspace::ScratchWorkspace(const fs::path& parent) {
  std::error_code none;
  std::string name = ((parent.empty() ? fs::temp_directory_path(none) : parent) / "weft-scratch-XXXXXX").string();
  if (mkdtemp(name.data()) != nullptr) path_ = name;
}

ScratchWorkspace::~ScratchWorkspace() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

}  // namespace weft
