#include <gtest/gtest.h>
#include <random>
#include <string>

#include "tests/support/large_text.h"
#include "text/time_expressions.h"
#include "text/utf8.h"

namespace weft {

namespace {

/// Thursday, 5 March 2026, three in the afternoon in China.
Time spoken() { return parse_time("2026-03-05T15:00:00+08:00").value(); }

struct Case {
  const char* text;
  const char* words;  ///< the expression; empty: the whole text
  const char* value;
};

void expect_values(const std::vector<Case>& cases, Time when) {
  for (const Case& one : cases) {
    const std::string text = one.text;
    const auto found = find_time_expressions(text, when);
    ASSERT_FALSE(found.empty()) << text;
    const std::string words = *one.words == 0 ? text : one.words;
    const TimeExpression* match = nullptr;
    for (const auto& expression : found) {
      if (text.substr(expression.begin, expression.end - expression.begin) == words) match = &expression;
    }
    ASSERT_NE(match, nullptr) << text << ": " << text.substr(found[0].begin, found[0].end - found[0].begin);
    EXPECT_EQ(match->value, one.value) << text;
  }
}

TEST(TimeExpressions, CM_4_english_days_count_from_the_day_of_speaking) {
  expect_values({{"yesterday", "", "2026-03-04"},
                 {"the day before yesterday", "", "2026-03-03"},
                 {"We met three days ago.", "three days ago", "2026-03-02"},
                 {"last Friday", "", "2026-02-27"},
                 {"next Friday", "", "2026-03-13"},
                 {"see you on Friday", "on Friday", "2026-03-06"},
                 {"I saw him on Friday", "on Friday", "2026-02-27"},
                 {"in two weeks", "", "2026-03-19"},
                 {"the first Monday of April", "", "2026-04-06"},
                 {"on 3 May 2027", "", "2027-05-03"}},
                spoken());
}

TEST(TimeExpressions, CM_4_a_day_without_a_month_is_of_the_month_that_the_sentence_has_named) {
  expect_values({{"We went to Lisbon in September, back on the 21st.", "on the 21st", "2025-09-21"},
                 {"I leave on 28 May and come back on the 3rd.", "on the 3rd", "2026-06-03"},
                 {"In June I am away, from home on the 9th.", "on the 9th", "2026-06-09"},
                 {"I was in Rome in May. Lunch is on the 21st.", "on the 21st", "2026-03-21"},
                 {"九月去了里斯本，21号回来的", "21号", "2025-09-21"},
                 {"五月出差，21号回来", "21号", "2026-05-21"},
                 {"五月要去里斯本。21号开会", "21号", "2026-03-21"}},
                spoken());
}

TEST(TimeExpressions, CM_4_english_days_are_counted_from_other_days) {
  expect_values({{"a week on Friday", "", "2026-03-13"},
                 {"We meet Friday week.", "Friday week", "2026-03-13"},
                 {"a week ago yesterday", "", "2026-02-25"},
                 {"two weeks ago on Monday", "", "2026-02-16"},
                 {"the Monday before Christmas", "", "2026-12-21"},
                 {"the week after Easter", "", "2026-04-06/2026-04-13"},
                 {"Labor Day weekend", "", "2026-09-04T18:00:00/2026-09-08T00:00:00"},
                 {"the first two weeks of July", "", "2026-07-01/2026-07-15"},
                 {"the last three days of March", "", "2026-03-29/2026-04-01"},
                 {"this time next year", "", "2027-03-05"},
                 {"in three months' time", "", "2026-06-05"},
                 {"I have been ill since Monday.", "since Monday", "2026-03-02/.."},
                 {"the early nineties", "", "1990-01-01/1993-01-01"},
                 {"FY25", "", "2025-01-01/2026-01-01"},
                 {"at 1430 hours", "", "2026-03-06T14:30:00"},
                 {"St. David's Day", "", "2027-03-01"},
                 {"the second Sunday of Advent", "", "2026-12-06"}},
                spoken());
}

TEST(TimeExpressions, CM_4_english_repetitions_of_days_and_parts_of_them) {
  expect_values({{"every second week", "", "P2W"},
                 {"every third day", "", "P3D"},
                 {"three times a month", "", "P1M"},
                 {"every Sunday morning", "", "XXXX-WXX-7TMO"}},
                spoken());
}

TEST(TimeExpressions, CM_4_chinese_days_are_counted_from_other_days) {
  expect_values({{"去年的今天", "", "2025-03-05"},
                 {"一周后的今天", "", "2026-03-12"},
                 {"三周后的周二", "", "2026-03-24"},
                 {"从明天起三天", "", "2026-03-06/2026-03-09"},
                 {"上半月", "", "2026-03-01/2026-03-16"},
                 {"周初", "", "2026-03-02/2026-03-05"},
                 {"年内", "", "2026-03-05/2027-01-01"},
                 {"三季度", "", "2026-07-01/2026-10-01"},
                 {"每隔一天", "", "P2D"},
                 {"隔周", "", "P2W"},
                 {"每年十月", "", "XXXX-10"},
                 {"国庆假期", "", "2026-10-01"}},
                spoken());
}

TEST(TimeExpressions, CM_4_chinese_days_count_from_the_day_of_speaking) {
  expect_values({{"昨天", "", "2026-03-04"},
                 {"大前天", "", "2026-03-02"},
                 {"上周五", "", "2026-02-27"},
                 {"下周一开会", "下周一", "2026-03-09"},
                 {"三天前", "", "2026-03-02"},
                 {"下个月三号下午", "", "2026-04-03T12:00:00/2026-04-03T18:00:00"},
                 {"月底", "", "2026-03-21/2026-04-01"},
                 {"上個月", "", "2026-02-01/2026-03-01"},
                 {"2025年3月", "", "2025-03-01/2025-04-01"},
                 {"五月第二个星期日", "", "2026-05-10"}},
                spoken());
}

TEST(TimeExpressions, CM_4_clock_times_take_the_part_of_the_day_into_account) {
  expect_values({{"tomorrow at half past nine", "", "2026-03-06T09:30:00"},
                 {"a quarter to seven tomorrow evening", "", "2026-03-06T18:45:00"},
                 {"at 5pm", "", "2026-03-05T17:00:00"},
                 {"明天下午三点半", "", "2026-03-06T15:30:00"},
                 {"今晚8点", "", "2026-03-05T20:00:00"},
                 {"差五分八点", "", "2026-03-05T19:55:00"},
                 {"from 5 to 6pm", "", "2026-03-05T17:00:00/2026-03-05T18:00:00"}},
                spoken());
}

TEST(TimeExpressions, CM_4_durations_and_repetitions_have_no_moment) {
  expect_values({{"three days", "", "P3D"},
                 {"an hour and a half", "", "PT1.5H"},
                 {"两个半小时", "", "PT2.5H"},
                 {"1 year 2 months", "", "P1Y2M"},
                 {"every Monday at 4pm", "", "XXXX-WXX-1T16"},
                 {"每天", "", "P1D"},
                 {"每周一", "", "XXXX-WXX-1"}},
                spoken());
  for (const char* text : {"three days", "每周一"}) {
    const auto found = find_time_expressions(text, spoken());
    ASSERT_EQ(found.size(), 1U);
    EXPECT_FALSE(found[0].relative);
    EXPECT_FALSE(found[0].from_ms.has_value());
    EXPECT_TRUE(found[0].absolute.empty());
  }
}

TEST(TimeExpressions, CM_4_stretches_have_an_exclusive_end_or_none) {
  expect_values({{"July 13 to 15", "", "2026-07-13/2026-07-16"},
                 {"since 2014", "", "2014-01-01/.."},
                 {"before 3 May 2027", "", "../2027-05-03"},
                 {"三月二十日到四月二日", "", "2026-03-20/2026-04-03"},
                 {"2010年之前", "", "../2010-01-01"}},
                spoken());
}

TEST(TimeExpressions, CM_4_holidays_of_the_sun_and_of_the_moon) {
  expect_values({{"Christmas", "", "2026-12-25"},
                 {"Thanksgiving 2027", "", "2027-11-25"},
                 {"Easter 2027", "", "2027-03-28"},
                 {"国庆节", "", "2026-10-01"},
                 {"中秋节", "", "2026-09-25"},
                 {"去年春节", "", "2025-01-29"},
                 {"2026年除夕", "", "2026-02-16"},
                 {"清明", "", "2026-04-05"}},
                spoken());
}

TEST(TimeExpressions, CM_4_the_chinese_calendar_is_right_at_midnight_and_in_leap_years) {
  expect_values({{"2027年春节", "", "2027-02-06"},
                 {"2026年除夕", "", "2026-02-16"},
                 {"2030年春节", "", "2030-02-03"},
                 {"1900年春节", "", "1900-01-31"},
                 {"2023年中秋节", "", "2023-09-29"},  // after a leap month
                 {"2034年元宵节", "", "2034-03-05"},  // after the leap month that many tables misplace
                 {"2024年清明", "", "2024-04-04"},
                 {"2023年冬至", "", "2023-12-22"},
                 {"2025年立春", "", "2025-02-03"},
                 {"腊月", "", "2027-01-08/2027-02-06"},
                 {"2026年龙抬头", "", "2026-03-20"}},
                spoken());
}

TEST(TimeExpressions, CM_4_feasts_that_follow_sun_moon_and_laws) {
  expect_values({{"Diwali 2024", "", "2024-10-31"},
                 {"Diwali 2013", "", "2013-11-03"},
                 {"Dhanteras 2021", "", "2021-11-02"},
                 {"Karva Chauth 2022", "", "2022-10-13"},
                 {"Holi 2024", "", "2024-03-25"},
                 {"Ganesh Chaturthi 2023", "", "2023-09-19"},
                 {"2022年排灯节", "", "2022-10-24"},
                 {"tax day 2023", "", "2023-04-18"},
                 {"Super Tuesday 2024", "", "2024-03-05"},
                 {"Yom HaShoah 2022", "", "2022-04-27"},
                 {"King's Day 2025", "", "2025-04-26"}},
                spoken());
}

TEST(TimeExpressions, CM_4_days_that_churches_states_and_peoples_keep) {
  expect_values({{"Epiphany 2027", "", "2027-01-06"},
                 {"Immaculate Conception 2026", "", "2026-12-08"},
                 {"2026年圣母升天节", "", "2026-08-15"},
                 {"2027年耶稣复活节", "", "2027-03-28"},
                 {"World Mental Health Day 2026", "", "2026-10-10"},
                 {"2026年国际和平日", "", "2026-09-21"},
                 {"Canadian Thanksgiving 2026", "", "2026-10-12"},
                 {"2026年双亲节", "", "2026-07-26"}},
                spoken());
}

TEST(TimeExpressions, CM_4_lengths_count_from_the_day_they_name) {
  expect_values({{"three days from tomorrow", "", "2026-03-09"},
                 {"two weeks from Friday", "", "2026-03-20"},
                 {"two weeks starting on 9 March 2026", "", "2026-03-09/2026-03-23"},
                 {"by the end of next month", "", "2026-03-05T15:00:00/2026-05-01T00:00:00"}},
                spoken());
}

TEST(TimeExpressions, CM_4_dates_with_dashes_and_years_behind_the_clock) {
  expect_values({{"5-8-2027", "", "2027-05-08"},
                 {"2027-5-8", "", "2027-05-08"},
                 {"Apr-9", "", "2026-04-09"},
                 {"Fri Mar 6 09:15:00 2026", "", "2026-03-06T09:15:00"},
                 {"the two thousands", "", "2000-01-01/2010-01-01"},
                 {"last week from Monday to Wednesday", "", "2026-02-23/2026-02-26"},
                 {"Monday 10-3", "", "2026-03-09T10:00:00/2026-03-09T15:00:00"}},
                spoken());
}

TEST(TimeExpressions, CM_4_ends_halves_and_neighbours) {
  expect_values({{"年底前", "", "../2027-01-01"},
                 {"四月底之前", "", "../2026-05-01"},
                 {"the second half of March", "", "2026-03-16/2026-04-01"},
                 {"the day after Thanksgiving", "", "2026-11-27"},
                 {"the day before Easter", "", "2026-04-04"},
                 {"the weekend after next", "", "2026-03-21/2026-03-23"},
                 {"two weekends ago", "", "2026-02-21/2026-02-23"},
                 {"year to date", "", "2026-01-01/2026-03-06"},
                 {"this past Monday", "", "2026-03-02"},
                 {"every weekend", "", "XXXX-WXX-WE"},
                 {"每个周末", "", "XXXX-WXX-WE"}},
                spoken());
}

TEST(TimeExpressions, CM_4_seasons_working_days_and_nearness) {
  expect_values({{"two summers ago", "", "2024-06-21/2024-09-24"},
                 {"the winter before last", "", "2023-12-21/2024-03-21"},
                 {"next season", "", "2026-03-21/2026-06-21"},
                 {"the summer of '69", "", "1969-06-21/1969-09-24"},
                 {"the last business day of the month", "", "2026-03-31"},
                 {"the penultimate Friday of May", "", "2026-05-22"},
                 {"the first weekend of May", "", "2026-05-02/2026-05-04"},
                 {"the third closest Monday to May 5", "", "2026-04-27"},
                 {"less than 3 days after tomorrow", "", "2026-03-06/2026-03-09"},
                 {"15 to noon", "", "2026-03-06T11:45:00"},
                 {"Christmas week", "", "2026-12-21/2026-12-28"},
                 {"Inauguration Day 2025", "", "2025-01-20"},
                 {"Earth Hour 2024", "", "2024-03-23T20:30:00/2024-03-23T21:30:00"},
                 {"Maghi 2019", "", "2019-01-15"}},
                spoken());
}

TEST(TimeExpressions, CM_4_what_is_open_to_one_side) {
  expect_values({{"June 5 or later", "", "2026-06-05/.."},
                 {"not before Monday", "", "2026-03-09/.."},
                 {"not later than Friday", "", "../2026-03-06"},
                 {"through Friday", "", "../2026-03-07"},
                 {"as late as 2017", "", "../2018-01-01"},
                 {"Friday at the latest", "", "../2026-03-07"},
                 {"throughout March", "", "2026-03-01/2026-04-01"},
                 {"We fix it before summer.", "before summer", "../2026-06-21"}},
                spoken());
}

TEST(TimeExpressions, CM_4_chinese_days_beside_feasts_and_short_years) {
  expect_values({{"2月10日那一周", "", "2027-02-08/2027-02-15"},
                 {"元旦前一天", "", "2026-12-31"},
                 {"春节前三天", "", "2027-02-03/2027-02-06"},
                 {"明天这个时候", "", "2026-03-06T15:00:00"},
                 {"后半月", "", "2026-03-16/2026-04-01"},
                 {"19年5月3日", "", "2019-05-03"},
                 {"18年底", "", "2018-09-01/2019-01-01"},
                 {"三百年前", "", "1726-03-05"},
                 {"七点差一刻", "", "2026-03-05T18:45:00"},
                 {"每年春节", "", "P1Y"},
                 {"20世纪末", "", "1967-01-01/2000-01-01"},
                 {"2024年地球一小时", "", "2024-03-23T20:30:00/2024-03-23T21:30:00"}},
                spoken());
}

TEST(TimeExpressions, CM_4_small_hours_and_numbers_with_hyphens) {
  expect_values({{"昨天夜里两点", "", "2026-03-05T02:00:00"},
                 {"差一刻九点", "", "2026-03-05T20:45:00"},
                 {"聽日下晝三點", "", "2026-03-06T15:00:00"},
                 {"six forty-five pm", "", "2026-03-05T18:45:00"},
                 {"noonish tomorrow", "", "2026-03-06T12:00:00"}},
                spoken());
  for (const TimeExpression& found : find_time_expressions("他住了两三天", spoken())) EXPECT_NE(found.value, "P23D");
}

TEST(TimeExpressions, CM_4_borders_of_years_months_and_weeks) {
  const Time eve = parse_time("2023-12-31T23:30:00+08:00").value();
  expect_values({{"tomorrow", "", "2024-01-01"},
                 {"next week", "", "2024-01-01/2024-01-08"},
                 {"in an hour", "", "2024-01-01T00:30:00"},
                 {"明年二月底", "", "2024-02-21/2024-03-01"},
                 {"in two months", "", "2024-02-29"}},
                eve);
  const Time leap = parse_time("2024-02-29T10:00:00-05:00").value();
  expect_values({{"a year ago", "", "2023-02-28"}, {"yesterday", "", "2024-02-28"}, {"2月29日", "", "2024-02-29"}},
                leap);
  EXPECT_TRUE(find_time_expressions("2023-02-30", leap).empty());
}

TEST(TimeExpressions, CM_4_moments_are_those_of_the_speakers_zone) {
  const auto found = find_time_expressions("yesterday", parse_time("2026-03-05T01:00:00+08:00").value());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].from_ms, parse_time("2026-03-04T00:00:00+08:00").value().ms);
  EXPECT_EQ(found[0].to_ms, parse_time("2026-03-05T00:00:00+08:00").value().ms);
}

