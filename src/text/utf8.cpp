#include "text/utf8.h"

#include <unicode/brkiter.h>
#include <unicode/uchar.h>
#include <unicode/uscript.h>
#include <unicode/utext.h>
#include <memory>

namespace weft {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

unsigned char byte_at(std::string_view text, std::size_t at) { return static_cast<unsigned char>(text[at]); }

bool is_continuation(unsigned char c) { return (c & 0xC0) == 0x80; }

// Length of the well-formed sequence at `at`, 0 where it is broken. Table 3-7 of the Unicode standard: the range of the
// second byte excludes overlong forms, surrogates and what lies above U+10FFFF.
std::size_t sequence_length(std::string_view text, std::size_t at) {
  const unsigned char lead = byte_at(text, at);
  if (lead < 0x80) return 1;
  std::size_t length = 0;
  unsigned char low = 0x80, high = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  } else {
    return 0;
  }
  if (text.size() - at < length) return 0;
  if (byte_at(text, at + 1) < low || byte_at(text, at + 1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if (!is_continuation(byte_at(text, at + i))) return 0;
  }
  return length;
}

// A break iterator is costly to make and not safe for several threads, so each thread keeps one.
icu::BreakIterator* characters() {
  thread_local std::unique_ptr<icu::BreakIterator> iterator = [] {
    UErrorCode status = U_ZERO_ERROR;
    std::unique_ptr<icu::BreakIterator> made(
        icu::BreakIterator::createCharacterInstance(icu::Locale::getRoot(), status));
    return U_SUCCESS(status) ? std::move(made) : nullptr;
  }();
  return iterator.get();
}

// A boundary of characters between two ASCII bytes needs no tables, except inside CR LF.
bool plain_boundary(std::string_view text, std::size_t at) {
  return byte_at(text, at - 1) < 0x80 && byte_at(text, at) < 0x80 && !(text[at - 1] == '\r' && text[at] == '\n');
}

// Calls `on_character(begin, end)` for each character from `from` on, which begins one, to the next plain boundary.
// Gives that place; the end of the text where `on_character` returned false.
template <class F>
std::size_t for_each_character_by_tables(std::string_view text, std::size_t from, F& on_character) {
  UErrorCode status = U_ZERO_ERROR;
  UText view = UTEXT_INITIALIZER;
  utext_openUTF8(&view, text.data() + from, static_cast<std::int64_t>(text.size() - from), &status);
  icu::BreakIterator* breaks = characters();
  const bool tables = breaks != nullptr && U_SUCCESS(status);  // without ICU's data: code points
  if (tables) {
    breaks->setText(&view, status);
    breaks->first();
  }
  std::size_t begin = from;
  while (begin < text.size()) {
    std::size_t end = begin;
    if (tables)
      end = from + static_cast<std::size_t>(breaks->next());
    else
      next_code_point(text, end);
    if (!on_character(begin, end))
      begin = text.size();
    else if (begin = end; begin < text.size() && plain_boundary(text, begin))
      break;
  }
  utext_close(&view);
  return begin;
}

// Calls `on_character(begin, end)` for each character as people see it until that returns false.
template <class F>
void for_each_character(std::string_view text, F&& on_character) {
  for (std::size_t at = 0; at < text.size();) {
    const bool alone = at + 1 == text.size() ? byte_at(text, at) < 0x80 : plain_boundary(text, at + 1);
    if (!alone)
      at = for_each_character_by_tables(text, at, on_character);
    else if (!on_character(at, at + 1))
      return;
    else
      ++at;
  }
}

}  // namespace

std::optional<std::size_t> find_invalid_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    // Eight bytes of ASCII at once: most of what comes in is JSON syntax and English.
    if (text.size() - at >= 8) {
      std::uint64_t word = 0;
      __builtin_memcpy(&word, text.data() + at, 8);
      if ((word & 0x8080808080808080ULL) == 0) {
        at += 8;
        continue;
      }
    }
    const std::size_t length = sequence_length(text, at);
    if (length == 0) return at;
    at += length;
  }
  return std::nullopt;
}

