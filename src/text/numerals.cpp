#include "text/numerals.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "base/ascii.h"
#include "text/number_words.h"

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

}  // namespace weft
