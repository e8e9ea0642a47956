// The weights were fitted to the mean of five vocabularies (Qwen 2, Llama 3, DeepSeek, Gemma, Command R) over 1,284
// texts: chat and prose in both languages, agents' traces, C++, JSON. Per kind of text and vocabulary the sum is then
// between 0.84 and 1.20 of the exact one; four characters a token give 0.34 to 0.41 for Chinese and 1.17 for English
// prose.
#include "text/token_counter.h"

#include <array>
#include <cstddef>

#include "text/utf8.h"

namespace weft {
namespace {

// In thousandths of a token.
constexpr std::int64_t kWord = 1010;         // a run of Latin letters, up to the next capital inside it
constexpr std::int64_t kSeventhLetter = 70;  // each letter from the seventh to the twelfth
constexpr std::int64_t kFarLetter = 400;     // each further letter: nothing a vocabulary knows, such as encoded data
constexpr std::int64_t kOneDigit = 1100;
constexpr std::int64_t kMarks = 940;         // a run of ASCII punctuation
constexpr std::int64_t kFurtherMark = 70;    // each further character of it
constexpr std::int64_t kBlank = 1250;  // a run of line breaks or of several spaces; a single space costs nothing
constexpr std::int64_t kCjkLetter = 640;
constexpr std::int64_t kCjkMark = 1300;  // full-width and ideographic punctuation
constexpr std::int64_t kLetter = 450;  // Cyrillic, Greek, accents, Hangul, …
constexpr std::int64_t kSymbol = 1650;  // emoji and what else there is

enum class Kind : unsigned char { kUpper, kLower, kDigit, kMark, kSpace, kBreak, kOther };

constexpr std::array<Kind, 128> make_kinds() {
  std::array<Kind, 128> kinds{};
  for (std::size_t c = 0; c < kinds.size(); ++c) {
    kinds[c] = c >= 'A' && c <= 'Z'     ? Kind::kUpper
               : c >= 'a' && c <= 'z'   ? Kind::kLower
               : c >= '0' && c <= '9'   ? Kind::kDigit
               : c == ' ' || c == '\t'  ? Kind::kSpace
               : c == '\n' || c == '\r' ? Kind::kBreak
                                        : Kind::kMark;
  }
  return kinds;
}
constexpr std::array<Kind, 128> kKinds = make_kinds();

Kind kind_of(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x80 ? kKinds[byte] : Kind::kOther;
}

std::int64_t word_weight(std::size_t letters) {
  const auto n = static_cast<std::int64_t>(letters);
  if (n <= 6) return kWord;
  if (n <= 12) return kWord + (n - 6) * kSeventhLetter;
  return kWord + 6 * kSeventhLetter + (n - 12) * kFarLetter;
}

std::int64_t other_weight(char32_t c) {
  if (is_cjk(c)) return kCjkLetter;
  if ((c >= 0x3000 && c <= 0x303F) || (c >= 0xFF00 && c <= 0xFFEF) || (c >= 0x2010 && c <= 0x2027)) return kCjkMark;
  if ((c >= 0xC0 && c <= 0x1FFF) || (c >= 0xA000 && c <= 0xD7FF)) return kLetter;
  return kSymbol;
}

// Behind the run of the kind that begins at `at`; words also end before a capital that follows a small letter.
std::size_t end_of_word(std::string_view text, std::size_t at) {
  Kind before = kind_of(text[at]);
  for (++at; at < text.size(); ++at) {
    const Kind kind = kind_of(text[at]);
    if (kind != Kind::kUpper && kind != Kind::kLower) break;
    if (kind == Kind::kUpper && before == Kind::kLower) break;
    before = kind;
  }
  return at;
}

std::int64_t by_script(std::string_view text) {
  std::int64_t weight = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    switch (kind_of(text[at])) {
      case Kind::kUpper:
      case Kind::kLower:
        at = end_of_word(text, at);
        weight += word_weight(at - begin);
        break;
      case Kind::kDigit:
        weight += kOneDigit;
        ++at;
        break;
      case Kind::kMark:
        while (at < text.size() && kind_of(text[at]) == Kind::kMark) ++at;
        weight += kMarks + static_cast<std::int64_t>(at - begin - 1) * kFurtherMark;
        break;
      case Kind::kSpace:
      case Kind::kBreak: {
        while (at < text.size() && (kind_of(text[at]) == Kind::kSpace || kind_of(text[at]) == Kind::kBreak)) ++at;
        if (at - begin > 1 || kind_of(text[begin]) == Kind::kBreak) weight += kBlank;
        break;
      }
      case Kind::kOther: weight += other_weight(next_code_point(text, at)); break;
    }
  }
  return (weight + 999) / 1000;
}

std::int64_t by_characters(std::string_view text) {
  std::int64_t characters = 0;
  for (const char c : text) characters += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return (characters + 3) / 4;
}

}  // namespace

std::int64_t estimate_tokens(std::string_view text, TokenMode mode) {
  if (text.empty()) return 0;
  const std::int64_t count = mode == TokenMode::kChars4 ? by_characters(text) : by_script(text);
  return count > 0 ? count : 1;
}

}  // namespace weft
