#include "flow/recall/days.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <utility>

#include "base/ascii.h"
#include "ports/index/scope_index.h"
#include "text/time_expressions.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr std::array<std::string_view, 12> kMonths{"january",   "february", "march",    "april",
                                                   "may",       "june",     "july",     "august",
                                                   "september", "october",  "november", "december"};

/// Words after which the bare name of a month is one ("in May", "since March").
constexpr std::array<std::string_view, 18> kBeforeMonth{"in",     "during", "of",    "by",   "since", "until",
                                                        "before", "after",  "early", "late", "mid",   "last",
                                                        "this",   "next",   "from",  "to",   "every", "around"};
constexpr std::array<std::string_view, 6> kBeforeYear{"in", "during", "of", "since", "by", "from"};

template <class List>
bool contains(const List& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

/// 1 to 12 for the name of a month, whole or its first three letters; else 0.
int month_named(std::string_view word) {
  if (word == "sept") return 9;
  for (std::size_t i = 0; i < kMonths.size(); ++i)
    if (word == kMonths[i] || (word.size() == 3 && kMonths[i].starts_with(word))) return static_cast<int>(i) + 1;
  return 0;
}

/// A run of letters or digits of the lower-cased text. "17th" gives the number 17.
struct Token {
  std::string_view word;
  int number = -1;
  bool goes_on = false;  ///< a date in digits: "-", "/" or "." and another digit follow
};

int number_of(std::string_view digits) {
  if (digits.empty() || digits.size() > 4 || !std::all_of(digits.begin(), digits.end(), is_digit<char>)) return -1;
  return std::stoi(std::string(digits));
}

std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> tokens;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_digit(text[at]) && !is_lower(text[at])) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    while (at < text.size() && (is_digit(text[at]) || is_lower(text[at]))) ++at;
    std::string_view word = text.substr(begin, at - begin);
    for (const std::string_view ending : {"st", "nd", "rd", "th"})
      if (word.size() <= 4 && word.ends_with(ending) && is_digit(word[0])) word.remove_suffix(2);
    const bool goes_on = at + 1 < text.size() && std::string_view("-/.").find(text[at]) != std::string_view::npos &&
                         is_digit(text[at + 1]);
    tokens.push_back({word, number_of(word), goes_on});
  }
  return tokens;
}

bool is_day(const Token& token) { return token.word.size() <= 2 && token.number >= 1 && token.number <= 31; }
bool is_year(const Token& token) { return token.word.size() == 4 && token.number >= 1900 && token.number < 2100; }

NamedDays month_span(std::optional<int> year, int month, int from, int to) { return {year, month, from, month, to}; }

/// The days of a month that "early" or "the end of" it mean.
std::pair<int, int> days_of_part(std::string_view word) {
  if (word == "early" || word == "beginning" || word == "start") return {1, 10};
  if (word == "mid" || word == "middle") return {10, 20};
  if (word == "late" || word == "end") return {21, 31};
  return {1, 31};
}

void english_days(std::string_view text, std::vector<NamedDays>& found) {
  const auto tokens = tokens_of(text);
  const auto count = static_cast<std::ptrdiff_t>(tokens.size());
  const auto token = [&](std::ptrdiff_t i) {
    return i >= 0 && i < count ? tokens[static_cast<std::size_t>(i)] : Token{};
  };
  // "early May", "the end of May"
  const auto before_month = [&](std::ptrdiff_t i) { return token(i - 1).word == "of" ? i - 2 : i - 1; };
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    if (is_year(token(i)) && !token(i).goes_on && contains(kBeforeYear, token(i - 1).word) &&
        month_named(token(i - 2).word) == 0)
      found.push_back({token(i).number, 1, 1, 12, 31});
    const int month = month_named(token(i).word);
    if (month == 0) continue;
    const Token before = token(before_month(i));
    std::ptrdiff_t next = i + 1;
    int day = 0;
    if (is_day(before)) {
      day = before.number;
    } else if (is_day(token(next))) {
      day = token(next++).number;
    }
    if (token(next).word == "of") ++next;
    std::optional<int> year;
    if (is_year(token(next))) year = token(next).number;
    const auto [from, to] = days_of_part(token(before_month(i)).word);
    const bool whole_name = token(i).word.size() > 3 && token(i).word != "march";
    if (day == 0 && !year && !whole_name && !contains(kBeforeMonth, token(i - 1).word)) continue;
    found.push_back(day != 0 ? month_span(year, month, day, day) : month_span(year, month, from, to));
  }
}

