#include "base/clock.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

namespace weft {
namespace {

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
