// Every form that the grammar knows, said at random moments: what is set beside the words is the time that they mean.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <map>
#include <optional>
#include <random>
#include <regex>
#include <string>
#include <vector>

#include "text/time/calendar.h"
#include "text/time/rules.h"
#include "text/time_expressions.h"

namespace weft {
namespace {

using timex::Grain;
using timex::kDaySeconds;
using timex::midnight;
using timex::Moment;

/// Days, the end exclusive.
struct Days {
  Moment from = 0, to = 0;
  bool rough = false;  ///< "around", or a season, which no two calendars begin on one day
};

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const auto cut = text.find(at);
    if (cut != 0) parts.push_back(text.substr(0, cut));
    text.remove_prefix(cut == std::string_view::npos ? text.size() : cut + 1);
  }
  return parts;
}

using Samples = std::map<std::string, std::vector<std::string>>;

const Samples& english_samples() {
  static const Samples made = {
      {"number", {"3", "two", "20"}},
      {"int", {"two", "3", "5"}},
      {"small", {"two", "3"}},
      {"ordinal", {"2nd", "third"}},
      {"yearday", {"100th"}},
      {"day", {"12"}},
      {"dayth", {"5th", "31st"}},
      {"daynumber", {"5"}},
      {"mm", {"3", "12"}},
      {"dd", {"12", "29"}},
      {"yy", {"24"}},
      {"yyyy", {"2027", "2019"}},
      {"yyyymmdd", {"20270305"}},
      {"monthnumber", {"6"}},
      {"hour", {"9"}},
      {"hourdigits", {"9"}},
      {"minute", {"30"}},
      {"sixty", {"30"}},
      {"tclock", {"5 pm"}},
      {"eday", {"5", "12"}},
      {"hhmm", {"1430"}},
      {"unit", {"weeks", "month", "days", "years", "week", "hours"}},
      {"zunit", {"周"}},
      {"amount", {"two weeks", "three days", "a month", "5 hours", "half a year", "ten years"}},
      {"zone", {"UTC"}},
      {"set", {"every week"}},
      {"any", {"Friday", "tomorrow", "next month"}},
      {"time", {"next week", "last Friday", "May"}},
      {"point", {"May 3", "yesterday"}},
      {"stretch", {"9 to 5", "Monday to Friday"}},
      {"date", {"Friday"}},
      {"daydate", {"3 May", "tomorrow"}},
      {"coarse", {"next month", "March", "last year", "2027"}},
      {"clock", {"5 pm"}},
      {"part", {"morning", "evening"}},
      {"timed", {"5 pm"}},
      {"month", {"June", "February"}},
      {"weekday", {"Wednesday", "Sunday"}},
      {"monthday", {"May 3", "29 February"}},
      {"yeartime", {"next year"}},
      {"yearmonth", {"May 2027"}},
      {"holiday", {"Christmas", "Easter"}},
      {"season", {"summer", "winter"}},
      {"quarter", {"Q3"}}};
  return made;
}

const Samples& chinese_samples() {
  static const Samples made = {{"number", {"三", "两", "20"}},
                               {"int", {"两", "三", "一"}},
                               {"small", {"两"}},
                               {"ordinal", {"第二"}},
                               {"yearday", {"100"}},
                               {"day", {"十二", "初三"}},
                               {"dayth", {"初三", "初八"}},
                               {"daynumber", {"十二", "31"}},
                               {"mm", {"3"}},
                               {"dd", {"12"}},
                               {"yy", {"18"}},
                               {"yyyy", {"2027"}},
                               {"yyyymmdd", {"20270305"}},
                               {"monthnumber", {"六", "2"}},
                               {"hour", {"九", "三"}},
                               {"hourdigits", {"9"}},
                               {"minute", {"三十"}},
                               {"sixty", {"30"}},
                               {"tclock", {"三点"}},
                               {"eday", {"5"}},
                               {"hhmm", {"1430"}},
                               {"unit", {"weeks"}},
                               {"zunit", {"周", "天", "个月", "年", "小时"}},
                               {"amount", {"两周", "三天", "一个月", "五小时", "半年", "十年"}},
                               {"zone", {"UTC"}},
                               {"set", {"每周"}},
                               {"any", {"周五", "明天", "下个月"}},
                               {"time", {"下周", "周五", "三月"}},
                               {"point", {"5月3日", "昨天"}},
                               {"stretch", {"周一到周五"}},
                               {"date", {"周五"}},
                               {"daydate", {"5月3日", "明天"}},
                               {"coarse", {"下个月", "三月", "去年", "这周"}},
                               {"clock", {"三点"}},
                               {"part", {"早上", "凌晨", "晚上"}},
                               {"timed", {"三点"}},
                               {"month", {"六月"}},
                               {"weekday", {"周三", "星期天"}},
                               {"monthday", {"5月3日"}},
                               {"yeartime", {"明年"}},
                               {"yearmonth", {"2027年5月"}},
                               {"holiday", {"中秋节", "元旦"}},
                               {"season", {"夏天"}},
                               {"quarter", {"三季度"}}};
  return made;
}

