// Holidays by name: the lines of lexicon/time/holidays.txt, whose head explains their form.
#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/strings.h"
#include "text/lexicon.h"
#include "text/time/lunar.h"
#include "text/time/rules.h"

namespace weft::timex {
namespace {

using DayOfYear = std::function<std::optional<Moment>(std::int64_t year)>;

/// The words of a rule, taken from the front.
class Words {
 public:
  explicit Words(std::string_view text) : rest_(trimmed(text)) {}

  bool empty() const { return rest_.empty(); }
  std::string_view take() {
    const auto end = std::min(rest_.find(' '), rest_.size());
    const std::string_view word = rest_.substr(0, end);
    rest_ = trimmed(rest_.substr(end));
    return word;
  }
  int number() { return number_of(take()); }

  static int number_of(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    int number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
  }

 private:
  std::string_view rest_;
};

/// The numbers of "2024-3-5", "12-25" or "20:30"; what is missing is 0.
std::array<int, 3> numbers_of(std::string_view text) {
  std::array<int, 3> numbers{};
  for (std::size_t i = 0; i < numbers.size() && !text.empty(); ++i) {
    const auto end = std::min(text.find_first_of("-:"), text.size());
    numbers[i] = Words::number_of(text.substr(0, end));
    text = text.substr(std::min(end + 1, text.size()));
  }
  return numbers;
}

/// 1 is Monday; 0 for other words.
int weekday_named(std::string_view word) {
  static constexpr std::string_view kNames[] = {"mon", "tue", "wed", "thu", "fri", "sat", "sun"};
  const auto found = std::find(std::begin(kNames), std::end(kNames), word);
  return found == std::end(kNames) ? 0 : static_cast<int>(found - std::begin(kNames)) + 1;
}

/// The n-th weekday of a month; the last with -1.
Moment weekday_of_month(std::int64_t year, int month, int weekday, int nth) {
  if (nth > 0) {
    const Moment first = midnight(year, month, 1);
    return first + ((weekday - timex::weekday(first) + 7) % 7 + (nth - 1) * 7) * kDaySeconds;
  }
  const Moment last = midnight(year, month + 1, 1) - kDaySeconds;
  return last - (timex::weekday(last) - weekday + 7) % 7 * kDaySeconds;
}

/// The Indian day of the harvest: the sun enters Capricorn among the stars, after sunset for the next day.
Moment sankranti(std::int64_t year) {
  constexpr double kSiderealYear = 365.256363;
  constexpr Moment kSunset = 18 * kHourSeconds;
  const Moment known = midnight(2018, 1, 14) + 13 * kHourSeconds + 46 * kMinuteSeconds;  // in India
  const Moment at = known + static_cast<Moment>(static_cast<double>(year - 2018) * kSiderealYear * kDaySeconds);
  const Moment day = floor_to(at, Grain::kDay);
  return at - day < kSunset ? day : day + kDaySeconds;
}

DayOfYear indian(Words& words) {
  const auto [month, day, none] = numbers_of(words.take());
  const std::string_view name = words.take();
  const IndianHour hour = name == "noon"        ? IndianHour::kNoon
                          : name == "afternoon" ? IndianHour::kAfternoon
                          : name == "evening"   ? IndianHour::kEvening
                          : name == "midnight"  ? IndianHour::kMidnight
                                                : IndianHour::kSunrise;
  return [=](std::int64_t year) { return indian_day(year, month, day, hour); };
}

/// A day as a rule names it before it is moved.
DayOfYear base_day(Words& words) {
  const std::string_view head = words.take();
  if (head == "nth") {
    const int nth = words.number(), weekday = weekday_named(words.take()), month = words.number();
    return [=](std::int64_t year) { return weekday_of_month(year, month, weekday, nth); };
  }
  if (const int weekday = weekday_named(head); weekday != 0) {
    words.take();  // "before"
    return [weekday, day = base_day(words)](std::int64_t year) -> std::optional<Moment> {
      const auto end = day(year);
      if (!end) return std::nullopt;
      return *end - kDaySeconds - (timex::weekday(*end - kDaySeconds) - weekday + 7) % 7 * kDaySeconds;
    };
  }
  if (head == "western" || head == "easter") return [](std::int64_t year) { return easter(year, false); };
  if (head == "orthodox") return [](std::int64_t year) { return easter(year, true); };
  if (head == "lunar" || head == "hebrew" || head == "islamic") {
    const auto almanac = head == "lunar" ? Almanac::kChinese : head == "hebrew" ? Almanac::kHebrew : Almanac::kIslamic;
    const auto [month, day, none] = numbers_of(words.take());
    return [=](std::int64_t year) { return almanac_day(almanac, year, month, day); };
  }
  if (head == "solar") return [longitude = words.number()](std::int64_t y) { return chinese_solar_day(y, longitude); };
  if (head == "indian") return indian(words);
  if (head == "cycle") {
    const auto [first, month, day] = numbers_of(words.take());
    return [=](std::int64_t year) { return midnight(first, month, day) + 365 * (year - first) * kDaySeconds; };
  }
  if (head == "dussehra" || head == "navaratri") return vijayadashami;
  if (head == "onam") return onam;
  if (head == "sankranti") return sankranti;
  const auto numbers = numbers_of(head);
  const bool dated = numbers[2] != 0;
  return [=](std::int64_t year) -> std::optional<Moment> {
    if (dated && numbers[0] != year) return std::nullopt;
    const int month = numbers[dated ? 1 : 0], day = numbers[dated ? 2 : 1];
    return is_day(year, month, day) ? std::optional(midnight(year, month, day)) : std::nullopt;
  };
}

/// A line of the file without its names.
struct Holiday {
  std::vector<DayOfYear> days;  ///< the first that has a day in a year counts
  int length = 1;  ///< days
  std::optional<Moment> at;  ///< the time of the day at which its one hour begins
  bool from_new_moon = false;  ///< lasts from the new moon before

