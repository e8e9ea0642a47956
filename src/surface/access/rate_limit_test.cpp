#include "surface/access/rate_limit.h"

#include <gtest/gtest.h>

#include <random>

namespace weft {
namespace {

using std::chrono::milliseconds;

TEST(RateLimit, PF_10_no_more_than_the_limit_passes_in_any_minute_after_the_first_burst) {
  std::mt19937 random(7);
  RateLimit limit(60);
  RateLimit::Clock::time_point now{};
  int passed = 0, minutes = 20;
  const auto end = now + std::chrono::minutes(minutes);
  while (now < end) {
    if (limit.take("a", now).count() == 0) ++passed;
    now += milliseconds(random() % 400);
  }
  EXPECT_LE(passed, 60 + 60 * minutes);
  EXPECT_GE(passed, 60 * minutes);
}

TEST(RateLimit, PF_10_who_waits_as_long_as_told_passes) {
  RateLimit limit(30);
  RateLimit::Clock::time_point now{};
  for (int i = 0; i < 30; ++i) ASSERT_EQ(limit.take("a", now).count(), 0);
  for (int i = 0; i < 100; ++i) {
    const auto wait = limit.take("a", now);
    ASSERT_GT(wait.count(), 0);
    now += wait;
    ASSERT_EQ(limit.take("a", now).count(), 0) << i;
  }
}

TEST(RateLimit, PF_10_without_a_limit_and_with_very_many_callers_it_goes_on) {
  RateLimit none(0);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(none.take("a").count(), 0);
  RateLimit limit(1);
  for (int i = 0; i < 50'000; ++i) ASSERT_EQ(limit.take(std::to_string(i)).count(), 0);
}

}  // namespace
}  // namespace weft