bool is_han(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

class Forms {
 public:
  explicit Forms(unsigned seed) : random_(seed) {}

  // Words that a pattern matches; of what is optional and of alternatives some.
  std::string of(std::string_view pattern) {
    std::string text;
    const bool chinese = is_han(pattern);
    for (const std::string_view part : split(pattern, ' ')) {
      std::string_view item = part;
      if (item.size() > 1 && item.ends_with('?')) {
        item.remove_suffix(1);
        if (below(2) == 0) continue;
      }
      std::string words;
      if (item.starts_with('<') && item.ends_with('>') && item.size() > 2) {
        const auto& samples = chinese ? chinese_samples() : english_samples();
        const auto& list = samples.at(std::string(item.substr(1, item.size() - 2)));
        words = list[below(list.size())];
      } else {
        const auto choices = item == "|" ? std::vector<std::string_view>{item} : split(item, '|');
        words = std::string(choices[below(choices.size())]);
        std::replace(words.begin(), words.end(), '_', ' ');
      }
      text += (text.empty() || chinese ? "" : " ") + words;
    }
    return text;
  }

  std::string in_sentence(const std::string& form) {
    static const std::vector<std::pair<const char*, const char*>> english = {
        {"", ""}, {"We met ", "."}, {"I will go ", "."}};
    static const std::vector<std::pair<const char*, const char*>> chinese = {
        {"", ""}, {"我", "去了北京"}, {"我打算", "去北京"}, {"", "开会"}};
    const auto& frames = is_han(form) ? chinese : english;
    const auto& [before, behind] = frames[below(frames.size())];
    return before + form + behind;
  }

  Time moment() {
    static constexpr int kHours[] = {0, 1, 8, 12, 15, 20, 23};
    const Moment day = midnight(2015, 1, 1) + static_cast<Moment>(below(20 * 365)) * kDaySeconds;
    const Moment at = day + kHours[below(std::size(kHours))] * 3600 + static_cast<Moment>(below(60)) * 60;
    return Time{(at - 8 * 3600) * 1000, 480};
  }

 private:
  std::size_t below(std::size_t count) { return random_() % count; }

  std::mt19937 random_;
};

std::optional<int> month_of(const std::string& word) {
  static const std::vector<std::string> kMonths = {"January",   "February", "March",    "April",
                                                   "May",       "June",     "July",     "August",
                                                   "September", "October",  "November", "December"};
  const auto found = std::find(kMonths.begin(), kMonths.end(), word);
  return found == kMonths.end() ? std::nullopt : std::optional<int>(found - kMonths.begin() + 1);
}

/// A day, month or year as a note writes it, and the parts that it leaves to the other end of a stretch.
struct Written {
  std::optional<int> year, month, day;

  Days days() const {
    if (!month) return {midnight(*year, 1, 1), midnight(*year + 1, 1, 1)};
    if (!day) return {midnight(*year, *month, 1), midnight(*year, *month + 1, 1)};
    return {midnight(*year, *month, *day), midnight(*year, *month, *day) + kDaySeconds};
  }
};

Written english_end(const std::string& text) {
  Written end;
  for (const std::string_view part : split(text, ' ')) {
    const std::string word(part);
    if (const auto month = month_of(word)) end.month = *month;
    if (!std::isdigit(static_cast<unsigned char>(word[0])) || word.find(':') != std::string::npos) continue;
    (word.size() >= 4 ? end.year : end.day) = std::stoi(word);
  }
  return end;
}

Written chinese_end(const std::string& text) {
  Written end;
  static const std::regex kParts("(\\d+)(年|月|日)");
  for (std::sregex_iterator at(text.begin(), text.end(), kParts), none; at != none; ++at) {
    const int number = std::stoi((*at)[1]);
    const std::string unit = (*at)[2];
    (unit == "年" ? end.year : unit == "月" ? end.month : end.day) = number;
  }
  return end;
}

std::optional<Days> season_in(const std::string& note) {
  static const std::vector<std::pair<std::string, int>> kSeasons = {
      {"spring", 3}, {"summer", 6}, {"autumn", 9}, {"winter", 12}, {"春季", 3}, {"夏季", 6}, {"秋季", 9}, {"冬季", 12}};
  static const std::regex kYear("(\\d{4})");
  std::smatch year;
  for (const auto& [name, month] : kSeasons)
    if (note.find(name) != std::string::npos && std::regex_search(note, year, kYear))
      return Days{midnight(std::stoi(year[1]), month, 1), midnight(std::stoi(year[1]), month + 3, 24), true};
  return std::nullopt;
}

/// The days of a note, read by the form of what it says alone.
Days days_of_note(std::string note) {
  if (const auto season = season_in(note)) return *season;
  const bool chinese = is_han(note);
  Days days;
  days.rough = note.starts_with("around ") || note.ends_with("前后");
  const bool week = note.find("week of") != std::string::npos;
  const bool decade = note.ends_with("0s");
  const std::string joint = chinese ? "至" : " to ";
  const auto cut = note.find(joint);
  const auto read = chinese ? chinese_end : english_end;
  Written last = read(cut == std::string::npos ? note : note.substr(cut + joint.size()));
  Written first = cut == std::string::npos ? last : read(note.substr(0, cut));
  if (chinese) {
    if (!last.year) last.year = first.year;
    if (!last.month) last.month = first.month;
    if (!last.day && note.find("点") != std::string::npos) last.day = first.day;
  } else {
    if (!first.year) first.year = last.year;
    if (!first.month) first.month = last.month;
    if (!first.day && last.day && note.find(':') != std::string::npos) first.day = last.day;
  }
  if (!first.year || !last.year) return {0, 0, false};
  days.from = first.days().from;
  days.to = last.days().to;
  if (week) days.to = days.from + 7 * kDaySeconds;
  if (decade) days.to = midnight(*first.year + 10, 1, 1);
  return days;
}

Moment day_floor(Moment at) { return timex::floor_to(at, Grain::kDay); }

/// Whether a note names the time, or its last days: as coarsely as one likes, but no other time.
bool names(const Days& note, std::optional<Moment> from, std::optional<Moment> to) {
  constexpr Moment kSlack = 24 * kDaySeconds;
  if (!from || !to) {
    const Moment edge = from ? *from : *to;
    const Moment slack = note.rough ? kSlack : kDaySeconds;
    return edge >= note.from - slack && edge <= note.to + (note.rough ? kSlack : 0);
  }
  const Moment first = day_floor(*from), last = std::max(first, day_floor(*to - 1)) + kDaySeconds;
  if (note.rough)
    return note.from - kSlack < last && first < note.to + kSlack &&
           note.to - note.from < last - first + 400 * kDaySeconds;
  if (note.from <= first && last <= note.to) return true;
  if (note.from <= first && note.to >= last - kDaySeconds && *to - day_floor(*to - 1) <= kDaySeconds / 2) return true;
  const bool within = note.from >= first && note.to <= last;
  return within && (note.from == first || note.to == last || last - note.to <= kDaySeconds);
}

std::optional<Moment> moment_of(const std::string& text) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  const int read = std::sscanf(text.c_str(), "%d-%d-%dT%d:%d:%d", &year, &month, &day, &hour, &minute, &second);
  if (read < 3) return std::nullopt;
  return midnight(year, month, day) + hour * 3600 + minute * 60 + second;
}