/// 2025-01-18, 2025/1/18 and 2025.1.18.
void iso_days(std::string_view text, std::vector<NamedDays>& found) {
  const auto digits = [text](std::size_t at) {
    std::size_t end = at;
    while (end < text.size() && is_digit(text[end])) ++end;
    return text.substr(at, end - at);
  };
  const auto separator = [text](std::size_t at) {
    return at < text.size() && std::string_view("-/.").find(text[at]) != std::string_view::npos;
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!is_digit(text[at]) || (at > 0 && is_digit(text[at - 1]))) continue;
    const std::string_view year = digits(at);
    if (year.size() != 4 || !separator(at + 4)) continue;
    const std::string_view month = digits(at + 5);
    if (month.empty() || month.size() > 2 || !separator(at + 5 + month.size())) continue;
    const std::string_view day = digits(at + 6 + month.size());
    const int m = number_of(month), d = number_of(day);
    if (m < 1 || m > 12 || d < 1 || d > 31) continue;
    found.push_back(month_span(number_of(year), m, d, d));
  }
}

/// The number that ends right before `end`, in digits or Chinese up to twelve; `begin` is where it starts. −1: none.
int number_before(std::string_view text, std::size_t end, std::size_t& begin) {
  begin = end;
  while (begin > 0 && is_digit(text[begin - 1])) --begin;
  if (begin < end) return number_of(text.substr(begin, end - begin));
  constexpr std::array<std::string_view, 12> kNumbers{"十二", "十一", "十", "九", "八", "七",
                                                      "六",   "五",   "四", "三", "二", "一"};
  for (std::size_t i = 0; i < kNumbers.size(); ++i) {
    if (!text.substr(0, end).ends_with(kNumbers[i])) continue;
    begin = end - kNumbers[i].size();
    return 12 - static_cast<int>(i);
  }
  return -1;
}

/// What stands behind "月": a day or a part of the month.
std::pair<int, int> days_after(std::string_view rest) {
  std::size_t length = 0;
  while (length < rest.size() && is_digit(rest[length])) ++length;
  if (length > 0 && (rest.substr(length).starts_with("日") || rest.substr(length).starts_with("号"))) {
    const int day = number_of(rest.substr(0, length));
    if (day >= 1 && day <= 31) return {day, day};
  }
  if (rest.starts_with("上旬") || rest.starts_with("初")) return {1, 10};
  if (rest.starts_with("中旬")) return {11, 20};
  if (rest.starts_with("下旬") || rest.starts_with("底") || rest.starts_with("末")) return {21, 31};
  return {1, 31};
}

void chinese_days(std::string_view text, std::vector<NamedDays>& found) {
  constexpr std::string_view kMonth = "月", kYear = "年", kPortion = "份";
  for (std::size_t at = text.find(kMonth); at != std::string_view::npos; at = text.find(kMonth, at + 1)) {
    std::size_t begin = at;
    const int month = number_before(text, at, begin);
    if (month < 1 || month > 12) continue;
    std::optional<int> year;
    if (text.substr(0, begin).ends_with(kYear)) {
      std::size_t unused = 0;
      if (const int value = number_before(text, begin - kYear.size(), unused); value >= 1900) year = value;
    }
    std::string_view rest = text.substr(at + kMonth.size());
    if (rest.starts_with(kPortion)) rest.remove_prefix(kPortion.size());
    const auto [from, to] = days_after(rest);
    found.push_back(month_span(year, month, from, to));
  }
  for (std::size_t at = text.find(kYear); at != std::string_view::npos; at = text.find(kYear, at + 1)) {
    std::size_t begin = at;
    const int year = number_before(text, at, begin);
    const std::string_view rest = text.substr(at + kYear.size());
    const bool month_follows = rest.substr(0, 3).find(kMonth) != std::string_view::npos ||
                               rest.substr(0, 6).find(kMonth) != std::string_view::npos ||
                               rest.substr(0, 9).find(kMonth) != std::string_view::npos;
    if (year >= 1900 && year < 2100 && !month_follows) found.push_back({year, 1, 1, 12, 31});
  }
}

