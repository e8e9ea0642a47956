#include "flow/historian/relative_time.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "text/latin_words.h"

namespace weft {
namespace {

using Kind = RelativeTime::Kind;
using std::chrono::days;
using std::chrono::sys_days;
using std::chrono::year_month_day;

// ---- Chinese ----

struct Listed {
  std::string_view word;
  Kind kind;
  int offset;
};

constexpr auto kChinese = std::to_array<Listed>({{"今天", Kind::kDay, 0},
                                                 {"昨天", Kind::kDay, -1},
                                                 {"明天", Kind::kDay, 1},
                                                 {"刚才", Kind::kJustNow, 0},
                                                 {"刚刚", Kind::kJustNow, 0},
                                                 {"稍后", Kind::kLater, 0},
                                                 {"上周", Kind::kWeek, -1},
                                                 {"下周", Kind::kWeek, 1},
                                                 {"最近", Kind::kRecent, 0}});

bool starts_at(std::string_view text, std::size_t at, std::string_view what) {
  return at <= text.size() && text.compare(at, what.size(), what) == 0;
}

// 最近的车站, 离酒店最近: near in space.
bool means_nearest(std::string_view text, std::size_t at, std::size_t end) {
  constexpr auto kPlaces = std::to_array<std::string_view>(
      {"地铁", "车站", "酒店", "宾馆", "旅馆", "餐馆",   "餐厅", "饭店", "医院", "银行", "机场",
       "超市", "商店", "景点", "公园", "出口", "加油站", "学校", "城市", "药店", "邮局", "公交",
       "火车", "停车", "路",   "站",   "地方", "地点",   "位置", "距离", "咖啡", "健身"});
  if (starts_at(text, end, "邻") || starts_at(text, end, "公共")) return true;
  const std::size_t noun = starts_at(text, end, "的") ? end + 3 : end;
  for (const std::string_view skip : {"", "一家", "一个", "那家", "那个"}) {
    if (!starts_at(text, noun, skip)) continue;
    const std::size_t from = noun + skip.size();
    if (std::any_of(kPlaces.begin(), kPlaces.end(), [&](auto place) { return starts_at(text, from, place); }))
      return true;
  }
  // 离 or 距 earlier in the clause.
  constexpr std::size_t kReach = 60;
  const std::size_t earliest = at > kReach ? at - kReach : 0;
  std::string_view before = text.substr(earliest, at - earliest);
  for (const std::string_view stop : {"，", "。", "？", "！", "\n", ","}) {
    if (const std::size_t cut = before.rfind(stop); cut != std::string_view::npos)
      before.remove_prefix(cut + stop.size());
  }
  return before.find("离") != std::string_view::npos || before.find("距") != std::string_view::npos;
}

// 上周三: the weekday behind, Monday is 0.
std::optional<int> weekday_at(std::string_view text, std::size_t at) {
  constexpr auto kDays = std::to_array<std::string_view>({"一", "二", "三", "四", "五", "六", "日"});
  for (std::size_t i = 0; i < kDays.size(); ++i) {
    if (starts_at(text, at, kDays[i])) return static_cast<int>(i);
  }
  return starts_at(text, at, "天") ? std::optional<int>(6) : std::nullopt;
}

void find_chinese(std::string_view text, const std::vector<Span>& spans, std::vector<RelativeTime>& out) {
  SpanCursor cursor(spans);
  for (std::size_t at = 0; at < text.size();) {
    const auto listed =
        static_cast<unsigned char>(text[at]) < 0xE4
            ? kChinese.end()
            : std::find_if(
                  kChinese.begin(), kChinese.end(), [&](const Listed& l) { return starts_at(text, at, l.word); });
    if (listed == kChinese.end() || cursor.covers(at, at + listed->word.size())) {
      ++at;
      continue;
    }
    RelativeTime time{at, at + listed->word.size(), listed->kind, listed->offset, 0, Language::kChinese};
    at = time.end;
    if (time.kind == Kind::kRecent && means_nearest(text, time.begin, time.end)) continue;
    if (listed->word == "刚刚" && starts_at(text, time.end, "好")) continue;  // just right
    if (time.kind == Kind::kWeek) {
      if (const auto weekday = weekday_at(text, time.end)) {
        time.kind = Kind::kWeekday;
        time.weekday = *weekday;
        time.end += 3;
      }
    }
    out.push_back(time);
  }
}

// ---- English ----

const std::unordered_map<std::string_view, Listed>& single_words() {
  static const std::unordered_map<std::string_view, Listed> words = {
      {"today", {"", Kind::kDay, 0}},     {"yesterday", {"", Kind::kDay, -1}},  {"tomorrow", {"", Kind::kDay, 1}},
      {"tonight", {"", Kind::kNight, 0}}, {"recently", {"", Kind::kRecent, 0}}, {"lately", {"", Kind::kRecent, 0}}};
  return words;
}

const std::unordered_map<std::string_view, Listed>& units() {
  static const std::unordered_map<std::string_view, Listed> words = {
      {"week", {"", Kind::kWeek, 0}},        {"month", {"", Kind::kMonth, 0}},
      {"year", {"", Kind::kYear, 0}},        {"night", {"", Kind::kNight, 0}},
      {"weekend", {"", Kind::kWeekend, 0}},  {"monday", {"", Kind::kWeekday, 0}},
      {"tuesday", {"", Kind::kWeekday, 1}},  {"wednesday", {"", Kind::kWeekday, 2}},
      {"thursday", {"", Kind::kWeekday, 3}}, {"friday", {"", Kind::kWeekday, 4}},
      {"saturday", {"", Kind::kWeekday, 5}}, {"sunday", {"", Kind::kWeekday, 6}}};
  return words;
}

// "later" as seen from now, not "two days later", "later than", "sooner or later".
bool is_bare_later(const LatinWords& words, std::size_t i) {
  static const std::unordered_set<std::string_view> kNot = {
      "days", "weeks",  "months", "years", "hours",   "minutes",  "day",    "week", "month", "year",    "hour",
      "or",   "moment", "a",      "the",   "seconds", "weekends", "nights", "no",   "much",  "decades", "while"};
  if (i > 0 && (kNot.contains(words[i - 1].lower) || words[i - 1].lower.front() <= '9')) return false;
  return i + 1 >= words.size() || (words[i + 1].lower != "than" && words[i + 1].lower != "stage");
}

std::string_view stem_of(std::string_view word) {
  return word.size() > 2 && word.substr(word.size() - 2) == "'s" ? word.substr(0, word.size() - 2) : word;
}

std::optional<RelativeTime> english_at(const LatinWords& words, std::size_t i, std::size_t& used) {
  const auto next = [&](std::size_t k) {
    return i + k < words.size() ? std::string_view(words[i + k].lower) : std::string_view();
  };
  const std::string_view word = stem_of(words[i].lower);
  used = 1;
  const auto make = [&](Kind kind, int offset, int weekday, std::size_t last) {
    used = last + 1;
    const std::size_t end = words[i + last].begin + stem_of(words[i + last].lower).size();
    return RelativeTime{words[i].begin, end, kind, offset, weekday, Language::kEnglish};
  };
  if (const auto found = single_words().find(word); found != single_words().end())
    return make(found->second.kind, found->second.offset, 0, 0);
  if (word == "just" && next(1) == "now") return make(Kind::kJustNow, 0, 0, 1);
  if (word == "a" && next(1) == "moment" && next(2) == "ago") return make(Kind::kJustNow, 0, 0, 2);
  if (word == "later" && is_bare_later(words, i)) return make(Kind::kLater, 0, 0, next(1) == "on" ? 1 : 0);
  if (word != "last" && word != "next") return std::nullopt;
  // "the last week of school" counts from something else.
  if (i > 0 && (words[i - 1].lower == "the" || words[i - 1].lower == "my" || words[i - 1].lower == "our"))
    return std::nullopt;
  const auto unit = units().find(stem_of(next(1)));
  if (unit == units().end() || next(2) == "of") return std::nullopt;
  if (unit->second.kind == Kind::kNight && word == "next") return std::nullopt;
  const int sign = word == "last" ? -1 : 1;
  return make(unit->second.kind, sign, unit->second.kind == Kind::kWeekday ? unit->second.offset : 0, 1);
}

void find_english(std::string_view text, const std::vector<Span>& spans, std::vector<RelativeTime>& out) {
  const LatinWords words = read_latin_words(text, spans);
  for (std::size_t i = 0, used = 1; i < words.size(); i += used) {
    used = 1;
    if (!words[i].is_word || words[i].protected_by_span) continue;
    if (const auto time = english_at(words, i, used)) out.push_back(*time);
  }
}

// ---- writing ----

constexpr auto kMonths =
    std::to_array<std::string_view>({"January", "February", "March", "April", "May", "June", "July", "August",
                                     "September", "October", "November", "December"});

sys_days local_day(Time spoken) {
  const std::chrono::milliseconds local(spoken.ms + std::int64_t{spoken.offset_minutes} * 60000);
  return std::chrono::floor<days>(std::chrono::sys_time<std::chrono::milliseconds>(local));
}

std::string number(unsigned value) { return std::to_string(value); }

std::string day_words(sys_days day, bool chinese) {
  const year_month_day date(day);
  const auto year = std::to_string(static_cast<int>(date.year()));
  const auto month = static_cast<unsigned>(date.month());
  if (chinese) return year + "年" + number(month) + "月" + number(static_cast<unsigned>(date.day())) + "日";
  return number(static_cast<unsigned>(date.day())) + " " + std::string(kMonths[month - 1]) + " " + year;
}

std::string month_words(sys_days day, int offset, bool chinese) {
  const year_month_day date(day);
  const auto month = date.year() / date.month() + std::chrono::months(offset);
  const auto year = std::to_string(static_cast<int>(month.year()));
  if (chinese) return year + "年" + number(static_cast<unsigned>(month.month())) + "月";
  return std::string(kMonths[static_cast<unsigned>(month.month()) - 1]) + " " + year;
}

sys_days monday_of(sys_days day) {
  const std::chrono::weekday weekday(day);
  return day - (weekday - std::chrono::Monday);
}

std::string clock_words(Time spoken) {
  const std::int64_t minutes = (spoken.ms / 60000 + spoken.offset_minutes) % 1440;
  const auto two = [](std::int64_t value) { return (value < 10 ? "0" : "") + std::to_string(value); };
  const std::int64_t of_day = (minutes + 1440) % 1440;
  return two(of_day / 60) + ":" + two(of_day % 60);
}

// "last Friday" is the one before this moment, "next Friday" the one after it; 上周五 that of the week before.
sys_days weekday_of(const RelativeTime& time, sys_days today) {
  if (time.language == Language::kChinese) return monday_of(today) + days(7 * time.offset + time.weekday);
  const int today_index = static_cast<int>((today - monday_of(today)).count());
  int distance = time.weekday - today_index;
  if (time.offset < 0 && distance >= 0) distance -= 7;
  if (time.offset > 0 && distance <= 0) distance += 7;
  return today + days(distance);
}

std::string chinese_words(const RelativeTime& time, Time spoken) {
  const sys_days today = local_day(spoken);
  const sys_days monday = monday_of(today) + days(7 * time.offset);
  switch (time.kind) {
    case Kind::kDay: return day_words(today + days(time.offset), true);
    case Kind::kWeekday: return day_words(weekday_of(time, today), true);
    case Kind::kWeek: return day_words(monday, true) + "至" + day_words(monday + days(6), true) + "那一周";
    case Kind::kJustNow: return day_words(today, true) + clock_words(spoken) + "前不久";
    case Kind::kLater: return day_words(today, true) + clock_words(spoken) + "之后";
    case Kind::kRecent: return day_words(today, true) + "前后一段时间";
    case Kind::kMonth: return month_words(today, time.offset, true);
    default: return day_words(today, true);
  }
}

std::string english_words(const RelativeTime& time, Time spoken, bool bare) {
  const sys_days today = local_day(spoken);
  const sys_days monday = monday_of(today) + days(7 * time.offset);
  const auto with = [&](std::string_view preposition, const std::string& words) {
    return bare ? words : std::string(preposition) + " " + words;
  };
  switch (time.kind) {
    case Kind::kDay: return with("on", day_words(today + days(time.offset), false));
    case Kind::kNight: return with("on", "the night of " + day_words(today + days(time.offset), false));
    case Kind::kWeekday: return with("on", day_words(weekday_of(time, today), false));
    case Kind::kWeek: return with("in", "the week of " + day_words(monday, false));
    case Kind::kWeekend: {
      // The weekend of this week is still to come on its weekdays: last is the one before, next the one after this
      // week.
      return with("on", "the weekend of " + day_words(monday + days(5), false));
    }
    case Kind::kMonth: return with("in", month_words(today, time.offset, false));
    case Kind::kYear: return with("in", std::to_string(static_cast<int>(year_month_day(today).year()) + time.offset));
    case Kind::kRecent: return with("around", day_words(today, false));
    case Kind::kJustNow: return "shortly before " + clock_words(spoken) + " on " + day_words(today, false);
    case Kind::kLater: return "after " + day_words(today, false);
  }
  return {};
}

}  // namespace

std::vector<RelativeTime> find_relative_times(std::string_view text, const std::vector<Span>& protected_by) {
  std::vector<RelativeTime> found;
  find_chinese(text, protected_by, found);
  find_english(text, protected_by, found);
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  return found;
}

std::string absolute_words(const RelativeTime& time, Time spoken, bool after_preposition) {
  return time.language == Language::kChinese ? chinese_words(time, spoken)
                                             : english_words(time, spoken, after_preposition);
}

}  // namespace weft
