#include "text/plain_words.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <unordered_set>

#include "base/strings.h"
#include "text/lexicon.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
namespace {

bool is_currency(char32_t c) { return U_GET_GC_MASK(static_cast<UChar32>(c)) == U_GC_SC_MASK; }

const std::unordered_map<std::string_view, std::string_view>& bare_contractions() {
  static const std::unordered_map<std::string_view, std::string_view> map = {
      {"dont", "do not"},       {"doesnt", "does not"},   {"didnt", "did not"},       {"cant", "can not"},
      {"wont", "will not"},     {"isnt", "is not"},       {"arent", "are not"},       {"wasnt", "was not"},
      {"werent", "were not"},   {"hasnt", "has not"},     {"havent", "have not"},     {"hadnt", "had not"},
      {"wouldnt", "would not"}, {"couldnt", "could not"}, {"shouldnt", "should not"}, {"cannot", "can not"},
      {"im", "i am"},           {"ive", "i have"},        {"youre", "you are"},       {"theyre", "they are"},
      {"thats", "that is"},     {"gonna", "going to"},    {"wanna", "want to"},       {"gotta", "got to"}};
  return map;
}

// After these "'s" is "is"; after a name it may as well be the possessive.
bool takes_is(std::string_view word) {
  static const std::unordered_set<std::string_view> set = {"he",    "she",  "it",  "that", "there", "what",
                                                           "where", "here", "who", "how",  "this"};
  return set.contains(word);
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) { words_.reserve(text.size() / 4); }

  std::vector<PlainWord> read() {
    while (at_ < text_.size()) {
      const std::size_t begin = at_;
      const char32_t c = next_code_point(text_, at_);
      switch (kind_of(c)) {
        case CharKind::kCjk: give(text_.substr(begin, at_ - begin), WordKind::kHan); break;
        case CharKind::kDigit: read_number(begin, begin); break;
        case CharKind::kLetter: read_letters(begin); break;
        default: read_mark(c, begin);
      }
    }
    return std::move(words_);
  }

 private:
  void give(std::string_view text, WordKind kind) { words_.push_back({std::string(text), kind}); }

  char at(std::size_t position) const { return position < text_.size() ? text_[position] : '\0'; }
  bool letter_at(std::size_t position) const {
    return position < text_.size() && kind_of(next_code_point(text_, position)) == CharKind::kLetter;
  }

  // Digits with inner ".", ",", ":", "/" and "-"; `begin` may stand at a sign before `digits`.
  void read_number(std::size_t begin, std::size_t digits) {
    std::string number(text_.substr(begin, digits - begin));
    std::size_t end = digits;
    while (end < text_.size()) {
      if (is_digit(text_[end])) {
        number.push_back(text_[end++]);
      } else if (text_[end] == ',' && is_digit(at(end + 1)) && is_digit(at(end + 2)) && is_digit(at(end + 3)) &&
                 !is_digit(at(end + 4))) {
        ++end;
      } else if (std::string_view(".:/-").find(text_[end]) != std::string_view::npos && is_digit(at(end + 1))) {
        number.push_back(text_[end++]);
      } else {
        break;
      }
    }
    at_ = end;
    give(number, WordKind::kNumber);
    const std::string_view ordinal = text_.substr(end, 2);
    if ((ordinal == "st" || ordinal == "nd" || ordinal == "rd" || ordinal == "th") && !letter_at(end + 2)) at_ += 2;
  }

  // The length of an apostrophe between letters, else 0.
  std::size_t apostrophe(std::size_t position) const {
    const std::size_t length = apostrophe_at(text_, position);
    return length != 0 && letter_at(position + length) ? length : 0;
  }

  void read_letters(std::size_t begin) {
    std::string word, tail;
    at_ = begin;
    std::string* part = &word;
    while (at_ < text_.size()) {
      if (letter_at(at_)) {
        const std::size_t from = at_;
        next_code_point(text_, at_);
        *part += text_.substr(from, at_ - from);
      } else if (const std::size_t mark = apostrophe(at_); mark != 0 && part == &word) {
        part = &tail;
        at_ += mark;
      } else if (text_[at_] == '.' && part == &word && initials(begin)) {
        ++at_;  // "u.s.", "p.m."
      } else {
        break;
      }
    }
    if (word == "no" && tail.empty() && before_number()) {
      ++at_;
      return give("number", WordKind::kWord);
    }
    give_word(std::move(word), tail);
  }

  // "no. 12": a point and a number.
  bool before_number() const {
    return at(at_) == '.' && (is_digit(at(at_ + 1)) || (at(at_ + 1) == ' ' && is_digit(at(at_ + 2))));
  }

  // Whether the point at `at_` stands behind a single letter of initials.
  bool initials(std::size_t begin) const {
    const bool single = at_ - begin == 1 || (at_ - begin >= 3 && text_[at_ - 2] == '.');
    if (!single || !is_lower(text_[at_ - 1])) return false;
    const bool more = is_lower(at(at_ + 1)) && (at(at_ + 2) == '.' || !letter_at(at_ + 2));
    return more || at_ - begin >= 3;
  }

  void give_list(std::string_view list) {
    for (const std::string_view part : split_list(list, ' ')) give(part, WordKind::kWord);
  }