std::string repair_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_length(text, at);
    if (length == 0) {
      out += "\xEF\xBF\xBD";
      // The continuation bytes of a broken sequence are part of the same fault.
      for (++at; at < text.size() && is_continuation(byte_at(text, at)); ++at) {
      }
    } else {
      if (text[at] != '\0') out.append(text, at, length);
      at += length;
    }
  }
  return out;
}

std::string_view cut_bytes(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  if (max_bytes == 0) return {};
  if (plain_boundary(text, max_bytes)) return text.substr(0, max_bytes);

  // Back to the nearest boundary that is certain, then forward character by character.
  std::size_t start = max_bytes;
  while (start > 0 && !plain_boundary(text, start)) --start;
  std::size_t end = start;
  for_each_character(text.substr(start), [&](std::size_t, std::size_t character_end) {
    if (start + character_end > max_bytes) return false;
    end = start + character_end;
    return true;
  });
  return text.substr(0, end);
}

std::string preview(std::string_view text, std::size_t max) {
  std::string out;
  std::size_t count = 0;
  bool cut = false;
  for_each_character(text, [&](std::size_t begin, std::size_t end) {
    if (count++ == max) {
      cut = true;
      return false;
    }
    const unsigned char first = byte_at(text, begin);
    if (first < 0x20 || first == 0x7F) {
      out.push_back(' ');
    } else {
      out.append(text, begin, end - begin);
    }
    return true;
  });
  if (cut) out += "…";
  return out;
}

bool is_cjk(char32_t c) {
  if (c < 0x2E80) return false;
  if (c >= 0x4E00 && c <= 0x9FFF) return true;
  if (c == 0x30FC || c == 0xFF70) return true;  // the sound mark of long Japanese vowels has no script of its own
  UErrorCode status = U_ZERO_ERROR;
  switch (uscript_getScript(static_cast<UChar32>(c), &status)) {
    case USCRIPT_HAN:
    case USCRIPT_HIRAGANA:
    case USCRIPT_KATAKANA:
    case USCRIPT_BOPOMOFO: return U_SUCCESS(status);
    default: return false;
  }
}

char32_t next_code_point(std::string_view text, std::size_t& at) {
  const std::size_t length = sequence_length(text, at);
  if (length == 0) {
    ++at;
    return kReplacement;
  }
  const auto lead = static_cast<char32_t>(byte_at(text, at));
  char32_t c = length == 1 ? lead : lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) c = (c << 6) | (byte_at(text, at + i) & 0x3FU);
  at += length;
  return c;
}

void append_code_point(std::string& out, char32_t c) {
  if (c < 0x80) {
    out.push_back(static_cast<char>(c));
  } else if (c < 0x800) {
    out.push_back(static_cast<char>(0xC0 | (c >> 6)));
    out.push_back(static_cast<char>(0x80 | (c & 0x3F)));
  } else if (c < 0x10000) {
    out.push_back(static_cast<char>(0xE0 | (c >> 12)));
    out.push_back(static_cast<char>(0x80 | ((c >> 6) & 0x3F)));
    out.push_back(static_cast<char>(0x80 | (c & 0x3F)));
  } else {
    out.push_back(static_cast<char>(0xF0 | (c >> 18)));
    out.push_back(static_cast<char>(0x80 | ((c >> 12) & 0x3F)));
    out.push_back(static_cast<char>(0x80 | ((c >> 6) & 0x3F)));
    out.push_back(static_cast<char>(0x80 | (c & 0x3F)));
  }
}

CharKind kind_beyond_ascii(char32_t c) {
  constexpr std::uint32_t kOfWords = U_GC_L_MASK | U_GC_M_MASK | U_GC_N_MASK;
  constexpr char32_t kFirstPictograph = 0x2190;  // © and ® before it are signs of text
  if (is_cjk(c)) return CharKind::kCjk;
  if ((U_GET_GC_MASK(static_cast<UChar32>(c)) & kOfWords) != 0) return CharKind::kLetter;
  const bool emoji = c >= kFirstPictograph && u_hasBinaryProperty(static_cast<UChar32>(c), UCHAR_EXTENDED_PICTOGRAPHIC);
  return emoji ? CharKind::kEmoji : CharKind::kOther;
}

}  // namespace weft