bool names(const Days& note, const std::string& value) {
  const auto slash = value.find('/');
  const auto from = moment_of(value.substr(0, slash));
  if (slash != std::string::npos) return names(note, from, moment_of(value.substr(slash + 1)));
  if (!from) return false;
  return names(note, from, value.find('T') == std::string::npos ? *from + kDaySeconds : *from + 1);
}

bool agrees(const TimeExpression& expression) {
  std::vector<std::string> values = expression.alternatives;
  values.insert(values.begin(), expression.value);
  // Of two notes one is the value; a note alone may be the other reading of weeks and months up to now.
  return std::any_of(expression.notes.begin(), expression.notes.end(), [&](const std::string& note) {
    const Days days = days_of_note(note);
    return std::any_of(values.begin(), values.end(), [&](const std::string& value) { return names(days, value); });
  });
}

std::string shown(const std::string& text, Time spoken, const TimeExpression& expression) {
  std::string out = "\"" + text + "\" at " + format_time(spoken) + ": " + expression.value;
  for (const std::string& note : expression.notes) out += " [" + note + "]";
  return out;
}

void expect_agreement(const std::vector<timex::Rule>& rules, unsigned seed, int times) {
  Forms forms(seed);
  std::size_t noted = 0;
  for (const timex::Rule& rule : rules) {
    for (int i = 0; i < times; ++i) {
      const std::string text = forms.in_sentence(forms.of(rule.pattern));
      const Time spoken = forms.moment();
      for (const TimeExpression& found : find_time_expressions(text, spoken)) {
        if (found.notes.empty()) continue;
        ++noted;
        EXPECT_TRUE(agrees(found)) << shown(text, spoken, found) << " of " << rule.pattern;
      }
    }
  }
  EXPECT_GT(noted, rules.size() / 4);
}

TEST(TimeNotes, PF_25_the_note_of_every_english_form_is_its_value) { expect_agreement(timex::english_rules(), 1, 20); }

