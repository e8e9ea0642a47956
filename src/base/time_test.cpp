#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <random>

#include "base/clock.h"
#include "weft/time.h"

namespace weft {
namespace {

std::int64_t ms_of(std::string_view text) {
  const auto t = parse_time(text);
  EXPECT_TRUE(t.ok()) << text;
  return t.ok() ? t->ms : -1;
}

TEST(Time, known_moments) {
  EXPECT_EQ(ms_of("1970-01-01T00:00:00Z"), 0);
  EXPECT_EQ(ms_of("2000-02-29T12:00:00Z"), 951825600000);
  EXPECT_EQ(ms_of("2026-03-01T09:30:00+08:00"), ms_of("2026-03-01T01:30:00Z"));
  EXPECT_EQ(ms_of("1969-12-31T23:59:59.999Z"), -1);
  EXPECT_EQ(ms_of("2026-03-01"), ms_of("2026-03-01T00:00:00Z"));
  EXPECT_EQ(ms_of("2026-03-01T00:00:00.1234567Z"), ms_of("2026-03-01") + 123);
  EXPECT_EQ(ms_of("2016-12-31T23:59:60Z"), ms_of("2017-01-01"));
  EXPECT_EQ(ms_of("2026-03-01 09:30:00z"), ms_of("2026-03-01t09:30:00Z"));
}

TEST(Time, keeps_the_zone_it_was_said_in) {
  const Time t = *parse_time("2026-03-01T00:30:00+08:00");
  EXPECT_EQ(t.offset_minutes, 480);
  EXPECT_EQ(format_time(t), "2026-03-01T00:30:00+08:00");
  EXPECT_EQ(format_date(t), "2026-03-01");
  EXPECT_EQ(format_date(Time{t.ms, 0}), "2026-02-28");
  EXPECT_EQ(format_time(*parse_time("2026-03-01T00:30:00-03:30")), "2026-03-01T00:30:00-03:30");
  EXPECT_EQ(t, (Time{t.ms, 0}));
}

TEST(Time, refuses_what_is_not_a_time) {
  for (const char* text : {"", "2026", "2026-13-01", "2026-02-29", "2026-00-10", "2026-03-01T", "2026-03-01T25:00:00Z",
                           "2026-03-01T09:60:00Z", "2026-03-01T09:30:61Z", "2026-03-01T09:30Z", "2026-03-01T09:30:00",
                           "2026-03-01T09:30:00.Z", "2026-03-01T09:30:00+8:00", "2026-03-01T09:30:00+24:00",
                           "2026-03-01T09:30:00Zx", "yesterday", "+026-03-01", "2026-03-01T09:30:00 +08:00"}) {
    EXPECT_FALSE(parse_time(text).ok()) << text;
  }
  EXPECT_NE(parse_time("2026-03-01T09:30:00").error().message.find("zone"), std::string::npos);
  EXPECT_FALSE(parse_time("x").error().hint.empty());
}

TEST(Time, writing_and_reading_give_the_same_moment) {
  std::mt19937_64 random(7);
  std::uniform_int_distribution<std::int64_t> ms(-62'135'596'800'000 + 86'400'000, 253'402'300'799'000 - 86'400'000);
  std::uniform_int_distribution<std::int32_t> offset(-23 * 60 - 59, 23 * 60 + 59);
  for (int i = 0; i < 20000; ++i) {
    const Time t{ms(random), offset(random)};
    const auto back = parse_time(format_time(t));
    ASSERT_TRUE(back.ok()) << format_time(t);
    EXPECT_EQ(back->ms, t.ms) << format_time(t);
    EXPECT_EQ(back->offset_minutes, t.offset_minutes);
  }
}

TEST(Time, extreme_counts_do_not_overflow) {
  EXPECT_FALSE(format_time(Time{INT64_MAX, 1439}).empty());
  EXPECT_FALSE(format_time(Time{INT64_MIN, -1439}).empty());
}

TEST(SystemClock, tells_the_moment_and_the_zone_of_the_system) {
  const char* before = std::getenv("TZ");
  const std::string saved = before != nullptr ? before : "";
  setenv("TZ", "XST-08:00", 1);
  tzset();
  const Time east = SystemClock().now();
  setenv("TZ", "UTC0", 1);
  tzset();
  const Time utc = SystemClock().now();
  before != nullptr ? setenv("TZ", saved.c_str(), 1) : unsetenv("TZ");
  tzset();

  EXPECT_EQ(east.offset_minutes, 480);
  EXPECT_EQ(utc.offset_minutes, 0);
  EXPECT_LE(east.ms, utc.ms);
  EXPECT_GT(utc.ms, parse_time("2024-01-01")->ms);
}

}  // namespace
}  // namespace weft