  void add(std::string_view rule);
  std::optional<Interval> of_year(std::int64_t year) const;
};

void Holiday::add(std::string_view rule) {
  from_new_moon = rule == "navaratri";
  Words words(rule);
  const DayOfYear base = base_day(words);
  Moment moved = 0, moved_from_eve = 0;
  std::array<int, 8> by_weekday{};
  int first = 0;
  bool inaugural = false;
  while (!words.empty()) {
    const std::string_view word = words.take();
    if (word == "from") {
      first = words.number();
    } else if (word == "inaugural") {
      inaugural = true;
    } else if (word == "for") {
      length = words.number();
    } else if (word == "at") {
      const auto [hour, minute, none] = numbers_of(words.take());
      at = hour * kHourSeconds + minute * kMinuteSeconds;
    } else if (word.starts_with("eve")) {
      moved_from_eve = Words::number_of(word.substr(3));
    } else if (const int weekday = weekday_named(word.substr(0, 3)); weekday != 0) {
      by_weekday[static_cast<std::size_t>(weekday)] = Words::number_of(word.substr(3));
    } else {
      moved += Words::number_of(word);
    }
  }
  days.push_back([=](std::int64_t year) -> std::optional<Moment> {
    if (year < first || (inaugural && year % 4 != 1)) return std::nullopt;
    const auto day = base(year);
    if (!day) return std::nullopt;
    const Moment from_eve = *day + kDaySeconds == easter(year, false) ? moved_from_eve : 0;
    return *day + (moved + from_eve + by_weekday[static_cast<std::size_t>(weekday(*day))]) * kDaySeconds;
  });
}

std::optional<Interval> Holiday::of_year(std::int64_t year) const {
  for (const DayOfYear& day_of : days) {
    const auto day = day_of(year);
    if (!day) continue;
    if (at) return Interval{*day + *at, *day + *at + kHourSeconds, Grain::kMinute};
    if (!from_new_moon) return Interval{*day, *day + length * kDaySeconds, Grain::kDay};
    constexpr int kAshvin = 7;
    const auto begin = indian_day(year, kAshvin, 1, IndianHour::kSunrise);
    if (begin && *begin <= *day) return Interval{*begin, *day + kDaySeconds, Grain::kDay};
  }
  return std::nullopt;
}

/// The pattern of the names of a day, which stand in the file with bars between them: each behind a word, if one is
/// given for its language.
std::string pattern_of(std::string_view names, std::string_view english = {}, std::string_view chinese = {}) {
  std::string pattern;
  while (!names.empty()) {
    const auto bar = std::min(names.find('|'), names.size());
    const std::string_view name = trimmed(names.substr(0, bar));
    names = names.substr(std::min(bar + 1, names.size()));
    pattern += (pattern.empty() ? "" : "|");
    pattern += static_cast<unsigned char>(name.front()) < 0x80 ? english : chinese;
    pattern += name;
    if (name.starts_with("st ")) pattern += "|st._" + std::string(name.substr(3));
  }
  std::replace(pattern.begin(), pattern.end(), ' ', '_');
  return pattern;
}

Rule holiday_rule(std::string pattern, std::string_view days) {
  Holiday holiday;
  while (!days.empty()) {
    const auto cut = std::min(days.find(';'), days.size());
    holiday.add(trimmed(days.substr(0, cut)));
    days = days.substr(std::min(cut + 1, days.size()));
  }
  const Grain grain = holiday.length > 1 || holiday.from_new_moon ? Grain::kWeek : Grain::kDay;
  const Node node =
      time_node(date_of(yearly([holiday = std::move(holiday)](std::int64_t year) { return holiday.of_year(year); }),
                        grain, kHolidayField));
  return {std::move(pattern), [node](const Args&) { return std::optional(node); }};
}

}  // namespace

std::vector<Rule> holiday_rules() {
  std::vector<Rule> rules;
  for (const std::string_view line : lexicon("time/holidays", "days")) {
    const auto colon = line.find(": ");
    const std::string_view days = line.substr(0, colon), names = line.substr(colon + 2);
    rules.push_back(holiday_rule(pattern_of(names), days));
    if (days.starts_with("easter"))
      rules.push_back(holiday_rule(pattern_of(names, "orthodox ", "东正教"),
                                   "orthodox" + std::string(days.substr(std::string_view("easter").size()))));
  }
  return rules;
}

}  // namespace weft::timex