TEST(TimeNotes, PF_25_the_note_of_every_chinese_form_is_its_value) { expect_agreement(timex::chinese_rules(), 2, 20); }

TEST(TimeNotes, PF_25_the_note_of_every_feast_is_its_value) { expect_agreement(timex::holiday_rules(), 3, 2); }

TEST(TimeNotes, PF_25_the_note_of_every_form_in_digits_is_its_value) {
  expect_agreement(timex::numeric_rules(), 4, 40);
}

struct Noted {
  const char* text;
  const char* spoken;
  const char* value;
  const char* note;  ///< empty: none
};

void expect_notes(const std::vector<Noted>& cases) {
  for (const Noted& one : cases) {
    const auto found = find_time_expressions(one.text, parse_time(one.spoken).value());
    ASSERT_EQ(found.size(), 1U) << one.text;
    EXPECT_EQ(found.front().value, one.value) << one.text;
    const std::vector<std::string> notes =
        *one.note == 0 ? std::vector<std::string>() : std::vector<std::string>{one.note};
    EXPECT_EQ(found.front().notes, notes) << one.text;
  }
}

TEST(TimeNotes, PF_25_a_day_after_a_count_of_weeks_or_in_a_named_unit_is_told_itself) {
  const char* const friday = "2026-11-27T10:00:00+08:00";
  expect_notes({{"两周后的周三去看牙", friday, "2026-12-09", "2026年12月9日"},
                {"一周前的周二我搬家了", friday, "2026-11-17", "2026年11月17日"},
                {"三个星期后的星期天见", friday, "2026-12-20", "2026年12月20日"},
                {"两个月前的周一", friday, "2026-09-21", "2026年9月21日"},
                {"这周周三开会", "2018-05-29T10:00:00+08:00", "2018-05-30", "2018年5月30日"},
                {"上周周五交的", friday, "2026-11-20", "2026年11月20日"},
                {"下个月31号", friday, "2026-12-31", "2026年12月31日"},
                {"the 31st of next month", friday, "2026-12-31", "31 December 2026"},
                {"the 2nd of last month", friday, "2026-10-02", "2 October 2026"},
                {"Wednesday in two weeks", friday, "2026-12-09", "9 December 2026"},
                {"Friday two weeks ago", friday, "2026-11-13", "13 November 2026"}});
}

TEST(TimeNotes, PF_25_a_day_that_the_month_does_not_have_is_no_other_day) {
  const Time january = parse_time("2027-01-30T10:00:00+08:00").value();
  for (const char* text : {"the 31st of next month", "下个月31号"})
    EXPECT_TRUE(find_time_expressions(text, january).empty()) << text;
  expect_notes({{"on the 31st of this month", "2027-01-30T10:00:00+08:00", "2027-01-31", "31 January 2027"},
                {"in the last 3 days", "2026-11-27T10:00:00+08:00", "2026-11-24/2026-11-27", "24 to 26 November 2026"},
                {"再过两周的周三", "2026-11-27T10:00:00+08:00", "2026-12-09", "2026年12月9日"}});
}

TEST(TimeNotes, PF_25_the_first_half_of_a_year_is_that_of_the_running_one) {
  expect_notes({{"上半年换了工作", "2026-11-27T10:00:00+08:00", "2026-01-01/2026-07-01", "2026年1月至6月"},
                {"上半年", "2026-11-27T10:00:00+08:00", "2026-01-01/2026-07-01", "2026年1月至6月"},
                {"下半年要搬家", "2026-03-05T10:00:00+08:00", "2026-07-01/2027-01-01", "2026年7月至12月"},
                {"去年上半年", "2026-03-05T10:00:00+08:00", "2025-01-01/2025-07-01", "2025年1月至6月"}});
}

TEST(TimeNotes, PF_25_an_hour_of_the_night_said_late_is_of_the_night_that_comes) {
  const char* const late = "2026-11-27T23:00:00+08:00";
  expect_notes({{"凌晨三点要赶飞机", late, "2026-11-28T03:00:00", "2026年11月28日"},
                {"凌晨三点出发", late, "2026-11-28T03:00:00", "2026年11月28日"},
                {"凌晨三点醒了", late, "2026-11-27T03:00:00", "2026年11月27日"},
                {"晚上八点见", "2026-11-27T10:00:00+08:00", "2026-11-27T20:00:00", "2026年11月27日"},
                {"早上要早起", late, "2026-11-28T04:00:00/2026-11-28T12:00:00", "2026年11月28日"}});
}

TEST(TimeNotes, PF_25_a_part_of_the_day_is_of_the_day_that_its_sentence_names) {
  const auto found = find_time_expressions("明天去看房，晚上八点回家", parse_time("2026-11-27T10:00:00+08:00").value());
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[1].value, "2026-11-28T20:00:00");
  EXPECT_EQ(found[1].notes, std::vector<std::string>{"2026年11月28日"});
}

