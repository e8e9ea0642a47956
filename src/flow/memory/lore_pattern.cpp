#include "flow/memory/lore_pattern.h"

#include <unicode/regex.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::size_t kMaxPattern = 1024;
constexpr std::size_t kMaxText = 16 * 1024;
constexpr std::int32_t kTimeLimit = 20;         // ICU's unit: 10,000 steps back; about a millisecond each
constexpr std::int32_t kStackBytes = 1 << 20;  // of places to go back to

icu::UnicodeString utf16(std::string_view text) {
  return icu::UnicodeString::fromUTF8(icu::StringPiece(text.data(), static_cast<std::int32_t>(text.size())));
}

}  // namespace

struct LorePattern::Compiled {
  std::unique_ptr<icu::RegexPattern> pattern;
};

LorePattern::LorePattern(std::unique_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}
LorePattern::LorePattern(LorePattern&&) noexcept = default;
LorePattern& LorePattern::operator=(LorePattern&&) noexcept = default;
LorePattern::~LorePattern() = default;

bool is_lore_pattern(std::string_view key) {
  const auto last = key.rfind('/');
  if (!key.starts_with('/') || last < 2 || last == std::string_view::npos) return false;
  const auto flags = key.substr(last + 1);
  return std::all_of(flags.begin(), flags.end(), is_lower<char>);
}

std::string literal_pattern(std::string_view words) {
  std::string out;
  for (const char c : words) {
    if (std::string_view("\\^$.|?*+()[]{}/-").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

Result<LorePattern> LorePattern::make(std::string_view key) {
  if (!is_lore_pattern(key)) return invalid_argument("not written as /…/");
  if (key.size() > kMaxPattern) return invalid_argument("longer than " + std::to_string(kMaxPattern) + " bytes");
  if (find_invalid_utf8(key)) return invalid_argument("not UTF-8");
  const auto last = key.rfind('/');
  std::uint32_t flags = 0;
  for (const char flag : key.substr(last + 1)) {
    switch (flag) {
      case 'i': flags |= UREGEX_CASE_INSENSITIVE; break;
      case 's': flags |= UREGEX_DOTALL; break;
      case 'm': flags |= UREGEX_MULTILINE; break;
      case 'u':
      case 'g': break;  // always so, and of no meaning where one place is enough
      default: return invalid_argument(std::string("the flag '") + flag + "' is not known");
    }
  }
  UErrorCode status = U_ZERO_ERROR;
  UParseError place;
  auto compiled = std::make_unique<Compiled>();
  compiled->pattern.reset(icu::RegexPattern::compile(utf16(key.substr(1, last - 1)), flags, place, status));
  if (U_FAILURE(status) || compiled->pattern == nullptr) {
    return invalid_argument("not a pattern, character " + std::to_string(place.offset) + ": " + u_errorName(status));
  }
  return LorePattern(std::move(compiled));
}

bool LorePattern::found_in(std::string_view text) const {
  if (text.size() > kMaxText) {
    std::size_t begin = text.size() - kMaxText;
    while (begin < text.size() && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) ++begin;
    text.remove_prefix(begin);
  }
  UErrorCode status = U_ZERO_ERROR;
  const icu::UnicodeString wide = utf16(text);
  const std::unique_ptr<icu::RegexMatcher> matcher(compiled_->pattern->matcher(wide, status));
  if (U_FAILURE(status) || matcher == nullptr) return false;
  matcher->setTimeLimit(kTimeLimit, status);
  matcher->setStackLimit(kStackBytes, status);
  const bool found = matcher->find(status);
  return U_SUCCESS(status) && found;
}

}  // namespace weft
