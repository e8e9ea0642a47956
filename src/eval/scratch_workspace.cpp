#include "eval/scratch_workspace.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace weft {

namespace fs = std::filesystem;

ScratchWorkspace::ScratchWorkspace() {
  std::error_code none;
  std::string name = (fs::temp_directory_path(none) / "weft-eval-XXXXXX").string();
  if (mkdtemp(name.data()) != nullptr) path_ = name;
}

ScratchWorkspace::~ScratchWorkspace() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

}  // namespace weft