TEST(TimeNotes, PF_25_leap_months_of_the_moon_are_months_of_their_own) {
  expect_notes({{"闰六月初三我们搬家", "2025-07-01T10:00:00+08:00", "2025-07-27", "2025年7月27日"},
                {"闰二月十五", "2023-03-01T10:00:00+08:00", "2023-04-05", "2023年4月5日"},
                {"闰四月初一", "2020-05-01T10:00:00+08:00", "2020-05-23", "2020年5月23日"},
                {"农历闰六月", "2025-07-01T10:00:00+08:00", "2025-07-25/2025-08-23", "2025年7月25日至8月22日"},
                {"农历2025年闰六月初三", "2026-11-27T10:00:00+08:00", "2025-07-27", ""},
                {"六月初三", "2025-06-01T10:00:00+08:00", "2025-06-27", "2025年6月27日"}});
}

TEST(TimeNotes, PF_25_halves_of_a_day_that_there_is_not_are_no_dates) {
  const Time spoken = parse_time("2026-10-10T10:00:00+08:00").value();
  for (const char* text : {"See you on the 30th of February.", "It was the 31st of April.", "on the 31 of June"})
    for (const TimeExpression& found : find_time_expressions(text, spoken))
      EXPECT_TRUE(found.notes.empty()) << shown(text, spoken, found);
  expect_notes({{"See you on the 28th of February.", "2026-10-10T10:00:00+08:00", "2027-02-28", "28 February 2027"},
                {"See you on the 30th.", "2026-10-10T10:00:00+08:00", "2026-10-30", "30 October 2026"}});
}

TEST(TimeNotes, PF_25_small_hours_of_tonight_are_those_of_the_night_that_comes) {
  const char* const at_night = "2026-11-18T23:00:00+08:00";
  expect_notes(
      {{"The match starts at 2 am tonight.", at_night, "2026-11-19T02:00:00", "02:00 on 19 November 2026"},
       {"今晚凌晨两点看球", at_night, "2026-11-19T02:00:00", "2026年11月19日凌晨2点"},
       {"It starts at 2 am tonight.", "2026-11-18T01:00:00+08:00", "2026-11-18T02:00:00", "02:00 on 18 November 2026"},
       {"It starts at 9 pm tonight.", "2026-11-18T10:00:00+08:00", "2026-11-18T21:00:00",
        "21:00 on 18 November 2026"}});
}

TEST(TimeNotes, PF_25_how_late_a_night_ended_is_told_of_the_night_that_is_over) {
  const char* const late = "2026-11-27T23:00:00+08:00";
  const char* const morning = "2026-11-27T10:00:00+08:00";
  expect_notes({{"我凌晨三点才睡", late, "2026-11-27T03:00:00", "2026年11月27日"},
                {"我凌晨三点才睡", morning, "2026-11-27T03:00:00", "2026年11月27日"},
                {"我凌晨三点才回来", late, "2026-11-27T03:00:00", "2026年11月27日"},
                {"我半夜两点才回家", late, "2026-11-27T02:00:00", "2026年11月27日"},
                {"晚上两点才睡", morning, "2026-11-27T02:00:00", "2026年11月27日"},
                {"凌晨三点睡的", late, "2026-11-27T03:00:00", "2026年11月27日"},
                {"凌晨三点叫醒我", late, "2026-11-28T03:00:00", "2026年11月28日"},
                {"飞机凌晨三点才到", late, "2026-11-28T03:00:00", "2026年11月28日"},
                {"我凌晨三点才能睡", late, "2026-11-28T03:00:00", "2026年11月28日"},
                {"我可能凌晨三点才回家", late, "2026-11-28T03:00:00", "2026年11月28日"},
                {"夜里两点回的家", late, "2026-11-27T02:00:00", "2026年11月27日"},
                {"我要凌晨三点才睡", late, "2026-11-28T03:00:00", "2026年11月28日"}});
  EXPECT_EQ(find_time_expressions("我凌晨三点才睡，明天要早起", parse_time(late).value()).front().value,
            "2026-11-27T03:00:00");
  EXPECT_TRUE(find_time_expressions("我平时凌晨三点才睡", parse_time(late).value()).front().notes.empty());
}

TEST(TimeNotes, PF_25_what_is_forbidden_in_a_part_of_the_day_has_no_date) {
  const char* const evening = "2026-11-27T18:00:00+08:00";
  for (const char* text : {"早上别吵", "我是护士，所以早上别吵", "晚上不要给我打电话", "请记住早上请勿打扰"})
    for (const TimeExpression& found : find_time_expressions(text, parse_time(evening).value()))
      EXPECT_TRUE(found.notes.empty()) << shown(text, parse_time(evening).value(), found);
  expect_notes({{"晚上别做饭了", evening, "2026-11-27T18:00:00/2026-11-28T00:00:00", "2026年11月27日"}});
}

