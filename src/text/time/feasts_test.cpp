// Feasts whose days are computed, against the days that states and churches published.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "text/lexicon.h"
#include "text/time_expressions.h"

namespace weft {
namespace {

struct Published {
  std::string feast;
  std::vector<std::string> days;
};

std::string told(const std::string& feast, const std::string& year) {
  const bool chinese = static_cast<unsigned char>(feast.front()) >= 0x80;
  const std::string text = chinese ? year + "年" + feast : feast + " " + year;
  const auto found = find_time_expressions(text, parse_time("2013-02-12T10:00:00Z").value());
  return found.size() == 1 ? found.front().value : text + ": not one expression";
}

void expect_published(const std::vector<Published>& feasts) {
  for (const auto& [feast, days] : feasts)
    for (const std::string& day : days) EXPECT_EQ(told(feast, day.substr(0, 4)), day) << feast;
}

TEST(Feasts, CM_4_indian_feasts_fall_on_the_days_of_the_gazette) {
  expect_published({
      {"Dussehra", {"2013-10-13", "2016-10-11", "2019-10-08", "2020-10-25", "2022-10-05", "2023-10-24", "2024-10-12"}},
      {"Diwali", {"2016-10-30", "2018-11-07", "2020-11-14", "2022-10-24", "2023-11-12", "2024-10-31", "2025-10-20"}},
      {"Onam", {"2015-08-28", "2016-09-14", "2018-08-25", "2019-09-11", "2021-08-21", "2023-08-29", "2024-09-15"}},
      {"Ganesh Chaturthi", {"2014-08-29", "2015-09-17", "2018-09-13", "2021-09-10", "2023-09-19", "2024-09-07"}},
      {"Guru Nanak Jayanti", {"2013-11-17", "2016-11-14", "2019-11-12", "2021-11-19", "2023-11-27", "2024-11-15"}},
      {"Maha Shivaratri", {"2014-02-27", "2016-03-07", "2018-02-13", "2021-03-11", "2023-02-18", "2025-02-26"}},
      {"Ugadi", {"2014-03-31", "2018-03-18", "2020-03-25", "2021-04-13", "2023-03-22", "2024-04-09"}},
  });
  // From the new moon to the day of victory.
  EXPECT_EQ(told("Navaratri", "2024"), "2024-10-03/2024-10-13");
}

TEST(Feasts, CM_4_islamic_months_follow_the_rule_of_their_time) {
  expect_published(
      {{"Eid al-Fitr", {"1988-05-16", "2015-07-17", "2018-06-15", "2020-05-24", "2022-05-02", "2024-04-10"}},
       {"Eid al-Adha", {"1979-10-31", "2018-08-21", "2021-07-20"}}});
  EXPECT_EQ(told("Ramadan", "1977"), "1977-08-15/1977-09-14");
}

TEST(Feasts, CM_4_days_that_laws_and_leagues_move) {
  expect_published({{"Victoria Day", {"2015-05-18", "2018-05-21", "2020-05-18", "2021-05-24", "2024-05-20"}},
                    {"Super Bowl", {"2010-02-07", "2021-02-07", "2022-02-13", "2024-02-11"}},
                    {"浴佛节", {"2018-05-22", "2020-04-30", "2021-05-19", "2024-05-15"}},
                    {"寒食节", {"2024-04-03", "2025-04-03"}},
                    {"Christ the King", {"2023-11-26", "2024-11-24"}},
                    {"Holy Week", {"2024-03-24/2024-03-31"}}});
}

TEST(Feasts, CM_4_each_line_of_the_list_has_a_day) {
  for (const std::string_view line : lexicon("time/holidays", "days")) {
    const auto begin = line.find(": ");
    ASSERT_NE(begin, std::string_view::npos) << line;
    const std::string name(line.substr(begin + 2, line.find(" | ", begin) - begin - 2));
    bool found = false;
    for (int year = 2024; year >= 2004 && !found; --year) {
      const std::string day = told(name, std::to_string(year));
      found = day.starts_with(std::to_string(year) + "-");
    }
    EXPECT_TRUE(found) << line;
  }
}

}  // namespace
}  // namespace weft
