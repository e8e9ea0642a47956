#include "text/time_readings.h"

#include <gtest/gtest.h>

#include <string>

namespace weft {
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
