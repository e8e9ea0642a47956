#include "flow/context/fence.h"

#include <algorithm>
#include <cctype>

#include "text/markup.h"
#include "text/utf8.h"

namespace weft {
namespace {

std::string attribute(std::string_view name, std::string_view value) {
  return value.empty() ? std::string() : " " + std::string(name) + "=\"" + escape_attribute(value) + "\"";
}

bool is_name_char(unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-' || c == ':' || c >= 0x80; }

// Whether a reader may take what follows a "<" for a tag: "<memory>", "</ x", "<|im_end|>", "< system >", but not the
// "<" of "i < n", "a <= b" or "x << 2".
bool may_begin_tag(std::string_view after) {
  const auto name = after.find_first_not_of(" \t\r\n");
  if (name == std::string_view::npos) return false;
  const auto first = static_cast<unsigned char>(after[name]);
  if (after[name] == '/' || after[name] == '!' || after[name] == '?' || after[name] == '|') return true;
  if (std::isalpha(first) == 0 && first != '_' && first < 0x80) return false;
  if (name == 0) return true;
  const auto* end = std::find_if_not(after.begin() + static_cast<std::ptrdiff_t>(name), after.end(), is_name_char);
  const auto rest = after.substr(static_cast<std::size_t>(end - after.begin()));
  const auto close = rest.find_first_not_of(" \t\r\n/");
  return close != std::string_view::npos && rest[close] == '>';
}

}  // namespace

// A tag begins with "<": without one, none is opened, closed or forged. All else stays as it was written, since code
// and quotations are read by a model, not by a parser, and may be given back word for word.
std::string escape_text(std::string_view text) {
  std::string cleaned;
  if (has_harmful(text)) {
    cleaned = drop_harmful(text);
    text = cleaned;
  }
  std::string safe;
  safe.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t mark = std::min(text.find('<', at), text.size());
    safe += text.substr(at, mark - at);
    if (mark < text.size()) safe += may_begin_tag(text.substr(mark + 1)) ? "&lt;" : "<";
    at = mark + 1;
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

std::string fence_days(std::string_view days) {
  if (days.empty()) return {};
  return "<days>\nWhat happened today and yesterday in other sessions, quoted.\n" + escape_text(days) + "\n</days>";
}

std::string fence_skills(std::string_view skills) {
  if (skills.empty()) return {};
  return "<skills>\nProcedures that were learnt for tasks like this one.\n" + escape_text(skills) + "</skills>";
}

}  // namespace weft
