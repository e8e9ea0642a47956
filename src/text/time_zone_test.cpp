#include "text/time_bounds.h"

#include <gtest/gtest.h>

#include "weft/time.h"

namespace weft {
namespace {

std::int32_t at(std::string_view zone, std::string_view time) {
  return zone_offset(zone, parse_time(time).value().ms).value_or(-9999);
}

TEST(TimeZone, CM_4_zones_by_name_and_by_offset) {
  EXPECT_EQ(at("Asia/Shanghai", "2026-03-05T00:00:00Z"), 480);
  EXPECT_EQ(at("Europe/Berlin", "2026-01-05T00:00:00Z"), 60);
  EXPECT_EQ(at("Europe/Berlin", "2026-07-05T00:00:00Z"), 120);
  EXPECT_EQ(at("UTC", "2026-07-05T00:00:00Z"), 0);
  EXPECT_EQ(at("+05:30", "2026-07-05T00:00:00Z"), 330);
  EXPECT_EQ(at("UTC-8", "2026-07-05T00:00:00Z"), -480);
}

TEST(TimeZone, CM_4_what_names_no_zone_is_refused) {
  for (const char* zone : {"", "Mars/Olympus", "+99:00", "+", "noon", "UTC+", "\xff\xfe", "../../etc/localtime"})
    EXPECT_EQ(zone_offset(zone, 0).error().code, ErrorCode::kInvalidArgument) << zone;
}

}  // namespace
}  // namespace weft