std::string rewritten(std::string text) {
  const auto found = find_time_expressions(text, spoken());
  for (auto it = found.rbegin(); it != found.rend(); ++it) {
    if (it->relative) text.replace(it->begin, it->end - it->begin, it->absolute);
  }
  return text;
}

TEST(TimeExpressions, CM_4_who_moved_or_signed_tells_of_the_past_and_what_is_arranged_is_to_come) {
  const auto begin = [](std::string_view text) {
    const auto found = find_time_expressions(text, spoken());
    return found.empty() ? "nothing" : format_time(Time{*found.back().from_ms, 0}).substr(0, 10);
  };
  for (const char* text :
       {"I moved to Lisbon in June.", "In June we moved back.", "My aunt moved into a flat in June.",
        "The user moved to Lisbon in June.", "Ann just moved house in June.", "We signed the lease in June."})
    EXPECT_EQ(begin(text), "2025-05-31") << text;
  EXPECT_EQ(begin("The meeting moved to June."), "2026-05-31");
  EXPECT_EQ(begin("We moved the talk to June."), "2026-05-31");
  EXPECT_EQ(begin("I moved it to Friday."), "2026-03-05");
  EXPECT_EQ(begin("I signed up for the race in June."), "2026-05-31");
}

TEST(TimeExpressions, CM_4_what_takes_their_place_reads_well) {
  EXPECT_EQ(rewritten("We met on Friday."), "We met on 27 February 2026.");
  EXPECT_EQ(rewritten("I moved to Berlin last month."), "I moved to Berlin in February 2026.");
  EXPECT_EQ(rewritten("It has rained since yesterday."), "It has rained from 4 March 2026.");
  EXPECT_EQ(rewritten("我昨天搬家了"), "我2026年3月4日搬家了");
  EXPECT_EQ(rewritten("明天下午三点半开会"), "2026年3月6日下午3点30分开会");
  EXPECT_EQ(rewritten("I was born in 1990."), "I was born in 1990.");
}

