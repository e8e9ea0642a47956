#include "growth/former_log.h"

namespace weft {

Status take_former_log(FileSystem& files, const std::filesystem::path& path,
                       const std::function<void(std::string_view line)>& take, const std::function<Status()>& keep) {
  const auto text = files.read(path);
  if (!text.ok()) return text.error().code == ErrorCode::kNotFound ? Status() : Status(text.error());
  std::string_view rest = *text;
  for (auto end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
    take(rest.substr(0, end));
    rest.remove_prefix(end + 1);
  }
  WEFT_CHECK(keep());
  return files.remove(path);
}

}  // namespace weft