/// Days on both sides that "so long ago" may mean as well.
std::int32_t margin_of(std::string_view words) {
  constexpr std::pair<std::string_view, std::int32_t> kUnits[] = {
      {"year", 180}, {"年", 180}, {"month", 15}, {"月", 15}, {"week", 3},
      {"周", 3},     {"星期", 3}, {"礼拜", 3},   {"day", 1}, {"天", 1}};
  constexpr std::string_view kDayBefore = "前天";
  const bool ago = words.find("ago") != std::string_view::npos ||
                   (words.ends_with("前") || words.ends_with("以前") || words.ends_with("之前"));
  if (!ago || words == kDayBefore) return 0;
  for (const auto& [unit, margin] : kUnits)
    if (words.find(unit) != std::string_view::npos) return margin;
  return 0;
}

}  // namespace

std::vector<NamedDays> named_days(std::string_view text) {
  const std::string folded = normalize(text);
  std::vector<NamedDays> found;
  english_days(folded, found);
  iso_days(folded, found);
  chinese_days(folded, found);
  return found;
}

// What is told in a coarse unit is meant coarsely: "three months ago" is not a day.
std::vector<DayRange> relative_days(std::string_view text, Time now) {
  const std::int32_t today = day_of(now);
  const auto day_at = [&now](std::int64_t ms) { return day_of(Time{ms, now.offset_minutes}); };
  std::vector<DayRange> found;
  for (const TimeExpression& one : find_time_expressions(text, now)) {
    const std::string words = normalize(text.substr(one.begin, one.end - one.begin));
    if (!one.relative || !one.from_ms || *one.from_ms == now.ms || one.kind == TimeKind::kTime) continue;
    if (!named_days(words).empty()) continue;
    const std::int32_t margin = margin_of(words);
    const DayRange range{day_at(*one.from_ms) - margin, one.to_ms ? day_at(*one.to_ms - 1) + margin : today};
    if (range.from <= today && range.from <= range.to) found.push_back(range);
  }
  return found;
}

std::vector<DayRange> day_ranges(const NamedDays& named, std::int32_t first, std::int32_t last) {
  std::vector<DayRange> ranges;
  if (first > last) return ranges;
  const int from = named.year ? *named.year : year_of_day(first), to = named.year ? *named.year : year_of_day(last);
  for (int year = from; year <= to; ++year) {
    const std::int32_t month_end =
        (named.to_month == 12 ? day_number(year + 1, 1, 1) : day_number(year, named.to_month + 1, 1)) - 1;
    const DayRange range{day_number(year, named.from_month, named.from_day),
                         std::min(day_number(year, named.to_month, named.to_day), month_end)};
    if (range.to >= first && range.from <= last) ranges.push_back(range);
  }
  return ranges;
}

std::int32_t day_number(int year, int month, int day) {
  // Years from March on, so that the leap day is the last; the length of months then follows (153 m + 2) / 5.
  const int shifted_year = month <= 2 ? year - 1 : year;
  const int shifted_month = month <= 2 ? month + 9 : month - 3;
  const int leaps = shifted_year / 4 - shifted_year / 100 + shifted_year / 400;
  return shifted_year * 365 + leaps + (153 * shifted_month + 2) / 5 + day - 1 - 719'468;
}

int year_of_day(std::int32_t day) {
  int year = 1970 + day / 366;
  while (day_number(year + 1, 1, 1) <= day) ++year;
  while (day_number(year, 1, 1) > day) --year;
  return year;
}

}  // namespace weft
