#include "flow/memory/lore_import.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "flow/memory/lore_readers.h"
#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::size_t kMaxDepth = 64;  // of JSON

Error in_file(std::string_view file, Error error) {
  error.message = preview(file, 200) + ": " + error.message;
  return error;
}

Status check_bytes(std::string_view bytes, const LoreLimits& limits) {
  if (bytes.size() > limits.max_bytes) {
    return too_large(std::to_string(bytes.size()) + " bytes are more than the " + std::to_string(limits.max_bytes) +
                     " allowed for a file");
  }
  const auto byte = find_invalid_utf8(bytes);
  if (!byte) return {};
  const bool utf16 = bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF");
  return invalid_argument("not UTF-8 at byte " + std::to_string(*byte) + (utf16 ? " (it looks like UTF-16)" : ""),
                          "save the file as UTF-8");
}

}  // namespace

std::optional<LoreFormat> lore_format(std::string_view file) {
  const auto dot = file.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  std::string ending(file.substr(dot + 1));
  std::transform(ending.begin(), ending.end(), ending.begin(), to_lower<char>);
  if (ending == "md" || ending == "markdown") return LoreFormat::kMarkdown;
  if (ending == "txt" || ending == "text") return LoreFormat::kText;
  if (ending == "json") return LoreFormat::kJson;
  return std::nullopt;
}

Result<LoreImport> import_lore(std::string_view bytes, std::string_view file, const LoreLimits& limits) {
  const auto format = lore_format(file);
  if (!format) {
    return in_file(file, invalid_argument("not a kind of file that lore is read from", "use .md, .txt or .json"));
  }
  if (auto checked = check_bytes(bytes, limits); !checked.ok()) return in_file(file, checked.error());
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  LoreCollector collector(file, limits);
  if (*format == LoreFormat::kJson) {
    const auto root = parse_value(bytes, JsonLimits{limits.max_bytes, kMaxDepth}, "lore");
    if (!root.ok()) return in_file(file, root.error());
    if (auto read = read_lore_json(*root, collector); !read.ok()) return in_file(file, read.error());
    return collector.take();
  }
  // A NUL is valid UTF-8 and no text.
  const std::string clean = bytes.find('\0') == std::string_view::npos ? std::string() : repair_utf8(bytes);
  if (bytes.find('\0') != std::string_view::npos) bytes = clean;
  *format == LoreFormat::kMarkdown ? read_lore_markdown(bytes, collector) : read_lore_text(bytes, collector);
  return collector.take();
}

}  // namespace weft
