#include "text/quantity_request.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "text/lexicon.h"

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

}  // namespace weft