TEST(TimeExpressions, CM_4_words_that_only_look_like_times) {
  for (const char* text : {"may I ask you something", "they march on", "the second one", "now and then", "快一点",
                           "我有三点建议", "和他聊天", "三号楼", "call 650-650-6500", "version 3.5.2", "it costs $2000",
                           "a score of 3", "三年级", "月饼很好吃", "三分球", "I sat down in the sun", "第二天", ""}) {
    const auto found = find_time_expressions(text, spoken());
    EXPECT_TRUE(found.empty()) << text << ": " << (found.empty() ? "" : found[0].value);
  }
}

TEST(TimeExpressions, CM_4_any_bytes_give_spans_in_order_on_borders_of_characters) {
  const std::string pieces[] = {"yesterday", " ",        "3",           "月",    "下",  "周",    "一",   "点",
                                "at ",       "5",        ":",           "30",    "pm",  "-",     "/",    "2026",
                                "\xff",      "\xe4\xb8", "號",          "from ", "to ", "next ", "week", "每",
                                "天",        "半",       "99999999999", "the ",  "ago", "年",    "\n",   "."};
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (std::size_t i = 0, n = random() % 14; i < n; ++i) text += pieces[random() % std::size(pieces)];
    std::size_t last = 0;
    for (const auto& found : find_time_expressions(text, spoken())) {
      ASSERT_LE(last, found.begin) << text;
      ASSERT_LT(found.begin, found.end);
      ASSERT_LE(found.end, text.size());
      ASSERT_FALSE(found.value.empty());
      ASSERT_TRUE(found.relative || found.absolute.empty()) << text;
      if (found.from_ms && found.to_ms) {
        ASSERT_LE(*found.from_ms, *found.to_ms) << text;
      }
      for (const std::size_t at : {found.begin, found.end}) {
        // A byte inside a valid character is never a border.
        const bool inside = at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80 &&
                            !find_invalid_utf8(text).has_value();
        ASSERT_FALSE(inside) << text;
      }
      last = found.end;
    }
  }
}

