// Forms of times that the grammar of each language has beside the common ones of time_expressions_test.cpp.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "text/time_expressions.h"

namespace weft {
namespace {

struct Form {
  const char* text;
  const char* value;
};

/// Wednesday, 13 March 2024, ten in the morning.
void expect_forms(const std::vector<Form>& forms) {
  const Time spoken = parse_time("2024-03-13T10:00:00Z").value();
  for (const Form& form : forms) {
    const auto found = find_time_expressions(form.text, spoken);
    ASSERT_EQ(found.size(), 1u) << form.text;
    EXPECT_EQ(found.front().value, form.value) << form.text;
  }
}

TEST(TimeForms, CM_4_a_year_at_the_end_of_a_range_is_that_of_its_beginning_too) {
  expect_forms({{"March to June 2023", "2023-03-01/2023-07-01"},
                {"January through March of 2023", "2023-01-01/2023-04-01"},
                {"between Jan 1 and Jan 7, 2023", "2023-01-01/2023-01-08"},
                {"Dec 20 - Jan 3, 2025", "2024-12-20/2025-01-04"},
                {"20/12/2024 - 03/01/2025", "2024-12-20/2025-01-04"},
                {"2024-12-20/2025-01-03", "2024-12-20/2025-01-04"},
                {"from Friday evening to Sunday", "2024-03-15T18:00:00/2024-03-18T00:00:00"}});
}

TEST(TimeForms, CM_4_working_days_leave_out_saturdays_and_sundays) {
  expect_forms({{"in 3 business days", "2024-03-18"},
                {"in four workdays", "2024-03-19"},
                {"the next business day", "2024-03-14"},
                {"three working days ago", "2024-03-08"},
                {"the first weekday of June", "2024-06-03"},
                {"三个工作日后", "2024-03-18"}});
}

TEST(TimeForms, CM_4_counted_hours_are_of_the_clock_or_from_this_moment) {
  expect_forms({{"next three hours", "2024-03-13T11:00:00/2024-03-13T14:00:00"},
                {"in the next three hours", "2024-03-13T10:00:00/2024-03-13T13:00:00"},
                {"in the last 24 hours", "2024-03-12T10:00:00/2024-03-13T10:00:00"},
                {"next few hours", "2024-03-13T10:00:00/2024-03-13T13:00:00"},
                {"in the last half hour", "2024-03-13T09:30:00/2024-03-13T10:00:00"},
                {"下三小时", "2024-03-13T11:00:00/2024-03-13T14:00:00"},
                {"未来三小时", "2024-03-13T10:00:00/2024-03-13T13:00:00"},
                {"过去24小时", "2024-03-12T10:00:00/2024-03-13T10:00:00"}});
}

TEST(TimeForms, CM_4_english_clocks_zones_and_halves_of_the_day) {
  expect_forms({{"9 to 5", "2024-03-14T09:00:00/2024-03-14T17:00:00"},
                {"1930 hours", "2024-03-13T19:30:00"},
                {"2025-06-03T19:00:00+02:00", "2025-06-03T17:00:00"},
                {"2025-06-03T19:00:00.123Z", "2025-06-03T19:00:00"},
                {"5 pm ET", "2024-03-13T22:00:00"},
                {"10m ago", "2024-03-13T09:50:00"},
                {"last noon", "2024-03-12T12:00:00"},
                {"beginning of 2017", "2017-01-01/2017-04-01"},
                {"early this morning", "2024-03-13T00:00:00/2024-03-13T09:00:00"},
                {"1h30m", "PT1H30M"}});
}

TEST(TimeForms, CM_4_english_days_and_units_within_others) {
  expect_forms({{"the second to last Friday of May", "2024-05-24"},
                {"next month's first Friday", "2024-04-05"},
                {"the 100th day of 2020", "2020-04-09"},
                {"Monday in two weeks", "2024-03-25"},
                {"Friday a week ago", "2024-03-08"},
                {"two years ago this month", "2022-03-01/2022-04-01"},
                {"remainder of 2024", "2024-03-13/2025-01-01"},
                {"the Thanksgiving before last", "2022-11-24"},
                {"the eighth night of Hanukkah", "2025-01-01"},
                {"22 Oct 19", "2019-10-22"},
                {"1Q24", "2024-01-01/2024-04-01"},
                {"20240503", "2024-05-03"}});
}

TEST(TimeForms, CM_4_repetitions_have_their_day) {
  expect_forms({{"Monday mornings", "XXXX-WXX-1TMO"},
                {"monthly on the 5th", "XXXX-XX-05"},
                {"on the 15th of every month", "XXXX-XX-15"},
                {"every year on June 5", "XXXX-06-05"}});
}

TEST(TimeForms, CM_4_chinese_days_and_units_within_others) {
  expect_forms({{"年初三", "2025-01-31"},
                {"明年第一个月", "2025-01-01/2025-02-01"},
                {"三月的第二个周末", "2025-03-08/2025-03-10"},
                {"今年前三个月", "2024-01-01/2024-04-01"},
                {"周一至五", "2024-03-11/2024-03-16"},
                {"一八年第四季", "2018-10-01/2019-01-01"},
                {"零九年", "2009-01-01/2010-01-01"},
                {"昭和五十年", "1975-01-01/1976-01-01"},
                {"每周五下午", "XXXX-WXX-5TAF"},
                {"每晚八点", "T20"},
                {"四分之一小时", "PT0.25H"},
                {"不晚于周五", "../2024-03-15"},
                {"5月1日前后", "2024-05-01"},
                {"从3月5号到下周一", "2024-03-05/2024-03-19"},
                {"后半年", "2024-07-01/2025-01-01"},
                {"一個半鐘", "PT1.5H"},
                {"90日", "P90D"}});
}

TEST(TimeForms, CM_4_chinese_days_after_a_number_of_days_are_counted) {
  expect_forms({{"三日后", "2024-03-16"},
                {"五日前", "2024-03-08"},
                {"十日内", "2024-03-13/2024-03-23"},
                {"15日后", "2024-03-15/.."}});
}

TEST(TimeForms, CM_4_cantonese_words) {
  expect_forms({{"出個月", "2024-04-01/2024-05-01"},
                {"嚟緊嘅星期五", "2024-03-15"},
                {"嚟緊三日", "2024-03-14/2024-03-17"},
                {"今朝早", "2024-03-13T04:00:00/2024-03-13T12:00:00"},
                {"聽朝早", "2024-03-14T04:00:00/2024-03-14T12:00:00"}});
}

TEST(TimeForms, CM_4_numbers_beside_dates_are_no_hours) {
  const auto found = find_time_expressions("May 3, 4 and 5", parse_time("2024-03-13T10:00:00Z").value());
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().value, "2024-05-03");
}

}  // namespace
}  // namespace weft
