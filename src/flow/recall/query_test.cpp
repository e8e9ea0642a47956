#include "flow/recall/query.h"

#include <gtest/gtest.h>

#include <string>

#include "ports/index/scope_index.h"

namespace weft {
namespace {

std::vector<NamedDays> named_days(std::string_view text) { return days_asked(text, {}).named; }
std::vector<DayRange> relative_days(std::string_view text, Time now) { return days_asked(text, now).relative; }

NamedDays day(int month, int of_month, std::optional<int> year = std::nullopt) {
  return {year, month, of_month, month, of_month};
}
NamedDays days(int month, int from, int to, std::optional<int> year = std::nullopt) {
  return {year, month, from, month, to};
}
NamedDays whole_year(int year) { return {year, 1, 1, 12, 31}; }
using Named = std::vector<NamedDays>;

TEST(NamedDays, PF_4_english_dates) {
  EXPECT_EQ(named_days("What happened on 17 December 2022?"), Named{day(12, 17, 2022)});
  EXPECT_EQ(named_days("the party of May 3rd"), Named{day(5, 3)});
  EXPECT_EQ(named_days("on the 3rd of May, 2021"), Named{day(5, 3, 2021)});
  EXPECT_EQ(named_days("December 17, 2022"), Named{day(12, 17, 2022)});
  EXPECT_EQ(named_days("What did we do in March?"), Named{days(3, 1, 31)});
  EXPECT_EQ(named_days("plans for September 2024"), Named{days(9, 1, 31, 2024)});
  EXPECT_EQ(named_days("since 2021"), Named{whole_year(2021)});
  EXPECT_EQ(named_days("by 2025-01-18 at noon"), Named{day(1, 18, 2025)});
}

TEST(NamedDays, PF_4_open_ends_and_stretches_name_their_days) {
  EXPECT_EQ(named_days("since March 2021"), Named{days(3, 1, 31, 2021)});
  EXPECT_EQ(named_days("until May 5"), Named{day(5, 5)});
  EXPECT_EQ(named_days("Who came between August 11 and August 15 2023?"), Named{days(8, 11, 15, 2023)});
  EXPECT_EQ(named_days("the first half of September 2022"), Named{days(9, 1, 31, 2022)}) << "told from memory";
  // What depends on the moment of asking names no day by itself.
  for (const char* text :
       {"yesterday", "last week", "next year", "last Christmas", "this summer", "三天前", "去年国庆"})
    EXPECT_TRUE(named_days(text).empty()) << text;
}

TEST(NamedDays, PF_4_chinese_dates) {
  EXPECT_EQ(named_days("2025年1月18日去了哪里"), Named{day(1, 18, 2025)});
  EXPECT_EQ(named_days("3月20日通勤"), Named{day(3, 20)});
  EXPECT_EQ(named_days("3月20号通勤"), Named{day(3, 20)});
  EXPECT_EQ(named_days("1月中旬和四月上旬"), (Named{days(1, 11, 20), days(4, 1, 10)}));
  EXPECT_EQ(named_days("十一月初说的"), Named{days(11, 1, 10)});
  EXPECT_EQ(named_days("5月份的聚会"), Named{days(5, 1, 31)});
  EXPECT_EQ(named_days("2024年的旅行"), Named{whole_year(2024)});
}

TEST(NamedDays, PF_4_words_that_look_like_months_are_left_out) {
  EXPECT_TRUE(named_days("May I ask? You may march on.").empty());
  EXPECT_TRUE(named_days("a mar malade jar and 13 of them").empty());
  EXPECT_TRUE(named_days("这一个月和几个月前的岁月").empty());
  EXPECT_TRUE(named_days("version 2024.99.7, 40月").empty());
  EXPECT_TRUE(named_days("").empty());
}

TEST(NamedDays, mean_every_year_that_is_there_unless_one_is_named) {
  const auto first = day_number(2023, 6, 1), last = day_number(2025, 3, 1);
  EXPECT_EQ(day_ranges(day(5, 3), first, last),
            (std::vector<DayRange>{{day_number(2024, 5, 3), day_number(2024, 5, 3)}}));
  EXPECT_EQ(day_ranges(days(2, 1, 31), first, last).size(), 2u);
  EXPECT_EQ(day_ranges(days(2, 1, 31, 2024), first, last)[0].to, day_number(2024, 2, 29));
  EXPECT_TRUE(day_ranges(day(5, 3, 2020), first, last).empty());
}

TEST(RelativeDays, PF_4_are_counted_from_now) {
  const Time now = *parse_time("2026-03-01T09:30:00+08:00");  // a Sunday
  const auto today = day_number(2026, 3, 1);
  EXPECT_EQ(relative_days("What did I say yesterday?", now), (std::vector<DayRange>{{today - 1, today - 1}}));
  EXPECT_EQ(relative_days("昨天说了什么", now), (std::vector<DayRange>{{today - 1, today - 1}}));
  EXPECT_EQ(relative_days("last week", now),
            (std::vector<DayRange>{{day_number(2026, 2, 16), day_number(2026, 2, 22)}}));
  EXPECT_EQ(relative_days("上个月", now), (std::vector<DayRange>{{day_number(2026, 2, 1), day_number(2026, 2, 28)}}));
  EXPECT_EQ(relative_days("last year", now),
            (std::vector<DayRange>{{day_number(2025, 1, 1), day_number(2025, 12, 31)}}));
  EXPECT_TRUE(relative_days("What did I say?", now).empty());
}

TEST(RelativeDays, PF_4_what_is_told_in_coarse_units_is_meant_coarsely) {
  const Time now = *parse_time("2026-03-18T09:30:00+08:00");  // a Wednesday
  const auto today = day_number(2026, 3, 18);
  const auto around = [](std::int32_t day, std::int32_t margin) {
    return std::vector<DayRange>{{day - margin, day + margin}};
  };
  EXPECT_EQ(relative_days("What did I cook three days ago?", now), around(today - 3, 1));
  EXPECT_EQ(relative_days("三天前我做了什么菜？", now), around(today - 3, 1));
  EXPECT_EQ(relative_days("Who called two weeks ago?", now), around(today - 14, 3));
  EXPECT_EQ(relative_days("the trip of two months ago", now), around(day_number(2026, 1, 18), 15));
  EXPECT_EQ(relative_days("前天的会", now), around(today - 2, 0));
  EXPECT_EQ(relative_days("What happened last Tuesday?", now).size(), 1u);
  const auto past = relative_days("in the past ten days", now);
  ASSERT_EQ(past.size(), 1u);
  EXPECT_LE(past[0].from, today - 9);
  EXPECT_GE(past[0].to, today - 1);
}

TEST(RelativeDays, PF_4_what_is_to_come_and_what_is_named_is_left_out) {
  const Time now = *parse_time("2026-03-18T09:30:00+08:00");
  EXPECT_TRUE(relative_days("What are we doing next week?", now).empty());
  EXPECT_TRUE(relative_days("Who came on 3 May?", now).empty()) << "a named day is found as such";
  EXPECT_TRUE(relative_days("What is due now?", now).empty());
}

TEST(NamedDays, PF_4_parts_of_months) {
  EXPECT_EQ(named_days("the party in early May"), Named{days(5, 1, 10)});
  EXPECT_EQ(named_days("in mid March 2024"), Named{days(3, 10, 20, 2024)});
  EXPECT_EQ(named_days("the end of October"), Named{days(10, 21, 31)});
}

TEST(DayNumber, agrees_with_the_calendar_of_times) {
  EXPECT_EQ(day_number(1970, 1, 1), 0);
  EXPECT_EQ(day_number(2000, 3, 1) - day_number(2000, 2, 28), 2);
  EXPECT_EQ(day_number(1900, 3, 1) - day_number(1900, 2, 28), 1);
  for (const char* text : {"2024-02-29T12:00:00Z", "1969-12-31T23:59:00Z", "2025-12-31T00:00:00Z"}) {
    const Time time = *parse_time(text);
    const int year = std::stoi(std::string(text).substr(0, 4));
    EXPECT_EQ(year_of_day(day_of(time)), year) << text;
    EXPECT_EQ(day_of(time),
              day_number(year, std::stoi(std::string(text).substr(5, 2)), std::stoi(std::string(text).substr(8, 2))))
        << text;
  }
  EXPECT_EQ(day_of(*parse_time("2026-03-01T01:00:00+08:00")), day_number(2026, 3, 1)) << "the day where it was said";
}

constexpr std::int64_t kMinute = 60'000;
constexpr Time kNow{1'773'835'200'000, 60};

RecallQuery asked(const std::string& text, std::optional<Time> now) {
  RecallQuery query;
  query.text = text;
  query.now = now;
  return query;
}

TEST(QuestionReadings, MS_5_the_searches_of_one_prompt_read_their_question_once) {
  QuestionReadings questions;
  const auto first = questions.read(asked("What did I cook yesterday?", kNow));
  EXPECT_EQ(questions.read(asked("What did I cook yesterday?", Time{kNow.ms + 900, 60})), first);
  EXPECT_EQ(first->ranges, read_query(asked("What did I cook yesterday?", kNow)).ranges);
  EXPECT_FALSE(first->ranges.empty());
}

TEST(QuestionReadings, MS_5_what_would_be_read_otherwise_is_read_anew) {
  QuestionReadings questions;
  const auto first = questions.read(asked("昨天做了什么菜？", kNow));
  EXPECT_NE(questions.read(asked("昨天做了什么菜", kNow)), first);
  EXPECT_NE(questions.read(asked("昨天做了什么菜？", Time{kNow.ms + kMinute, 60})), first);
  EXPECT_NE(questions.read(asked("昨天做了什么菜？", Time{kNow.ms, 0})), first);
  EXPECT_NE(questions.read(asked("昨天做了什么菜？", {})), first);
  EXPECT_TRUE(questions.read(asked("昨天做了什么菜？", {}))->ranges.empty());
}

TEST(QuestionReadings, PF_5_few_are_kept_and_none_after_forgetting) {
  QuestionReadings questions;
  const auto first = questions.read(asked("Where is the red bicycle?", kNow));
  for (int i = 0; i < 20; ++i) questions.read(asked("Where is bicycle " + std::to_string(i) + "?", kNow));
  EXPECT_EQ(first.use_count(), 1);
  const auto last = questions.read(asked("Where is the red bicycle?", kNow));
  questions.clear();
  EXPECT_EQ(last.use_count(), 1);
}

}  // namespace

}  // namespace weft
