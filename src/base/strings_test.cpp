#include "base/strings.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <string>

#include "base/civil_day.h"

namespace weft {
namespace {

TEST(Strings, ST_1_trimmed_is_the_text_without_what_surrounds_it) {
  EXPECT_EQ(trimmed("  a b\r\n"), "a b");
  EXPECT_EQ(trimmed(" \t\r\n"), "");
  EXPECT_EQ(trimmed(""), "");
  EXPECT_EQ(trimmed("(a)", "()"), "a");
  EXPECT_TRUE(starts_at("abc", 1, "bc"));
  EXPECT_TRUE(starts_at("abc", 3, ""));
  EXPECT_FALSE(starts_at("abc", 4, ""));
}

TEST(Strings, ST_1_lines_joined_by_line_feeds_are_the_text) {
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    std::string text;
    for (auto size = random() % 12; size > 0; --size) text += "a\n"[random() % 2];
    std::string joined;
    for (const std::string_view line : lines_of(text)) {
      EXPECT_EQ(line.find('\n'), std::string_view::npos);
      joined.append(line).append("\n");
    }
    EXPECT_EQ(joined, text.empty() || text.ends_with('\n') ? text : text + '\n');
  }
}

TEST(CivilDay, PF_4_agrees_with_the_calendar_of_the_library_and_goes_beyond_it) {
  for (std::int64_t day = -800'000; day < 800'000; day += 37) {
    const std::chrono::year_month_day known{std::chrono::sys_days{std::chrono::days{day}}};
    const CivilDay date = civil_of_day(day);
    ASSERT_EQ(date.year, static_cast<int>(known.year())) << day;
    ASSERT_EQ(date.month, static_cast<int>(static_cast<unsigned>(known.month()))) << day;
    ASSERT_EQ(date.day, static_cast<int>(static_cast<unsigned>(known.day()))) << day;
    ASSERT_EQ(day_of_civil(date), day);
  }
  for (const std::int64_t day : {-100'000'000'000LL, 100'000'000'000LL})
    EXPECT_EQ(day_of_civil(civil_of_day(day)), day);
}

}  // namespace
}  // namespace weft
