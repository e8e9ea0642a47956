#include "ports/files/installed_share.h"

#include <dlfcn.h>

#include <initializer_list>

namespace weft {

namespace fs = std::filesystem;

fs::path installed_share_of(const fs::path& binary) {
  std::error_code code;
  for (const char* prefix : {"..", "../.."}) {
    const fs::path share = (binary.parent_path() / prefix / "share" / "weft").lexically_normal();
    if (binary.is_absolute() && fs::is_directory(share, code)) return share;
  }
  return {};
}

fs::path installed_share() {
  // A library knows its own path; of a program only the system tells it.
  Dl_info about{};
  if (::dladdr(reinterpret_cast<const void*>(&installed_share_of), &about) != 0 && about.dli_fname != nullptr)
    if (fs::path share = installed_share_of(about.dli_fname); !share.empty()) return share;
  std::error_code code;
  return installed_share_of(fs::read_symlink("/proc/self/exe", code));
}

}  // namespace weft
