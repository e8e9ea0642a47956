#include "text/latin_words.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/strings.h"
#include "text/characters.h"

namespace weft {
namespace {

bool is_alnum(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

// Letters of Latin script beyond ASCII: U+00C0 to U+024F, two bytes each.
bool is_latin_letter(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  return lead >= 0xC3 && lead <= 0xC9 && at + 1 < text.size();
}

bool letter_at(std::string_view text, std::size_t at) {
  return at < text.size() && (is_alnum(text[at]) || is_latin_letter(text, at));
}

// Reads a word from `at`; the folded form goes to `folded`.
std::size_t read_word(std::string_view text, std::size_t at, std::string& folded) {
  while (at < text.size()) {
    if (is_alnum(text[at])) {
      folded += to_lower(text[at++]);
    } else if (is_latin_letter(text, at)) {
      folded.append(text, at, 2);
      at += 2;
    } else if (const std::size_t size = apostrophe_at(text, at); size > 0 && letter_at(text, at + size)) {
      folded += '\'';
      at += size;
    } else if (text[at] == '-' && letter_at(text, at + 1)) {
      folded += '-';
      ++at;
    } else {
      break;
    }
  }
  return at;
}

bool ends_sentence(std::string_view mark) {
  return mark == "." || mark == "!" || mark == "?" || mark == "…" || mark == "。" || mark == "！" || mark == "？" ||
         mark == ":" || mark == "*" || mark == "#";
}

std::size_t mark_size(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
  return end - at;
}

}  // namespace

LatinWords read_latin_words(std::string_view text, const std::vector<Span>& protected_by) {
  LatinWords words;
  SpanCursor cursor(protected_by);
  bool starts = true;
  for (std::size_t at = 0; at < text.size();) {
    if (is_blank(text[at])) {
      starts = starts || text[at] == '\n';
      ++at;
      continue;
    }
    LatinWord word;
    word.begin = at;
    if (letter_at(text, at)) {
      word.is_word = true;
      word.capital = is_upper(text[at]);
      word.starts_sentence = starts;
      at = read_word(text, at, word.lower);
      const std::string_view written = text.substr(word.begin, at - word.begin);
      word.all_capitals = written.size() >= 2 && std::none_of(written.begin(), written.end(), is_lower<char>) &&
                          std::any_of(written.begin(), written.end(), is_upper<char>);
      starts = false;
    } else {
      at += mark_size(text, at);
      word.lower = text.substr(word.begin, at - word.begin);
      starts = starts || ends_sentence(word.lower);
    }
    word.end = at;
    word.protected_by_span = cursor.covers(word.begin, word.end);
    words.push_back(std::move(word));
  }
  return words;
}

}  // namespace weft
