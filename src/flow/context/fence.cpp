#include "flow/context/fence.h"

#include "text/markup.h"
#include "text/utf8.h"

namespace weft {
namespace {

std::string attribute(std::string_view name, std::string_view value) {
  return value.empty() ? std::string() : " " + std::string(name) + "=\"" + escape_text(value) + "\"";
}

}  // namespace

std::string escape_text(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t c = next_code_point(text, at);
    if (is_harmful(c)) continue;
    switch (c) {
      case '&': safe += "&amp;"; break;
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      case '"': safe += "&quot;"; break;
      default: safe += text.substr(begin, at - begin);
    }
  }
  return safe;
}

std::string fence_profile(std::string_view id, std::string_view text) {
  return "<profile" + attribute("of", id) + ">\nWhat is known of whom this is for, quoted.\n" + escape_text(text) +
         "\n</profile>";
}

std::string fence_summary(std::string_view summary) {
  if (summary.empty()) return {};
  return "<summary>\nEarlier turns of this conversation in short, quoted.\n" + escape_text(summary) + "\n</summary>";
}

}  // namespace weft
