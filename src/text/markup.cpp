#include "text/markup.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "text/utf8.h"

namespace weft {
namespace {

// The first bytes of the UTF-8 forms of what is_harmful names; the two must agree.
bool may_begin_harmful(unsigned char byte) {
  if (byte < 0x20) return byte != '\n' && byte != '\t';
  return byte == 0x7f || byte == 0xc2 || byte == 0xe2 || byte == 0xef || byte == 0xf3;
}

// Whether all of eight bytes are printable ASCII: most of what is written is, and need not be looked at one by one.
bool are_printable(const char* eight) {
  constexpr std::uint64_t kOnes = 0x0101010101010101ULL, kHigh = 0x8080808080808080ULL;
  std::uint64_t word = 0;
  std::memcpy(&word, eight, sizeof word);
  const std::uint64_t below_blank = (word - kOnes * 0x20) & ~word;
  const std::uint64_t is_delete = word + kOnes;  // 0x7f becomes 0x80
  return ((word | below_blank | is_delete) & kHigh) == 0;
}

// The next place of each mark, so that long runs without one are passed over at once.
class MarkFinder {
 public:
  explicit MarkFinder(std::string_view text) : text_(text) {
    for (std::size_t i = 0; i < kMarks.size(); ++i) next_[i] = text_.find(kMarks[i]);
  }

  /// The first that is left; npos: none.
  std::size_t take() {
    const auto least = std::min_element(next_.begin(), next_.end());
    const std::size_t found = *least;
    if (found != std::string_view::npos)
      *least = text_.find(kMarks[static_cast<std::size_t>(least - next_.begin())], found + 1);
    return found;
  }

 private:
  static constexpr std::array<char, 3> kMarks = {'&', '<', '>'};
  std::string_view text_;
  std::array<std::size_t, 3> next_{};
};

}  // namespace

bool is_harmful(char32_t c) {
  if (c == '\n' || c == '\t') return false;
  if (c < 0x20 || (c >= 0x7f && c < 0xa0)) return true;
  return (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0x200e || c == 0x200f || c == 0xfeff ||
         (c >= 0xe0000 && c <= 0xe007f);
}

bool has_harmful(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    while (text.size() - i >= 8 && are_printable(text.data() + i)) i += 8;
    if (i == text.size()) return false;
    if (!may_begin_harmful(static_cast<unsigned char>(text[i]))) continue;
    std::size_t at = i;
    if (is_harmful(next_code_point(text, at))) return true;
  }
  return false;
}

std::string drop_harmful(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t c = next_code_point(text, at);
    if (is_harmful(c)) continue;
    if (c == 0xfffd) {
      safe += "\xef\xbf\xbd";
    } else {
      safe += text.substr(begin, at - begin);
    }
  }
  return safe;
}

std::string escape_markup(std::string_view text) {
  std::string cleaned;
  if (has_harmful(text)) {
    cleaned = drop_harmful(text);
    text = cleaned;
  }
  std::string out;
  out.reserve(text.size() + text.size() / 16);
  std::size_t run = 0;
  MarkFinder marks(text);
  for (std::size_t i = marks.take(); i != std::string_view::npos; i = marks.take()) {
    out.append(text, run, i - run);
    out += text[i] == '&' ? "&amp;" : text[i] == '<' ? "&lt;" : "&gt;";
    run = i + 1;
  }
  out.append(text, run);
  return out;
}

std::string escape_attribute(std::string_view text) {
  std::string out;
  for (const char c : escape_markup(text)) {
    if (c == '"' || c == '\'') {
      out += c == '"' ? "&quot;" : "&#39;";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace weft
