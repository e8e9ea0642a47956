#include "text/yaml_plain.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/ascii.h"
#include "base/lowered.h"
#include "text/utf8.h"

namespace weft {
namespace {

enum ByteKind : unsigned char {
  kNone = 0,
  kFirst = 1,   // may not begin a plain scalar
  kInside = 2,  // needs a look wherever it stands
  kQuote = 4,   // needs an escape inside quotes, or a look
  kNumber = 8,  // part of a number, a date or a time
  kKey = 16,    // may not stand in a key or inside { }
};

constexpr std::array<unsigned char, 256> make_table() {
  std::array<unsigned char, 256> table{};
  const auto mark = [&](std::string_view bytes, unsigned char kind) {
    for (const char c : bytes) table[static_cast<unsigned char>(c)] |= kind;
  };
  mark("-?:,[]{}#&*!|>'\"%@`.+=~< ", kFirst);
  mark(":#", kInside);
  mark("\"\\", kQuote);
  mark("0123456789+-._:eExXoOabcdfABCDFTtZz ", kNumber);
  mark(",[]{}:?", kKey);
  for (std::size_t c = 0; c < 0x20; ++c) table[c] |= kInside | kQuote;
  // First bytes of characters that are line breaks to some readers, or not printable: U+0080 …, U+2028, U+FEFF, U+FFFE.
  for (const std::size_t c : {0x7f, 0xc2, 0xe2, 0xef}) table[c] |= kInside | kQuote;
  return table;
}
constexpr std::array<unsigned char, 256> kTable = make_table();

unsigned char kind_of(char c) { return kTable[static_cast<unsigned char>(c)]; }

bool needs_escape(char32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029 || c == 0xfeff || c == 0xfffe || c == 0xffff;
}

bool is_word_of_yaml(std::string_view text) {
  if (text.size() > 5) return false;
  const std::string lower = lowered(text);
  static constexpr std::array<std::string_view, 7> kWords{"null", "true", "false", "yes", "no", "on", "off"};
  return std::find(kWords.begin(), kWords.end(), lower) != kWords.end();
}

bool looks_like_number(std::string_view text) {
  return is_digit(text.front()) &&
         std::all_of(text.begin(), text.end(), [](char c) { return (kind_of(c) & kNumber) != 0; });
}

bool ends_scalar(std::string_view text, std::size_t at) {
  if (text[at] == ':') return at + 1 == text.size() || text[at + 1] == ' ';
  if (text[at] == '#') return at > 0 && text[at - 1] == ' ';
  return needs_escape(next_code_point(text, at));
}

void append_hex(std::string& out, char32_t c) {
  static constexpr char kDigits[] = "0123456789abcdef";
  const bool wide = c > 0xff;
  out += wide ? "\\u" : "\\x";
  for (int shift = wide ? 12 : 4; shift >= 0; shift -= 4) out += kDigits[(c >> static_cast<unsigned>(shift)) & 0xfU];
}

void append_escape(std::string& out, char32_t c) {
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\n': out += "\\n"; return;
    case '\t': out += "\\t"; return;
    case '\r': out += "\\r"; return;
    default: append_hex(out, c);
  }
}

}  // namespace

bool is_plain_yaml(std::string_view text) {
  if (text.empty() || (kind_of(text.front()) & kFirst) != 0 || text.back() == ' ') return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((kind_of(text[i]) & kInside) != 0 && ends_scalar(text, i)) return false;
  }
  return !looks_like_number(text) && !is_word_of_yaml(text);
}

bool is_plain_yaml_key(std::string_view text) {
  return is_plain_yaml(text) && std::none_of(text.begin(), text.end(), [](char c) { return (kind_of(c) & kKey) != 0; });
}

void append_quoted_yaml(std::string& out, std::string_view text) {
  out += '"';
  std::size_t run = 0;
  for (std::size_t i = 0; i < text.size();) {
    if ((kind_of(text[i]) & kQuote) == 0) {
      ++i;
      continue;
    }
    std::size_t next = i;
    const char32_t c = next_code_point(text, next);
    if (c == '"' || c == '\\' || needs_escape(c)) {
      out.append(text, run, i - run);
      append_escape(out, c);
      run = next;
    }
    i = next;
  }
  out.append(text, run);
  out += '"';
}

}  // namespace weft
