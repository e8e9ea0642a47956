#include <gtest/gtest.h>
#include <chrono>
#include <functional>
#include <random>
#include <string>

#include "base/clock.h"
#include "base/strings.h"

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

namespace {

bool fits(std::string_view pattern, std::string_view text) { return glob(pattern, text, std::equal_to<>()); }

// As it is defined: a star stands for any text.
bool plainly_fits(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] != '*')
    return !text.empty() && pattern[0] == text[0] && plainly_fits(pattern.substr(1), text.substr(1));
  for (std::size_t at = 0; at <= text.size(); ++at)
    if (plainly_fits(pattern.substr(1), text.substr(at))) return true;
  return false;
}

TEST(Glob, any_pattern_fits_what_it_is_defined_to_fit) {
  std::mt19937 random(3);
  const auto drawn = [&](std::string_view letters, unsigned most) {
    std::string out;
    for (unsigned i = random() % (most + 1); i > 0; --i) out += letters[random() % letters.size()];
    return out;
  };
  for (int round = 0; round < 20000; ++round) {
    const std::string pattern = drawn("ab**", 7), text = drawn("ab", 9);
    EXPECT_EQ(fits(pattern, text), plainly_fits(pattern, text)) << pattern << " " << text;
  }
}

TEST(Glob, many_stars_end) {
  std::string pattern;
  for (int i = 0; i < 60; ++i) pattern += "*a";
  EXPECT_FALSE(fits(pattern + "b", std::string(4000, 'a')));
  EXPECT_TRUE(fits(pattern, std::string(4000, 'a')));
}

}  // namespace

}  // namespace weft