  void give_word(std::string word, const std::string& tail) {
    if (tail.empty()) {
      if (const auto found = bare_contractions().find(word); found != bare_contractions().end())
        return give_list(found->second);
      return give(word, WordKind::kWord);
    }
    if (tail == "t" && word.ends_with('n')) {
      if (const auto found = bare_contractions().find(word + "t"); found != bare_contractions().end())
        return give_list(found->second);
      give(word.substr(0, word.size() - 1), WordKind::kWord);
      return give("not", WordKind::kWord);
    }
    give(word, WordKind::kWord);
    if (tail == "m") return give("am", WordKind::kWord);
    if (tail == "re") return give("are", WordKind::kWord);
    if (tail == "ve") return give("have", WordKind::kWord);
    if (tail == "ll") return give("will", WordKind::kWord);
    if (tail == "s") return give(takes_is(word) ? "is" : word == "let" ? "us" : "'s", WordKind::kWord);
    give("'" + tail, WordKind::kWord);
  }

  bool after_word(std::size_t begin) const {
    return begin > 0 && (is_digit(text_[begin - 1]) || is_lower(text_[begin - 1]) ||
                         static_cast<unsigned char>(text_[begin - 1]) >= 0x80);
  }

  void give_break(WordKind kind) {
    if (words_.empty() || words_.back().kind != kind) give(kind == WordKind::kQuestion ? "?" : "", kind);
  }

  void read_mark(char32_t c, std::size_t begin) {
    constexpr std::u32string_view kStops = U".!。\n\r｡";
    constexpr std::u32string_view kCommas = U",;:—–…~";
    constexpr std::u32string_view kSigns = U"<>=+*%#°@^|≤≥≠√\u2044";
    if (c == U'-') {
      // A minus stands before a number and behind nothing; inside words a hyphen parts them, between blanks it is a
      // dash.
      if (is_digit(at(at_)) && !after_word(begin)) return read_number(begin, at_);
      if (at(at_) == ' ' && begin > 0 && text_[begin - 1] == ' ') give_break(WordKind::kComma);
    } else if (c == U'?') {
      give_break(WordKind::kQuestion);
    } else if (c == U'!' && at(at_) == '=') {
      give("!", WordKind::kSign);
    } else if (kStops.find(c) != std::u32string_view::npos) {
      give_break(WordKind::kStop);
    } else if (kCommas.find(c) != std::u32string_view::npos) {
      give_break(WordKind::kComma);
    } else if (c == U'、' || c == U'&') {
      give("and", WordKind::kWord);
    } else if (kSigns.find(c) != std::u32string_view::npos || is_currency(c)) {
      give(text_.substr(begin, at_ - begin), WordKind::kSign);
    } else if (kind_of(c) == CharKind::kEmoji) {
      give(text_.substr(begin, at_ - begin), WordKind::kEmoji);
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<PlainWord> words_;
};

}  // namespace

std::vector<PlainWord> plain_words(std::string_view text) {
  const std::string normal = normalize(text);
  return Reader(normal).read();
}

std::vector<std::string_view> split_list(std::string_view list, char separator) {
  std::vector<std::string_view> parts;
  while (!list.empty()) {
    const auto end = list.find(separator);
    const std::string_view part = trimmed(list.substr(0, end), " ");
    if (!part.empty()) parts.push_back(part);
    list = end == std::string_view::npos ? std::string_view() : list.substr(end + 1);
  }
  return parts;
}

void PhraseTable::add(std::string_view phrases, int value) {
  for (const std::string_view text : split_list(phrases, '|')) {
    Phrase phrase{{}, value};
    for (PlainWord& word : plain_words(text)) phrase.words.push_back(std::move(word.text));
    if (phrase.words.empty()) continue;
    auto& list = phrases_[phrase.words.front()];
    const auto longer = [&](const Phrase& other) { return other.words.size() < phrase.words.size(); };
    list.insert(std::find_if(list.begin(), list.end(), longer), std::move(phrase));
  }
}

void PhraseTable::add_list(std::string_view file, std::string_view list, int value) {
  for (const std::string_view phrase : lexicon_both(file, list)) add(phrase, value);
}

bool PhraseTable::matches(const Phrase& phrase, const std::vector<PlainWord>& words, std::size_t at) {
  if (phrase.words.size() > words.size() - at) return false;
  for (std::size_t i = 1; i < phrase.words.size(); ++i) {
    if (words[at + i].text != phrase.words[i]) return false;
  }
  return true;
}

PhraseTable::Match PhraseTable::longest(const std::vector<PlainWord>& words, std::size_t at) const {
  Match match;
  for_each(words, at, [&](std::size_t length, int value) {
    if (match.words == 0) match = {length, value};
  });
  return match;
}

bool PhraseTable::any_in(const std::vector<PlainWord>& words) const {
  for (std::size_t at = 0; at < words.size(); ++at)
    if (longest(words, at).words > 0) return true;
  return false;
}

PhraseTable phrase_table(std::string_view file, std::string_view list) {
  PhraseTable table;
  table.add_list(file, list, 1);
  return table;
}

}  // namespace weft
