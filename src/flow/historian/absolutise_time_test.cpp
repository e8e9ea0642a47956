#include <gtest/gtest.h>

#include "flow/historian/absolutise.h"
#include "flow/historian/gate.h"

namespace weft {
namespace {

// Thursday.
Speech on_5_march(const std::string& sender, const std::string& addressee) {
  Speech speech;
  speech.sender = {"1", sender};
  speech.addressee = Person{"2", addressee};
  speech.time = parse_time("2026-03-05T14:30:00+08:00").value();
  return speech;
}

std::string english(std::string_view text) { return absolutise(text, on_5_march("Ann", "Bob")).text; }
std::string chinese(std::string_view text) { return absolutise(text, on_5_march("张三", "李四")).text; }

TEST(AbsoluteTimes, CM_4_days_by_the_messages_own_time) {
  EXPECT_EQ(english("I saw you yesterday."), "Ann saw Bob on 4 March 2026.");
  EXPECT_EQ(chinese("我昨天见到你"), "张三2026年3月4日见到李四");
  EXPECT_EQ(english("Tomorrow is fine."), "6 March 2026 is fine.") << "a subject has no preposition";
}

TEST(AbsoluteTimes, CM_4_now_is_a_day_not_a_minute) {
  EXPECT_EQ(english("I live in Rome now."), "Ann lives in Rome as of 5 March 2026.");
  EXPECT_EQ(english("Now, where were we?").substr(0, 4), "Now,");
}

TEST(AbsoluteTimes, CM_4_opening_hours_stay) {
  EXPECT_EQ(chinese("营业时间是周一至周日 08:00-20:00"), "营业时间是周一至周日 08:00-20:00");
}

TEST(AbsoluteTimes, CM_4_quoted_times_stay_and_no_time_leaves_them) {
  EXPECT_EQ(english("I said \"see you tomorrow\"."), "Ann said \"see you tomorrow\".");
  EXPECT_EQ(chinese("我看过《后天》和《昨天》"), "张三看过《后天》和《昨天》");
  Speech speech = on_5_march("Ann", "Bob");
  speech.time = Time();
  EXPECT_EQ(absolutise("I saw you yesterday.", speech).text, "Ann saw Bob yesterday.");
}

TEST(AbsoluteTimes, CM_5_every_listed_time_passes_the_gate_afterwards) {
  for (const auto* text :
       {"今天", "昨天去的", "明天见", "刚才说过", "刚刚到", "稍后再说", "上周三开会", "下周", "最近很忙"}) {
    const std::string out = chinese(text);
    EXPECT_TRUE(check(out, GateMode::kLiteral).empty()) << text << " → " << out;
  }
  for (const auto* text : {"today", "met yesterday", "till tomorrow", "tonight at the club", "just now", "see later",
                           "last week", "next Friday", "recently", "busy lately", "last night", "next month"}) {
    const std::string out = english(text);
    EXPECT_TRUE(check(out, GateMode::kBalanced).empty()) << text << " → " << out;
  }
}

}  // namespace
}  // namespace weft