TEST(TimeExpressions, CM_4_a_megabyte_is_read_in_time_that_grows_with_it) {
  for (const std::string unit : {"the ", "7", "7 ", "一", "monday ", "-", "\xff"}) {
    std::string text;
    while (text.size() < test::kLargeText / 4) text += unit;
    static_cast<void>(find_time_expressions(text, spoken()));  // the time limit of the test is the measure
  }
}

TEST(TimeExpressions, CM_4_the_end_of_another_word_begins_no_time) {
  for (const char* text : {"换了碗以后三天没吐了", "搬家之后两周他病了", "然后三天没来"}) {
    for (const TimeExpression& found : find_time_expressions(text, parse_time("2026-03-05T10:00:00+08:00").value()))
      EXPECT_TRUE(found.absolute.empty()) << text << ": " << found.absolute;
  }
}

}  // namespace

namespace {

constexpr Time kMoments[] = {{961'070'400'000, 0}, {1'100'952'000'000, 480}, {1'773'835'200'000, -300}};

void expect_same(const std::vector<TimeExpression>& found, const std::vector<TimeExpression>& alone) {
  ASSERT_EQ(found.size(), alone.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].begin, alone[i].begin);
    EXPECT_EQ(found[i].end, alone[i].end);
    EXPECT_EQ(found[i].value, alone[i].value);
    EXPECT_EQ(found[i].from_ms, alone[i].from_ms);
    EXPECT_EQ(found[i].to_ms, alone[i].to_ms);
    EXPECT_EQ(found[i].absolute, alone[i].absolute);
    EXPECT_EQ(found[i].notes, alone[i].notes);
  }
}

TEST(TimeReadings, CM_4_each_moment_finds_what_it_finds_alone) {
  std::string long_text;
  for (int i = 0; i < 60; ++i) long_text += "We met last Tuesday at half past nine. 下个月三号再去一次。 ";
  for (const std::string& text :
       {std::string("Yesterday we went on 3 May, and in two weeks it is over."), std::string("上周三下午三点到五点"),
        std::string("nothing of the kind"), std::string(), long_text}) {
    const auto found = find_times_at_each(text, kMoments);
    ASSERT_EQ(found.size(), std::size(kMoments));
    for (std::size_t i = 0; i < found.size(); ++i) expect_same(found[i], find_time_expressions(text, kMoments[i]));
  }
}

TEST(TimeReadings, CM_4_no_moment_finds_nothing) { EXPECT_TRUE(find_times_at_each("yesterday", {}).empty()); }

}  // namespace

}  // namespace weft
