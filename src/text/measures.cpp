#include "text/measures.h"

#include <algorithm>
#include <array>

#include "text/lexicon.h"
#include "text/time/lexer.h"
#include "text/time/numerals.h"

namespace weft {
namespace {

using timex::Token;
using timex::TokenKind;

// Units without a plural ending, and short forms.
bool is_unit(std::string_view word) {
  static const LexiconWords kUnits = lexicon_words("en/measures", "units");
  return kUnits.contains(word);
}

// Endings in "s" that are no plural, and units of time, which the time grammar reads.
bool is_no_plural(std::string_view word) {
  static const LexiconWords kOther = lexicon_words("en/measures", "no plural");
  return kOther.contains(word);
}

bool is_counted_noun(const Token& token) {
  if (token.kind != TokenKind::kLetters || token.capital) return false;
  const std::string_view word = token.text;
  if (is_unit(word)) return true;
  return word.size() > 3 && word.back() == 's' && word[word.size() - 2] != 's' && !is_no_plural(word);
}

// Chinese units and measure words behind a number. 个 counts months and hours as well.
bool is_chinese_unit(const std::vector<Token>& tokens, std::size_t at) {
  if (at >= tokens.size() || tokens[at].kind != TokenKind::kHan) return false;
  static const LexiconWords kUnits = lexicon_words("zh/measures", "units");
  const auto next = [&](std::size_t k) {
    return at + k < tokens.size() && tokens[at + k].kind == TokenKind::kHan ? std::string_view(tokens[at + k].text)
                                                                            : std::string_view();
  };
  if (next(0) == "个") {
    constexpr auto kTimes =
        std::to_array<std::string_view>({"月", "小", "星", "礼", "季", "钟", "世", "半", "学", "多"});
    return std::find(kTimes.begin(), kTimes.end(), next(1)) == kTimes.end();
  }
  if (next(0) == "周" || next(0) == "年") return next(1) == "岁";
  return kUnits.contains(next(0));
}

class Finder {
 public:
  explicit Finder(const std::vector<Token>& tokens) : tokens_(tokens) {}

  std::vector<Span> run() {
    for (std::size_t at = 0; at < tokens_.size();) {
      const std::size_t end = measured(at);
      if (end > at) spans_.push_back({tokens_[at].begin, tokens_[end - 1].end});
      at = std::max(end, at + 1);
    }
    return std::move(spans_);
  }

 private:
  bool is(std::size_t at, std::string_view text) const { return at < tokens_.size() && tokens_[at].text == text; }

  // Behind the measure that begins at `at`; `at` itself where none does.
  std::size_t measured(std::size_t at) const {
    constexpr auto kMoney = std::to_array<std::string_view>({"$", "€", "£", "¥", "￥"});
    const bool money = std::find(kMoney.begin(), kMoney.end(), tokens_[at].text) != kMoney.end();
    const std::size_t number = number_end(money ? at + 1 : at);
    if (money) return std::max(number, at);
    if (number <= at || is_day_of_month(at)) return at;
    if (is(number, "%") || is(number, "°") || is(number, "‰") || is(number, "℃")) return number + 1;
    if (number < tokens_.size() && is_counted_noun(tokens_[number]) && !tokens_[number].glued) return number + 1;
    if (number < tokens_.size() && tokens_[number].glued && is_unit(tokens_[number].text)) return number + 1;
    // Two words: "200 square meters", "three big boxes".
    if (number + 1 < tokens_.size() && tokens_[number].kind == TokenKind::kLetters && !tokens_[number].capital &&
        is_unit(tokens_[number].text))
      return number + 1;
    return is_chinese_unit(tokens_, number) ? number + 1 : at;
  }

  // "March 3 lands on a Sunday".
  bool is_day_of_month(std::size_t at) const {
    static const LexiconWords kMonths = lexicon_words("en/measures", "months");
    return at > 0 && tokens_[at - 1].capital && kMonths.contains(tokens_[at - 1].text);
  }

  // Behind the longest number at `at`, with its thousands and decimals.
  std::size_t number_end(std::size_t at) const {
    if (at >= tokens_.size()) return at;
    std::size_t end = at;
    for (const timex::Numeral& numeral : timex::numerals_at(tokens_, at))
      if (!numeral.ordinal) end = std::max(end, numeral.end);
    while (end > at && end + 1 < tokens_.size() && (is(end, ".") || is(end, ",")) && tokens_[end].glued &&
           tokens_[end + 1].glued && tokens_[end + 1].kind == TokenKind::kDigits)
      end += 2;
    return end;
  }

  const std::vector<Token>& tokens_;
  std::vector<Span> spans_;
};

}  // namespace

std::vector<Span> measure_spans(std::string_view text) { return Finder(timex::tokenize_times(text)).run(); }

}  // namespace weft
