#include "text/time_bounds.h"

#include <gtest/gtest.h>

#include <string>

namespace weft {
namespace {

/// A Friday.
Time now() { return parse_time("2026-11-27T10:00:00+00:00").value(); }

std::string span(std::string_view text) {
  const auto bounds = read_time_bounds(text, now());
  if (!bounds.ok()) return bounds.error().message;
  const auto day = [](const std::optional<Time>& at) {
    return at ? format_time(*at).substr(0, 10) : std::string("open");
  };
  return day(bounds->from) + " " + day(bounds->to);
}

TEST(TimeBounds, PF_25_a_bound_without_its_year_or_week_is_the_past_one) {
  EXPECT_EQ(span("6月"), "2026-06-01 2026-06-30");
  EXPECT_EQ(span("三月"), "2026-03-01 2026-03-31");
  EXPECT_EQ(span("十二月"), "2025-12-01 2025-12-31");
  EXPECT_EQ(span("夏天"), "2026-06-21 2026-09-23");
  EXPECT_EQ(span("国庆"), "2026-10-01 2026-10-01");
  EXPECT_EQ(span("周一"), "2026-11-23 2026-11-23");
  EXPECT_EQ(span("上周"), "2026-11-16 2026-11-22");
  EXPECT_EQ(span("Monday"), "2026-11-23 2026-11-23");
  EXPECT_EQ(span("last week"), "2026-11-16 2026-11-22");
  EXPECT_EQ(span("summer"), "2026-06-21 2026-09-23");
  EXPECT_EQ(span("Christmas"), "2025-12-25 2025-12-25");
  EXPECT_EQ(span("November"), "2026-11-01 2026-11-30") << "it runs";
  EXPECT_EQ(span("the 30th"), "2026-10-30 2026-10-30");
  EXPECT_EQ(span("May 3"), "2026-05-03 2026-05-03");
  EXPECT_EQ(span("since Monday"), "2026-11-23 open");
  EXPECT_EQ(span("from June"), "2026-06-01 2026-06-30");
  EXPECT_EQ(span("从六月"), "2026-06-01 2026-06-30");
  EXPECT_EQ(span("2025"), "2025-01-01 2025-12-31");
}

TEST(TimeBounds, PF_25_a_part_of_a_day_week_or_year_is_the_last_one_that_has_begun) {
  EXPECT_EQ(span("晚上"), "2026-11-26 2026-11-26");
  EXPECT_EQ(span("下午"), "2026-11-26 2026-11-26");
  EXPECT_EQ(span("上午"), "2026-11-27 2026-11-27") << "it runs";
  EXPECT_EQ(span("周末"), "2026-11-21 2026-11-22");
  EXPECT_EQ(span("年底"), "2025-12-01 2025-12-31");
  EXPECT_EQ(span("年末"), "2025-12-01 2025-12-31");
  EXPECT_EQ(span("the weekend"), "2026-11-21 2026-11-22");
  EXPECT_EQ(span("weekend"), "2026-11-21 2026-11-22");
  EXPECT_EQ(span("the end of the year"), "2025-12-01 2025-12-31");
  EXPECT_EQ(span("in the evening"), "2026-11-26 2026-11-26");
  EXPECT_EQ(span("the evening"), "2026-11-26 2026-11-26");
  EXPECT_EQ(span("今晚"), "2026-11-27 2026-11-27");
  EXPECT_EQ(span("这周末"), "2026-11-28 2026-11-29");
  EXPECT_EQ(span("明天"), "2026-11-28 2026-11-28");
  EXPECT_EQ(span("next week"), "2026-11-30 2026-12-06");
  EXPECT_EQ(span("in three days"), "2026-11-30 2026-11-30");
}

TEST(TimeBounds, PF_25_every_month_weekday_season_and_feast_is_read_alone) {
  for (const char* text : {"January",      "february",
                           "March",        "April",
                           "May",          "june",
                           "July",         "August",
                           "September",    "October",
                           "November",     "December",
                           "Jan",          "Feb",
                           "Mar",          "Apr",
                           "Jun",          "Jul",
                           "Aug",          "Sep",
                           "Sept",         "Oct",
                           "Nov",          "Dec",
                           "Monday",       "tuesday",
                           "Wednesday",    "Thursday",
                           "Friday",       "Saturday",
                           "Sunday",       "Mon",
                           "Tue",          "Wed",
                           "Thu",          "Fri",
                           "Sat",          "Sun",
                           "spring",       "Summer",
                           "Autumn",       "fall",
                           "Winter",       "Easter",
                           "Thanksgiving", "New Year's Eve",
                           "一月",         "十二月",
                           "周日",         "星期三",
                           "礼拜二",       "春天",
                           "夏天",         "秋天",
                           "冬天",         "春节",
                           "中秋",         "元旦",
                           "端午节",       "yesterday",
                           "today",        "昨天",
                           "last year",    "去年",
                           "上个月",       "two weeks ago",
                           "三天前"}) {
    const auto bounds = read_time_bounds(text, now());
    ASSERT_TRUE(bounds.ok()) << text;
    ASSERT_TRUE(bounds->from) << text;
    EXPECT_LT(bounds->from->ms, now().ms) << text;
  }
}

TEST(TimeBounds, PF_25_what_is_no_time_or_more_than_one_is_refused_with_words_that_work) {
  for (const char* text : {"Smarch", "5", "kiln", "two weeks", "every Monday", "last week and the kiln", "the"}) {
    const auto bounds = read_time_bounds(text, now());
    ASSERT_FALSE(bounds.ok()) << text;
    EXPECT_NE(bounds.error().message.find(text), std::string::npos);
    EXPECT_NE(bounds.error().hint.find("June"), std::string::npos);
  }
  for (const char* hinted : {"2026-03-01", "2026-03-01T09:30:00+08:00", "last week", "June", "三月"}) {
    const auto bounds = read_time_bounds(hinted, now());
    ASSERT_TRUE(bounds.ok()) << hinted;
    EXPECT_LT(bounds->to->ms, now().ms) << hinted;
  }
}

TEST(TimeBounds, PF_25_a_span_goes_from_the_one_before_its_end) {
  const auto days = [](std::string_view from, std::string_view to) {
    const auto found = read_time_span({"from", from}, {"to", to}, now());
    return found.ok() ? format_time(*found->from).substr(0, 10) + " " + format_time(*found->to).substr(0, 10)
                      : found.error().message;
  };
  EXPECT_EQ(days("Friday", "Monday"), "2026-11-20 2026-11-23");
  EXPECT_EQ(days("March", "January"), "2025-03-01 2026-01-31");
  EXPECT_EQ(days("March", "June"), "2026-03-01 2026-06-30");
  EXPECT_EQ(days("yesterday", "last week"), "\"to\" lies before \"from\"");
  EXPECT_EQ(days("Smarch", ""), "\"from\": \"Smarch\" is not a time");
}

}  // namespace
}  // namespace weft
