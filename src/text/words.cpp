#include "text/words.h"

#include <libstemmer.h>
#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <algorithm>
#include <unordered_map>

#include "base/strings.h"
#include "text/lexicon.h"
#include "text/plain_words.h"
#include "text/utf8.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <utility>

#include "text/english_verbs.h"
#include "text/han_text.h"

namespace weft {
namespace {

// Nobody searches for a longer word; what is longer is encoded data, of which the beginning is enough to find it again.
constexpr std::size_t kMaxWordBytes = 128;

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// Porter's second stemmer for English. It keeps state, so each thread has one; words of a text come again and again, so
// each thread also keeps the stems of recent ones in a table where a word has one place.
class Stemmer {
 public:
  std::string_view stem(std::string_view word) {
    if (word.size() < 3 || word.size() > kLongest) return word;
    if (!std::all_of(word.begin(), word.end(), is_lower<char>)) return word;
    Entry& entry = entries_[XXH3_64bits(word.data(), word.size()) % entries_.size()];
    if (entry.word != word) {
      entry.word = word;
      entry.stem = compute(word);
    }
    return entry.stem;
  }

 private:
  static constexpr std::size_t kLongest = 32;
  struct Entry {
    std::string word, stem;
  };
  struct Delete {
    void operator()(sb_stemmer* stemmer) const { sb_stemmer_delete(stemmer); }
  };

  std::string compute(std::string_view word) {
    if (stemmer_ == nullptr) return std::string(word);
    const sb_symbol* stem =
        sb_stemmer_stem(stemmer_.get(), reinterpret_cast<const sb_symbol*>(word.data()), static_cast<int>(word.size()));
    if (stem == nullptr) return std::string(word);
    return std::string(reinterpret_cast<const char*>(stem),
                       static_cast<std::size_t>(sb_stemmer_length(stemmer_.get())));
  }

  std::unique_ptr<sb_stemmer, Delete> stemmer_{sb_stemmer_new("english", nullptr)};
  std::vector<Entry> entries_{std::vector<Entry>(1024)};
};

// Walks over normalized text and gives every word of the index to `emit(string_view)`.
template <class Emit>
class WordScanner {
 public:
  WordScanner(std::string_view text, bool function_words, Emit& emit)
      : text_(text), function_words_(function_words), emit_(emit) {}

  void run() {
    std::size_t pair_begin = kNone;  // where the Chinese character before this one begins, if it is a neighbour
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t begin = at;
      const CharKind kind = kind_of(next_code_point(text_, at));
      if (kind == CharKind::kCjk) {
        if (pair_begin != kNone) give(text_.substr(pair_begin, at - pair_begin));
        give(text_.substr(begin, at - begin));
        pair_begin = begin;
        continue;
      }
      pair_begin = kNone;
      if (kind == CharKind::kLetter || kind == CharKind::kDigit) {
        at = end_of_word(at);
        give_word(text_.substr(begin, at - begin));
      } else if (kind == CharKind::kEmoji) {
        give(text_.substr(begin, at - begin));
      }
    }
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  // The character at `at` without moving on; 0 behind the end.
  char32_t peek(std::size_t at) const { return at < text_.size() ? next_code_point(text_, at) : 0; }

  // Words go on over apostrophes between letters ("don't"), points between digits ("3.14", "192.168.0.1") and the signs
  // that end the names of languages ("c++", "c#").
  std::size_t end_of_word(std::size_t at) const {
    const std::size_t begin = at;
    while (at < text_.size()) {
      std::size_t next = at;
      if (is_word_character(next_code_point(text_, next))) {
        at = next;
      } else if (text_[at] == '.' && is_digit(text_[at - 1]) && at + 1 < text_.size() && is_digit(text_[at + 1])) {
        at += 2;
      } else if (const std::size_t mark = apostrophe_at(text_, at); mark != 0 && is_word_character(peek(at + mark))) {
        at += mark;
      } else {
        break;
      }
    }
    if (at - begin > 1) return at;
    const std::string_view rest = text_.substr(at);
    const std::size_t signs = rest.starts_with("++") ? 2 : rest.starts_with('#') ? 1 : 0;
    return signs != 0 && is_lower(text_[at - 1]) && !is_word_character(peek(at + signs)) ? at + signs : at;
  }

  void give(std::string_view word) {
    if (function_words_ || !is_function_word(word)) emit_(word);
  }

