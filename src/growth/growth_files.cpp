#include "growth/growth_files.h"

#include <string>

#include "base/log.h"
#include "base/strings.h"
#include "ports/files/file_system.h"

namespace weft {

std::filesystem::path GrowthFiles::beliefs(const ScopeKey& scope) const {
  return scope_folder(workspace, "beliefs", scope) / "beliefs.yaml";
}

Status take_former_log(FileSystem& files, const std::filesystem::path& path,
                       const std::function<bool(std::string_view line)>& take, const std::function<Status()>& keep) {
  std::error_code failed;
  if (std::filesystem::status(path, failed).type() == std::filesystem::file_type::not_found) return {};
  WEFT_TRY(const std::string text, files.read(path));
  std::string unread;
  std::string_view rest = text;
  for (auto end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
    if (!take(rest.substr(0, end))) unread += std::string(rest.substr(0, end + 1));
    rest.remove_prefix(end + 1);
  }
  WEFT_CHECK(keep());
  if (!unread.empty()) {
    const std::filesystem::path left = path.string() + ".unread";
    WEFT_CHECK(write_file(files, left, unread, true));
    log_warning("former_log", "lines of " + path.string() + " that cannot be read are in " + left.string() + " now");
  }
  return files.remove(path);
}

}  // namespace weft
