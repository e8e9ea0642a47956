#include "growth/rewrite_lines.h"

#include "base/strings.h"

namespace weft {

Status rewrite_lines(FileSystem& files, const std::filesystem::path& path,
                     const std::function<std::string(std::string_view line)>& line_of) {
  auto text = files.read(path);
  if (!text.ok()) return text.error().code == ErrorCode::kNotFound ? Status() : Status(text.error());
  std::string kept;
  for (const std::string_view line : lines_of(*text)) kept += line_of(line);
  return kept == *text ? Status() : write_file(files, path, kept, true);
}

}  // namespace weft