  void give_word(std::string_view word) {
    if (word.size() > kMaxWordBytes) word = cut_code_point(word);
    if (word.find('\'') != std::string_view::npos || word.find("\u2019") != std::string_view::npos) {
      give_stem(without_apostrophes(word));
      return;
    }
    give_stem(word);
    give_parts(word);
  }

  void give_stem(std::string_view word) {
    thread_local Stemmer stemmer;
    if (!function_words_ && is_function_word(word)) return;
    emit_(stemmer.stem(word));
  }

  // "iphone15" is also found as "iphone 15", "v2.1" as "2.1". Longer mixtures are identifiers and stay whole.
  void give_parts(std::string_view word) {
    constexpr std::size_t kMaxParts = 3;
    std::array<std::string_view, kMaxParts> parts;
    std::size_t count = 0;
    for (std::size_t begin = 0; begin < word.size();) {
      const bool letters = is_lower(word[begin]);
      if (!letters && !is_digit(word[begin])) return;
      std::size_t end = begin + 1;
      while (end < word.size() && (letters ? is_lower(word[end]) : is_digit(word[end]) || word[end] == '.')) ++end;
      if (count == kMaxParts) return;
      parts[count++] = word.substr(begin, end - begin);
      begin = end;
    }
    if (count < 2) return;
    for (std::size_t i = 0; i < count; ++i) give_stem(parts[i]);
  }

  // "john's" is "john", "don't" is "dont".
  std::string_view without_apostrophes(std::string_view word) {
    for (const std::string_view ending : {"'s", "\u2019s"}) {
      if (word.ends_with(ending)) {
        word.remove_suffix(ending.size());
        break;
      }
    }
    joined_.clear();
    for (std::size_t at = 0; at < word.size();) {
      if (const std::size_t mark = apostrophe_at(word, at))
        at += mark;
      else
        joined_.push_back(word[at++]);
    }
    return joined_;
  }

  static std::string_view cut_code_point(std::string_view word) {
    std::size_t end = kMaxWordBytes;
    while (end > 0 && (static_cast<unsigned char>(word[end]) & 0xC0) == 0x80) --end;
    return word.substr(0, end);
  }

  std::string_view text_;
  bool function_words_;
  Emit& emit_;
  std::string joined_;
};

// Gives all words but function words; those too if there are no others.
template <class Emit>
void for_each_word(std::string_view text, Emit emit) {
  const std::string normal = normalize(text);
  bool any = false;
  const auto note = [&](std::string_view word) {
    any = true;
    emit(word);
  };
  WordScanner(normal, false, note).run();
  if (!any) WordScanner(normal, true, note).run();
}

bool is_han(char32_t c) { return (c >= 0x3400 && c <= 0x9FFF) || (c >= 0x20000 && c <= 0x323AF); }

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

constexpr std::string_view kCurly = "’";

std::unordered_map<std::string, std::string_view> build_stats() {
  std::unordered_map<std::string, std::string_view> map;
  for (const std::string_view entry : lexicon_both("games", "statistics")) {
    const auto sign = entry.find('=');
    map[name_key(entry.substr(0, sign))] = entry.substr(sign + 1);
  }
  return map;
}

// "potions" → "potion", "arrows" → "arrow", "boxes" → "box", "berries" → "berry"; "glass" and "dress" stay.
std::string singular(std::string word) {
  const auto ends = [&word](std::string_view end) { return word.size() > end.size() + 1 && word.ends_with(end); };
  if (ends("ies")) return word.substr(0, word.size() - 3) + "y";
  if (ends("ches") || ends("shes") || ends("xes") || ends("sses")) return word.substr(0, word.size() - 2);
  if (ends("s") && !ends("ss") && !ends("us") && !ends("is")) word.pop_back();
  return word;
}

}  // namespace

std::string normalize(std::string_view text) {
  std::string out;
  if (is_ascii(text)) {
    out = text;
    for (char& c : out) c = to_lower(c);
    return out;
  }
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* normalizer = icu::Normalizer2::getNFKCCasefoldInstance(status);
  if (U_SUCCESS(status)) {
    out.reserve(text.size());
    icu::StringByteSink<std::string> sink(&out);
    const auto length = static_cast<std::int32_t>(std::min<std::size_t>(text.size(), INT32_MAX));
    normalizer->normalizeUTF8(0, icu::StringPiece(text.data(), length), sink, nullptr, status);
  }
  if (U_FAILURE(status)) out = repair_utf8(text);
  return fold_han(out);
}

std::vector<std::string> index_words(std::string_view text) {
  std::vector<std::string> words;
  for_each_word(text, [&](std::string_view word) { words.emplace_back(word); });
  return words;
}

Term term_of(std::string_view word) { return static_cast<Term>(XXH3_64bits(word.data(), word.size())); }

std::vector<Term> index_terms(std::string_view text) {
  std::vector<Term> terms;
  terms.reserve(text.size() / 4);
  for_each_word(text, [&](std::string_view word) { terms.push_back(term_of(word)); });
  return terms;
}

TermSet::TermSet(std::vector<Term> terms) : terms_(std::move(terms)) {
  std::sort(terms_.begin(), terms_.end());
  terms_.erase(std::unique(terms_.begin(), terms_.end()), terms_.end());
}

TermSet TermSet::without(const TermSet& others) const {
  TermSet left;
  std::set_difference(begin(), end(), others.begin(), others.end(), std::back_inserter(left.terms_));
  return left;
}

std::size_t TermSet::count_in(const TermSet& others) const {
  return static_cast<std::size_t>(
      std::count_if(begin(), end(), [&others](Term term) { return others.contains(term); }));
}

Language language_of(std::string_view text) {
  std::size_t han = 0, words = 0;
  bool in_word = false;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = next_code_point(text, at);
    const bool word = !is_han(c) && is_word_character(c);
    if (is_han(c)) ++han;
    if (word && !in_word) ++words;
    in_word = word;
  }
  // A word of another script counts as two characters, as most Chinese words have; so that one long English name in a
  // Chinese sentence does not make it English.
  return han * 3 >= han + 2 * words && han > 0 ? Language::kChinese : Language::kEnglish;
}

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