TEST(TimeNotes, PF_25_small_hours_of_a_named_night_are_of_the_next_day) {
  const char* const morning = "2026-11-27T10:00:00+08:00";
  expect_notes({{"昨晚两点睡的", morning, "2026-11-27T02:00:00", "2026年11月27日凌晨2点"},
                {"昨晚四点才睡", morning, "2026-11-27T04:00:00", "2026年11月27日凌晨4点"},
                {"昨晚凌晨三点才睡", morning, "2026-11-27T03:00:00", "2026年11月27日凌晨3点"},
                {"昨天晚上半夜两点睡的", morning, "2026-11-27T02:00:00", "2026年11月27日凌晨2点"},
                {"昨晚0点30分睡的", morning, "2026-11-27T00:30:00", "2026年11月27日凌晨0点30分"},
                {"昨晚凌晨三点才睡", "2026-11-27T01:00:00+08:00", "2026-11-26T03:00:00", "2026年11月26日凌晨3点"},
                {"昨天凌晨两点睡的", morning, "2026-11-26T02:00:00", "2026年11月26日凌晨2点"},
                {"今晚两点看球", morning, "2026-11-28T02:00:00", "2026年11月28日凌晨2点"},
                {"今晚两点看球", "2026-11-27T00:30:00+08:00", "2026-11-27T02:00:00", "2026年11月27日凌晨2点"},
                {"昨晚一点半到三点", morning, "2026-11-27T01:30:00/2026-11-27T03:00:00", ""},
                {"每天晚上两点睡", morning, "T02", ""},
                {"每晚两点睡", morning, "T02", ""},
                {"每天晚上八点睡", morning, "T20", ""},
                {"每周五晚上一点", morning, "XXXX-WXX-6T01", ""},
                {"every night at 2 am", morning, "T02", ""},
                {"明晚一点有比赛", morning, "2026-11-29T01:00:00", "2026年11月29日凌晨1点"},
                {"今晚八点看球", morning, "2026-11-27T20:00:00", "2026年11月27日晚上8点"},
                {"I woke up at 2 am last night.", morning, "2026-11-27T02:00:00", "02:00 on 27 November 2026"},
                {"I woke up at 11 pm last night.", morning, "2026-11-26T23:00:00", "23:00 on 26 November 2026"}});
}

TEST(TimeNotes, PF_25_opening_hours_have_no_date) {
  const Time spoken = parse_time("2026-11-27T10:00:00+08:00").value();
  for (const char* text : {"Our shop is open Mon-Fri 9-5.",
                           "I work Mon-Thu 8-4.",
                           "Open Monday to Friday, 9am to 5pm",
                           "9-5 Mon-Fri",
                           "Mon\u2013Fri: 9am\u20135pm",
                           "We're open Sat 10-2.",
                           "I work Mon, Wed and Fri.",
                           "Classes are Tue/Thu 10-11.",
                           "weekdays 9-5",
                           "every Monday to Friday",
                           "周一到周五9点到5点上班",
                           "周一至周五 9:00-17:00",
                           "每周一到周五上班",
                           "营业时间：周一至周日 08:00-20:00",
                           "周一到周五上午9点到下午5点",
                           "周一、周三、周五上课",
                           "周一三五跑步",
                           "周六周日休息",
                           "The gym is closed on Monday.",
                           "Hours: Mon-Fri 8:30-17:30, Sat 10-14",
                           "Mon 9-5, Tue 9-5",
                           "周一、三、五上课"})
    for (const TimeExpression& found : find_time_expressions(text, spoken))
      EXPECT_TRUE(found.notes.empty()) << shown(text, spoken, found);
}

TEST(TimeNotes, PF_25_what_is_so_every_week_has_no_date) {
  const Time spoken = parse_time("2026-11-27T10:00:00+08:00").value();
  for (const char* text : {"每周日我去看奶奶", "周日我一般去爬山", "我周日通常在家", "周日，我们一般回老家",
                           "我们店周日休息", "周日我都去教堂", "我周日不上班", "春节我们一般回老家", "周日是我的休息日",
                           "I run on Sundays.", "We usually meet on Monday.", "On Sunday we normally go hiking.",
                           "Sunday is laundry day.", "Wednesday is my day off.", "I always call my mother on Sunday."})
    for (const TimeExpression& found : find_time_expressions(text, spoken))
      EXPECT_TRUE(found.notes.empty()) << shown(text, spoken, found);
}

