#include "text/numerals.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/strings.h"
#include "text/lexicon.h"
#include "text/time/lexer.h"
#include "text/time/numerals.h"

namespace weft {
namespace {

using Value = std::int64_t;
constexpr Value kMost = 1'000'000'000'000'000;

struct Run {
  std::size_t words = 0;  // how many it takes; 0: no numeral
  std::string digits;  // empty: these words stay as they are
};

std::optional<Value> english_small(const std::string& word) {
  const auto number = english_number(word);
  return number && !number->ordinal ? std::optional<Value>(number->value) : std::nullopt;
}

std::optional<Value> english_unit(const std::string& word) {
  if (word == "hundred") return 100;
  if (word == "thousand") return 1000;
  if (word == "million") return 1'000'000;
  return word == "billion" ? std::optional<Value>(1'000'000'000) : std::nullopt;
}

std::optional<Value> digit_of(const std::string& word) { return word == "〇" ? 0 : chinese_digit(word); }

std::optional<Value> chinese_unit(const std::string& word) {
  if (word == "万") return 10'000;
  if (word == "亿") return 100'000'000;
  return chinese_scale(word);
}

const std::string& word_at(const std::vector<PlainWord>& words, std::size_t at) {
  static const std::string none;
  return at < words.size() ? words[at].text : none;
}

Run read_english(const std::vector<PlainWord>& words, std::size_t begin) {
  Value total = 0, part = 0, last_unit = kMost;  // units fall: "two million three thousand"
  bool any = false, unit_last = false, small_last = false;
  std::size_t at = begin;
  for (; at < words.size(); ++at) {
    const std::string& word = words[at].text;
    if (const auto small = english_small(word)) {
      const bool digit_after_tens = part % 100 >= 20 && part % 10 == 0 && *small > 0 && *small < 10;
      if (small_last && !digit_after_tens) break;
      part += *small;
      any = small_last = true;
      unit_last = false;
    } else if (const auto unit = english_unit(word); unit && (any || (at > begin))) {
      if (*unit == 100) {
        if (part == 0 || part >= 100) break;
        part *= 100;
      } else {
        if (*unit >= last_unit) break;
        total += (part == 0 ? 1 : part) * *unit;
        part = 0;
        last_unit = *unit;
      }
      any = unit_last = true;
      small_last = false;
    } else if (at == begin && word == "a" && english_unit(word_at(words, at + 1))) {
      part = 1;
    } else if (!(unit_last && word == "and" && english_small(word_at(words, at + 1)))) {
      break;
    }
  }
  return any ? Run{at - begin, std::to_string(total + part)} : Run{};
}

// 三百二十, 一百二 (a digit behind a unit without 零 counts in tenths of it), 二〇二四.
Run read_chinese(const std::vector<PlainWord>& words, std::size_t begin) {
  constexpr std::size_t kScanned = 64;
  std::size_t end = begin, units = 0;
  while (end < words.size() && end - begin < kScanned && words[end].kind == WordKind::kHan &&
         (digit_of(words[end].text) || chinese_unit(words[end].text))) {
    units += chinese_unit(words[end].text) ? 1 : 0;
    ++end;
  }
  const std::size_t count = end - begin;
  if (count == 0) return {};
  if (units == 0) {
    // Two digits in a row are as often an estimate as a number.
    if (count == 2) return {};
    std::string digits;
    for (std::size_t i = begin; i < end; ++i) digits += std::to_string(*digit_of(words[i].text));
    return {count, digits};
  }
  constexpr std::size_t kLongest = 24;
  const bool bare_unit = count == 1 && words[begin].text != "十";
  if (bare_unit || count > kLongest) return {};
  Value total = 0, section = 0, digit = -1, last_unit = 1;
  bool zero = false;
  for (std::size_t i = begin; i < end; ++i) {
    if (const auto value = digit_of(words[i].text)) {
      if (digit > 0) return {};  // 三四十: an estimate
      zero = zero || *value == 0;
      digit = *value;
      continue;
    }
    const Value unit = *chinese_unit(words[i].text);
    if (unit >= 10'000) {
      if (i == begin) return {count, ""};  // 万一, 亿万富翁
      total += section + std::max<Value>(digit, 0);
      if (total > kMost / unit) return {count, ""};
      total *= unit;
      section = 0;
    } else {
      section += (digit < 0 ? 1 : digit) * unit;
    }
    digit = -1;
    last_unit = unit;
    zero = false;
  }
  if (digit > 0) section += zero || last_unit <= 10 ? digit : digit * (last_unit / 10);
  return {count, std::to_string(total + section)};
}

// "5 thousand", 3万.
Run read_mixed(const std::vector<PlainWord>& words, std::size_t begin) {
  const std::string& number = words[begin].text;
  constexpr std::size_t kMostDigits = 6;
  const bool plain = number.size() <= kMostDigits && std::all_of(number.begin(), number.end(), is_digit<char>);
  if (!plain || begin + 1 >= words.size()) return {};
  auto unit = english_unit(words[begin + 1].text);
  if (!unit) unit = chinese_unit(words[begin + 1].text);
  const Value scale = unit.value_or(0);
  if (scale < 100) return {};
  return {2, std::to_string(std::stoll(number) * scale)};
}

// The day in 周三, 星期三, 礼拜三: one digit, whatever follows it (星期三一起).
bool is_weekday_digit(const std::vector<PlainWord>& words, std::size_t at) {
  if (at == 0 || words[at].kind != WordKind::kHan) return false;
  const Value digit = digit_of(words[at].text).value_or(0);
  if (digit < 1 || digit > 6 || words[at].text == "两") return false;
  const std::string& last = words[at - 1].text;
  if (at >= 2 && ((last == "期" && words[at - 2].text == "星") || (last == "拜" && words[at - 2].text == "礼")))
    return true;
  return last == "周" && digit_of(word_at(words, at + 1)).has_value();
}

Run read_numeral(const std::vector<PlainWord>& words, std::size_t at) {
  switch (words[at].kind) {
    case WordKind::kNumber: return read_mixed(words, at);
    case WordKind::kHan:
      if (is_weekday_digit(words, at)) return {1, std::to_string(*digit_of(words[at].text))};
      return read_chinese(words, at);
    case WordKind::kWord: return read_english(words, at);
    default: return {};
  }
}

template <class Value>
using Words = std::unordered_map<std::string_view, Value>;

template <class Value>
std::optional<Value> find_in(const Words<Value>& words, std::string_view word) {
  const auto found = words.find(word);
  return found == words.end() ? std::nullopt : std::optional(found->second);
}

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

std::vector<PlainWord> fold_numerals(const std::vector<PlainWord>& words) {
  std::vector<PlainWord> folded;
  folded.reserve(words.size());
  for (std::size_t at = 0; at < words.size();) {
    Run run = read_numeral(words, at);
    const std::size_t end = at + std::max<std::size_t>(run.words, 1);
    if (run.digits.empty()) {
      folded.insert(folded.end(), words.begin() + static_cast<std::ptrdiff_t>(at),
                    words.begin() + static_cast<std::ptrdiff_t>(end));
    } else {
      folded.push_back({std::move(run.digits), WordKind::kNumber});
    }
    at = end;
  }
  return folded;
}

std::optional<NumberWord> english_number(std::string_view word) {
  static const Words<NumberWord> words = {
      {"zero", {0, false}},        {"one", {1, false}},        {"two", {2, false}},        {"three", {3, false}},
      {"four", {4, false}},        {"five", {5, false}},       {"six", {6, false}},        {"seven", {7, false}},
      {"eight", {8, false}},       {"nine", {9, false}},       {"ten", {10, false}},       {"eleven", {11, false}},
      {"twelve", {12, false}},     {"thirteen", {13, false}},  {"fourteen", {14, false}},  {"fifteen", {15, false}},
      {"sixteen", {16, false}},    {"seventeen", {17, false}}, {"eighteen", {18, false}},  {"nineteen", {19, false}},
      {"twenty", {20, false}},     {"thirty", {30, false}},    {"forty", {40, false}},     {"fifty", {50, false}},
      {"sixty", {60, false}},      {"seventy", {70, false}},   {"eighty", {80, false}},    {"ninety", {90, false}},
      {"first", {1, true}},        {"second", {2, true}},      {"third", {3, true}},       {"fourth", {4, true}},
      {"fifth", {5, true}},        {"sixth", {6, true}},       {"seventh", {7, true}},     {"eighth", {8, true}},
      {"ninth", {9, true}},        {"tenth", {10, true}},      {"eleventh", {11, true}},   {"twelfth", {12, true}},
      {"thirteenth", {13, true}},  {"fourteenth", {14, true}}, {"fifteenth", {15, true}},  {"sixteenth", {16, true}},
      {"seventeenth", {17, true}}, {"eighteenth", {18, true}}, {"nineteenth", {19, true}}, {"twentieth", {20, true}},
      {"thirtieth", {30, true}}};
  return find_in(words, word);
}

std::optional<int> chinese_digit(std::string_view character) {
  static const Words<int> digits = {{"零", 0}, {"一", 1}, {"二", 2}, {"两", 2}, {"三", 3}, {"四", 4},
                                    {"五", 5}, {"六", 6}, {"七", 7}, {"八", 8}, {"九", 9}};
  return find_in(digits, character);
}

std::optional<int> chinese_scale(std::string_view character) {
  static const Words<int> scales = {{"十", 10}, {"百", 100}, {"千", 1000}};
  return find_in(scales, character);
}

std::vector<Span> measure_spans(std::string_view text) { return Finder(timex::tokenize_times(text)).run(); }

}  // namespace weft