std::string spaced_words(std::string_view normal, std::string_view gaps) {
  std::string row = " ";
  row.reserve(normal.size() + 2);
  for (std::size_t at = 0; at < normal.size(); ++at) {
    char c = normal[at];
    if (normal.substr(at).starts_with(kCurly)) {
      c = '\'';
      at += kCurly.size() - 1;
    }
    const bool gap = std::string_view(" \t\r\n").find(c) != std::string_view::npos || gaps.find(c) != gaps.npos;
    if (!gap)
      row += c;
    else if (row.back() != ' ')
      row += ' ';
  }
  if (row.back() != ' ') row += ' ';
  return row;
}

SpacedPhrases::SpacedPhrases(std::span<const std::string_view> phrases) {
  for (const std::string_view phrase : phrases) phrases_[phrase.substr(0, phrase.find(' '))].push_back(phrase);
  for (auto& [word, all] : phrases_)
    std::stable_sort(all.begin(), all.end(), [](auto a, auto b) { return a.size() > b.size(); });
}

// `at`: where a word of the row begins.
std::string_view SpacedPhrases::longest_at(std::string_view row, std::size_t at) const {
  const std::string_view rest = row.substr(at);
  const auto found = phrases_.find(rest.substr(0, rest.find(' ')));
  if (found == phrases_.end()) return {};
  for (const std::string_view phrase : found->second)
    if (rest.starts_with(phrase) && rest.substr(phrase.size()).starts_with(' ')) return phrase;
  return {};
}

bool SpacedPhrases::any_in(std::string_view row) const {
  for (std::size_t blank = row.find(' '); blank != row.npos && blank + 1 < row.size(); blank = row.find(' ', blank + 1))
    if (!longest_at(row, blank + 1).empty()) return true;
  return false;
}

std::string_view SpacedPhrases::begin_of(std::string_view row) const {
  return row.size() < 2 ? std::string_view() : longest_at(row, 1);
}

bool holds_any(std::string_view text, std::span<const std::string_view> phrases) {
  return std::any_of(phrases.begin(), phrases.end(), [&](auto phrase) { return text.find(phrase) != text.npos; });
}

std::string name_key(std::string_view text) {
  std::string key;
  for (PlainWord& word : plain_words(text)) {
    switch (word.kind) {
      case WordKind::kWord: key += singular(std::move(word.text)); break;
      case WordKind::kHan:
      case WordKind::kNumber: key += word.text; break;
      default: break;
    }
  }
  return key;
}

std::string_view stat_of(std::string_view key) {
  static const std::unordered_map<std::string, std::string_view> map = build_stats();
  const auto found = map.find(std::string(key));
  return found == map.end() ? std::string_view() : found->second;
}

bool is_count_field(std::string_view key) {
  static const LexiconWords set = lexicon_both_words("games", "counts");
  return set.contains(key);
}

}  // namespace weft
