#include <algorithm>
#include <string>

#include "base/strings.h"
#include "flow/memory/lore_readers.h"
#include "text/sentences.h"
#include "text/tokens.h"

namespace weft {
namespace {

constexpr std::int64_t kShortTokens = 16;  // a paragraph this short is a heading or a single remark

std::int64_t count_tokens(std::string_view text) { return estimate_tokens(text, TokenMode::kScript); }

}  // namespace

void add_lore_parts(const LoreEntry& entry, std::string_view text, std::string_view name, LoreCollector& into) {
  std::size_t part = 0;
  for (const std::string_view piece : split_by_tokens(trimmed(text), into.limits().section_tokens, count_tokens)) {
    const std::string_view inner = trimmed(piece);
    if (inner.empty()) continue;
    LoreEntry one = entry;
    one.text = std::string(inner);
    if (++part > 1) one.title += " (" + std::to_string(part) + ")";
    into.add(std::move(one), name);
  }
}

// A paragraph's id comes from its text, so that changing one leaves the others what they are.
void read_lore_text(std::string_view text, LoreCollector& into) {
  LoreEntry entry;
  entry.title = std::string(file_stem(into.file()));
  std::size_t begin = 0, last = 0;  // of the paragraph: its first line, the end of its last one
  bool blank = false;               // the line before was empty
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const bool empty = trimmed(text.substr(at, end - at)).empty();
    if (!empty && last <= begin) begin = last = at;
    // Measuring a long text at each of its paragraphs would be quadratic.
    const bool is_short = last - begin < 200 && count_tokens(text.substr(begin, last - begin)) < kShortTokens;
    if (blank && !empty && !is_short && last > begin) {
      add_lore_parts(entry, text.substr(begin, last - begin), "", into);
      begin = at;
    }
    if (!empty) last = end;
    blank = empty;
    at = end + 1;
  }
  add_lore_parts(entry, text.substr(begin, std::max(begin, last) - begin), "", into);
}

}  // namespace weft
