#include "text/quantity_request.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/strings.h"
#include "text/lexicon.h"
#include "text/numerals.h"
#include "text/small_talk.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {

std::optional<double> quantity_number(const PlainWord& word) {
  if (word.kind != WordKind::kNumber) return std::nullopt;
  constexpr double kMost = 1e15;
  double number = 0;
  const char* end = word.text.data() + word.text.size();
  const auto read = std::from_chars(word.text.data(), end, number, std::chars_format::fixed);
  if (read.ec != std::errc() || read.ptr != end || !(std::abs(number) <= kMost)) return std::nullopt;
  return number;
}

std::string join_words(ClauseWords words) {
  std::string text;
  const PlainWord* last = nullptr;
  for (const PlainWord& word : words) {
    const bool glued = word.text == "'s" || word.kind == WordKind::kHan || (last && last->kind == WordKind::kHan);
    if (last != nullptr && !glued) text += ' ';
    text += word.text;
    last = &word;
  }
  return text;
}

bool is_uncountable_noun(std::string_view noun) {
  static const LexiconWords set = lexicon_both_words("games", "no property");
  return set.contains(noun);
}

bool QuantityReader::take(std::string_view text) {
  if (!is(text)) return false;
  ++at_;
  return true;
}

void QuantityReader::strip_courtesy(const PhraseTable& before, const PhraseTable& behind, std::size_t longest_tail) {
  std::size_t begin = 0;
  while (begin < words_.size()) {
    const auto found = before.longest(words_, begin);
    if (found.words == 0) break;
    begin += found.words;
  }
  words_.erase(words_.begin(), words_.begin() + static_cast<std::ptrdiff_t>(begin));
  for (bool again = true; again;) {
    again = false;
    for (std::size_t at = words_.size() - std::min(words_.size(), longest_tail); at < words_.size() && !again; ++at) {
      const auto found = behind.longest(words_, at);
      if (found.words == 0 || at + found.words != words_.size()) continue;
      words_.resize(at);
      again = true;
    }
  }
}

bool QuantityReader::finish(QuantityOperation operation, double amount, QuantityCarry carry) {
  clause_.request.operation = operation;
  clause_.request.amount = amount;
  clause_.carry = carry;
  return true;
}

bool QuantityReader::add(double amount, int sign) {
  if (amount < 0) return false;
  return finish(QuantityOperation::kAdd, sign * amount, sign > 0 ? QuantityCarry::kAdd : QuantityCarry::kTake);
}

namespace {

constexpr std::size_t kLongest = 400;
constexpr std::size_t kMostChanges = 8;

// The word of ASCII letters that ends the text, to see whether "HP-5" is a statistic and "GPT-4" a name.
bool ends_with_statistic(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && ((text[begin - 1] >= 'a' && text[begin - 1] <= 'z'))) --begin;
  return !stat_of(name_key(text.substr(begin))).empty();
}

// A minus is given a blank before and none behind, so that it is read as the sign of its number: "HP-5", "金币 - 5",
// "gold -= 5", "hp −5". Behind a digit it is a range or a difference and stays.
std::string mark_signs(std::string_view text) {
  constexpr std::string_view kTypographic[] = {"\u2212", "\u2013", "\u2014"};
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t length = text[at] == '-' ? 1 : 0;
    for (const std::string_view minus : kTypographic)
      length = text.substr(at).starts_with(minus) ? minus.size() : length;
    if (length == 0) {
      out.push_back(text[at++]);
      continue;
    }
    std::size_t next = at + length;
    if (next < text.size() && text[next] == '=') ++next;
    while (next < text.size() && text[next] == ' ') ++next;
    std::string_view before = out;
    while (before.ends_with(' ')) before.remove_suffix(1);
    const bool after_digit = !before.empty() && is_digit(before.back());
    const bool glued_name = !before.empty() && before.size() == out.size() && before.back() >= 'a' &&
                            before.back() <= 'z' && !ends_with_statistic(before);
    if (next < text.size() && is_digit(text[next]) && !after_digit && !glued_name) {
      out += " -";
      at = next;
    } else {
      out += text.substr(at, length);
      at += length;
    }
  }
  return out;
}

bool parts_clauses(const PlainWord& word) {
  return word.kind == WordKind::kComma || word.kind == WordKind::kStop || word.text == "and" || word.text == "then" ||
         word.text == "和" || word.text == "并";
}

// Courtesy that is a question in form makes none of the request.
bool asks_politely(const std::vector<PlainWord>& words) {
  static const PhraseTable table = phrase_table("games", "asks politely"),
                           tails = phrase_table("games", "asks politely behind");
  if (words.empty()) return false;
  if (table.longest(words, 0).words > 0) return true;
  for (std::size_t at = 0; at + 1 < words.size(); ++at) {
    if (at + tails.longest(words, at).words + 1 == words.size() && tails.longest(words, at).words > 0) return true;
  }
  return false;
}

std::optional<QuantityClause> read_clause(ClauseWords words, QuantityCarry carry) {
  if (auto clause = read_english_quantity(words, carry)) return clause;
  return read_chinese_quantity(words, carry);
}

}  // namespace

std::vector<QuantityRequest> quantity_requests(std::string_view text) {
  if (text.size() > kLongest) return {};
  const auto words = fold_numerals(plain_words(mark_signs(normalize(repair_utf8(text)))));
  std::vector<QuantityRequest> requests;
  QuantityCarry carry = QuantityCarry::kNone;
  for (std::size_t begin = 0; begin < words.size();) {
    std::size_t end = begin;
    while (end < words.size() && !parts_clauses(words[end]) && words[end].kind != WordKind::kQuestion) ++end;
    const bool question = end < words.size() && words[end].kind == WordKind::kQuestion;
    if (question && (end + 1 != words.size() || !asks_politely(words))) return {};
    const ClauseWords clause_words(words.data() + begin, end - begin);
    if (!clause_words.empty() && !is_empty_talk(words, begin, end, {})) {
      const auto clause = read_clause(clause_words, carry);
      if (!clause || requests.size() == kMostChanges) return {};
      requests.push_back(clause->request);
      carry = clause->carry;
    }
    begin = end + 1;
  }
  return requests;
}

}  // namespace weft