TEST(TimeNotes, PF_25_lengths_and_limits_are_no_dates) {
  const Time spoken = parse_time("2026-11-27T10:00:00+08:00").value();
  for (const char* text :
       {"We finished the course in under two hours.", "I ran it in under two hours", "Reply within three days.",
        "It takes two weeks.", "The build runs in 5 minutes flat.", "The build runs in 14 minutes.", "三天内回复",
        "两小时以内", "一周内完成", "一个月之内", "不到三天", "You can learn it in three months.",
        "no more than two weeks", "He is 7 years old.", "at least 3 days", "in less than a week",
        "Bread bakes in 30 minutes."})
    for (const TimeExpression& found : find_time_expressions(text, spoken))
      EXPECT_TRUE(found.notes.empty()) << shown(text, spoken, found);
  expect_notes({{"I'll be back in two weeks.", "2026-11-27T10:00:00+08:00", "2026-12-11", "around 11 December 2026"},
                {"The flight leaves in three days.", "2026-11-27T10:00:00+08:00", "2026-11-30", "30 November 2026"}});
}

TEST(TimeNotes, PF_25_names_with_words_of_time_are_no_times) {
  const Time spoken = parse_time("2026-11-27T10:00:00+08:00").value();
  for (const char* text : {"I live on Christmas Island.",
                           "We went to Easter Island.",
                           "I read the Thursday Murder Club.",
                           "a book by the Thursday Murder Club author",
                           "My cat is called Monday.",
                           "We have a cat named Tuesday.",
                           "I live at 5/12 High Street.",
                           "I live in June Lake.",
                           "He lives on Summer Street.",
                           "Her name is Summer.",
                           "We watched Wednesday on Netflix.",
                           "I like the film Friday.",
                           "He sang the song Yesterday.",
                           "We stayed at the Friday Harbor Inn",
                           "I work at Sunday River Resort.",

                           "She lives on 42nd Street.",
                           "I met April at May Hall.",
                           "i live on easter island",

                           "我在八一中学上学。",
                           "我住在元旦小区三号楼。",
                           "我在六一幼儿园上班。",
                           "我爱看八月照相馆。",
                           "我家在国庆路。",
                           "五一广场在长沙。",
                           "他住在五四大街。",
                           "我的猫叫周一。",
                           "我哥叫国庆。",
                           "我喜欢电影后天。",
                           "住在国庆酒店",
                           "我在看后天",
                           "我的网名是明天",
                           "My dog Sunday is old.",
                           "My parrot, Friday, bites.",
                           "My son is called Rob and my dog Sunday.",
                           "We saw Black Friday the film.",
                           "I work at the Easter Bunny cafe.",
                           "我在国庆路上班。",
                           "三月街在大理。",
                           "我去了七夕酒店。",
                           "I saw The Day After Tomorrow.",
                           "I love Good Friday by Kanye.",
                           "Good Friday by Kanye is great.",
                           "March, Cambridgeshire is a small town.",
                           "I was listening to Friday by Rebecca Black.",
                           "Friday by Rebecca Black is a joke.",
                           "I read April by Mary Jones.",
                           "I live in March, Cambridgeshire.",
                           "I live in March, England, with my cat.",
                           "I was born in March, Cambs and grew up in Ely.",
                           "I grew up in Christmas, Florida.",
                           "My aunt is from May, Oklahoma.",
                           "I love the song Sunday Morning.",
                           "我弟弟小名中秋",
                           "中秋是我弟弟",
                           "五一南路堵车",
                           "我在三月书店买书"})
    for (const TimeExpression& found : find_time_expressions(text, spoken))
      EXPECT_TRUE(found.notes.empty()) << shown(text, spoken, found);
}

TEST(TimeNotes, PF_25_times_beside_words_for_places_stay_times) {
  const char* const friday = "2026-11-27T10:00:00+08:00";
  expect_notes({{"She called Monday to cancel.", friday, "2026-11-23", "23 November 2026"},
                {"The May 5 street party was fun.", friday, "2026-05-05", "5 May 2026"},
                {"Christmas dinner is at home.", friday, "2026-12-25", ""},
                {"The parcel comes Friday by UPS.", friday, "2026-12-04", "4 December 2026"},
                {"It was released on Good Friday by Kanye.", friday, "2026-04-03", "3 April 2026"},
                {"I have to finish it by Friday by Zoom.", friday, "../2026-12-04", "4 December 2026"},
                {"See Ann on Friday by Kings Cross.", friday, "2026-12-04", "4 December 2026"},
                {"On Sunday, Wales and Ireland play.", friday, "2026-11-29", "29 November 2026"},
                {"We moved in March, 2026.", friday, "2026-03-01/2026-04-01", ""},
                {"We marry on March, the 3rd.", friday, "2027-03-03", "3 March 2027"},
                {"We spend Christmas by Lake Geneva.", friday, "2026-12-25", "25 December 2026"},
                {"The wedding is in June, Devon.", friday, "2027-06-01/2027-07-01", "June 2027"},
                {"In March, Cambridgeshire was flooded.", friday, "2026-03-01/2026-04-01", "March 2026"},
                {"We married in March, Texas was hot.", friday, "2026-03-01/2026-04-01", "March 2026"},
                {"明天学校开会", friday, "2026-11-28", "2026年11月28日"},
                {"国庆假期要去日本", "2026-09-01T10:00:00+08:00", "2026-10-01", "2026年10月1日"},
                {"国庆路上堵车", "2026-09-01T10:00:00+08:00", "2026-10-01", "2026年10月1日"},
                {"后天医院复查", friday, "2026-11-29", "2026年11月29日"}});
}

TEST(TimeNotes, PF_25_past_forms_that_are_the_base_form_tell_of_the_past) {
  const char* const friday = "2026-11-27T10:00:00Z";
  expect_notes({{"I quit on Monday.", friday, "2026-11-23", "23 November 2026"},
                {"I read the book on Tuesday.", friday, "2026-11-24", "24 November 2026"},
                {"Ann put it on the shelf on Monday.", friday, "2026-11-23", "23 November 2026"},
                {"My sister put the house up for sale in March.", friday, "2026-03-01/2026-04-01", "March 2026"},
                {"The team beat us on Saturday.", friday, "2026-11-21", "21 November 2026"},
                {"They split up in March.", friday, "2026-03-01/2026-04-01", "March 2026"},
                {"It cost 40 euros on Friday.", friday, "2026-11-20", "20 November 2026"},
                {"We moved to Bern in January.", friday, "2026-01-01/2026-02-01", "January 2026"},
                {"Moved to Bern in January.", friday, "2026-01-01/2026-02-01", "January 2026"},
                {"I'll quit on Monday.", friday, "2026-11-30", "30 November 2026"},
                {"I want to quit on Monday.", friday, "2026-11-30", "30 November 2026"},
                {"Can you read it on Tuesday?", friday, "2026-12-01", "1 December 2026"},
                {"If they quit on Monday, call me.", friday, "2026-11-30", "30 November 2026"},
                {"I set the date for Monday.", friday, "2026-11-30", "30 November 2026"},
                {"我二月结婚了", friday, "2026-02-01/2026-03-01", "2026年2月"},
                {"我们二月搬家了。", friday, "2026-02-01/2026-03-01", "2026年2月"},
                {"我二月结婚", friday, "2027-02-01/2027-03-01", "2027年2月"}});
  const auto open = find_time_expressions("Quit on Monday.", parse_time(friday).value());
  ASSERT_EQ(open.size(), 1u);
  EXPECT_EQ(open.front().notes, (std::vector<std::string>{"23 November 2026", "30 November 2026"}));
}

TEST(TimeNotes, PF_25_parts_of_a_month_or_year_that_an_amount_ends_in) {
  const char* const friday = "2026-11-27T10:00:00Z";
  expect_notes({{"两个月后的1号", friday, "2027-01-01", "2027年1月1日"},
                {"两个月后的15号我们搬家", friday, "2027-01-15", "2027年1月15日"},
                {"两个月前的1号", friday, "2026-09-01", "2026年9月1日"},
                {"两年后的5月", friday, "2028-05-01/2028-06-01", "2028年5月"}});
}

TEST(TimeNotes, PF_25_what_is_done_each_week_and_days_of_each_year_have_no_date) {
  const Time spoken = parse_time("2026-11-27T10:00:00Z").value();
  for (const char* text : {"我周三踢足球", "周二我上瑜伽课", "周六我打篮球", "I play football on Wednesdays",
                           "I play football on Wednesday.", "She swims on Tuesday.", "我的生日是5月3日",
                           "我妈妈的生日是10月12日", "我们的结婚纪念日是6月12日", "5月3日是我的生日", "我5月3日过生日",
                           "My birthday is May 3.", "My birthday is on 3 May.", "My birthday is in May.",
                           "Our anniversary is June 12.", "May 3 is my birthday.", "I was born on May 3."})
    for (const TimeExpression& found : find_time_expressions(text, spoken))
      EXPECT_TRUE(found.notes.empty()) << shown(text, spoken, found);
  const char* const friday = "2026-11-27T10:00:00Z";
  expect_notes({{"我周三要踢足球", friday, "2026-12-02", "2026年12月2日"},
                {"我周三踢了足球", friday, "2026-11-25", "2026年11月25日"},
                {"We will play on Wednesday.", friday, "2026-12-02", "2 December 2026"},
                {"I fly to Rome on Wednesday.", friday, "2026-12-02", "2 December 2026"},
                {"My birthday party is on May 3.", friday, "2027-05-03", "3 May 2027"},
                {"My birthday is next Friday.", friday, "2026-12-04", "4 December 2026"},
                {"我们的会议是5月3日", friday, "2027-05-03", "2027年5月3日"}});
}

}  // namespace
}  // namespace weft
