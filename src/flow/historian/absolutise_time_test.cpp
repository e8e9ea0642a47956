#include <gtest/gtest.h>

#include "flow/historian/absolutise.h"
#include "flow/historian/rewrite.h"

namespace weft {
namespace {

// 5 March 2026 is a Thursday.
std::string said(std::string_view text, const char* when = "2026-03-05T14:30:00+08:00",
                 Style style = Style::kAnnotate) {
  Speech speech;
  speech.sender = {"1", "Ann"};
  speech.addressee = Person{"2", "Bob"};
  speech.name_speakers = false;
  speech.style = style;
  if (when != nullptr) speech.time = parse_time(when).value();
  return absolutise(text, speech).text;
}

TEST(AbsoluteTimes, CM_4_days_by_the_messages_own_time) {
  EXPECT_EQ(said("I saw you yesterday."), "I saw you yesterday [4 March 2026].");
  EXPECT_EQ(said("我昨天见到你"), "我昨天[2026年3月4日]见到你");
  EXPECT_EQ(said("明天下午三点开会"), "明天下午三点[2026年3月6日下午3点]开会");
  EXPECT_EQ(said("Call me at 7pm tomorrow"), "Call me at 7pm tomorrow [19:00 on 6 March 2026]");
  EXPECT_EQ(said("I saw you yesterday.", nullptr), "I saw you yesterday.") << "nobody knows when it was said";
}

TEST(AbsoluteTimes, CM_4_precision_is_never_invented) {
  EXPECT_EQ(said("ill since last month"), "ill since last month [February 2026]");
  EXPECT_EQ(said("I met him two weeks ago"), "I met him two weeks ago [around 19 February 2026]");
  EXPECT_EQ(said("in three months I finish"), "in three months [June 2026] I finish");
  EXPECT_EQ(said("三个月前他离职了"), "三个月前[2025年12月]他离职了");
  EXPECT_EQ(said("tomorrow at 5 we leave"), "tomorrow at 5 [6 March 2026] we leave") << "morning or afternoon?";
  EXPECT_EQ(said("we met in mid-January"), "we met in mid-January [January 2026]");
  for (const auto* text : {"a few days ago", "the other day", "几天前去的", "it takes two days", "I did it in two days",
                           "过两天再说", "for the past few weeks", "at 5 we leave"})
    EXPECT_EQ(said(text), text);
}

TEST(AbsoluteTimes, CM_4_a_part_of_the_day_belongs_to_a_day) {
  EXPECT_EQ(said("晚上有空吗？"), "晚上[2026年3月5日]有空吗？");
  EXPECT_EQ(said("明天去看房，晚上回家吃饭"), "明天[2026年3月6日]去看房，晚上[2026年3月6日]回家吃饭");
  EXPECT_EQ(said("周末有空吗？"), "周末[2026年3月7日至8日]有空吗？");
  for (const auto* text : {"早上好", "我每天晚上跑步", "周末长跑很累", "聊了一个下午", "营地费用50元/人/晚"})
    EXPECT_EQ(said(text), text);
}

TEST(AbsoluteTimes, CM_4_days_that_only_name_a_kind_of_thing_are_no_dates) {
  for (const auto* text : {"I like the Sunday mass", "we put up the Christmas tree", "it began on a Sunday afternoon"})
    EXPECT_EQ(said(text), text);
  EXPECT_EQ(said("see you on Sunday"), "see you on Sunday [8 March 2026]");
}

TEST(AbsoluteTimes, CM_4_plans_lean_to_the_future_and_stories_to_the_past) {
  const char* const april = "2026-04-10T10:00:00Z";
  EXPECT_EQ(said("Crete, 9 to 21 May", april), "Crete, 9 to 21 May [9 to 21 May 2026]");
  EXPECT_EQ(said("We booked 9 to 21 May", april), "We booked 9 to 21 May [9 to 21 May 2026]");
  EXPECT_EQ(said("We were there on 20 March", april), "We were there on 20 March [20 March 2026]");
  EXPECT_EQ(said("周五见", april), "周五[2026年4月17日]见") << "said on a Friday";
}

TEST(AbsoluteTimes, CM_4_the_verb_of_its_own_clause_says_on_which_side_a_day_is) {
  EXPECT_EQ(said("Did you grill it? I have a class on Tuesday"),
            "Did you grill it? I have a class on Tuesday [10 March 2026]");
  EXPECT_EQ(said("I'm thinking of a walk on Saturday, since I was lazy"),
            "I'm thinking of a walk on Saturday [7 March 2026], since I was lazy");
  EXPECT_EQ(said("I'd use it again, it worked well when I was there on 7/22"),
            "I'd use it again, it worked well when I was there on 7/22 [22 July 2025]");
  EXPECT_EQ(said("I went dancing over the weekend"), "I went dancing over the weekend [28 February to 1 March 2026]");
  EXPECT_EQ(said("I'll rest over the weekend"), "I'll rest over the weekend [7 to 8 March 2026]");
  EXPECT_EQ(said("周末去了海边"), "周末[2026年2月28日至3月1日]去了海边");
  EXPECT_EQ(said("早上起来拍了重要的照片"), "早上[2026年3月5日]起来拍了重要的照片");
}

TEST(AbsoluteTimes, CM_4_stretches_that_reach_to_now_or_begin_with_it) {
  EXPECT_EQ(said("for the past six months"), "for the past six months [September 2025 to March 2026]");
  EXPECT_EQ(said("over the past two years"), "over the past two years [2024 to 2026]");
  EXPECT_EQ(said("过去三年"), "过去三年[2023年至2026年]");
  EXPECT_EQ(said("近一年"), "近一年[2025年3月至2026年3月]");
  EXPECT_EQ(said("未来十年"), "未来十年[2026年至2036年]");
  EXPECT_EQ(said("本周内给结果"), "本周内[2026年3月2日至8日]给结果");
  EXPECT_EQ(said("later this week"), "later this week [6 to 8 March 2026]");
  EXPECT_EQ(said("finish it by the end of the month"), "finish it by the end of the month [31 March 2026]");
  EXPECT_EQ(said("a couple of weeks ago"), "a couple of weeks ago [around 19 February 2026]");
  EXPECT_EQ(said("I started the year well"), "I started the year [2026] well");
  EXPECT_EQ(said("before summer hits"), "before summer [summer 2026] hits");
}

TEST(AbsoluteTimes, CM_4_chinese_days_that_follow_named_ones) {
  EXPECT_EQ(said("2月1日到了北京，次日去长城"), "2月1日[2026年2月1日]到了北京，次日[2026年2月2日]去长城");
  EXPECT_EQ(said("5月3日到5日去北京"), "5月3日到5日[2026年5月3日至5日]去北京");
  EXPECT_EQ(said("6月中旬见"), "6月中旬[2026年6月11日至20日]见");
  EXPECT_EQ(said("06年的事"), "06年[2006年]的事");
}

TEST(AbsoluteTimes, CM_16_words_of_time_that_mean_no_day) {
  for (const auto* text : {"地址是前门大街30号", "在今天这个时代谁都上网", "今天的社会很忙", "周一闭馆", "四季如春",
                           "晚一点再说", "夜间睡眠很重要", "最近的加油站", "I'll be back in a second",
                           "in today's world", "the phones on the market today", "my last day here",
                           "the last season was better", "my last 4-day trip", "we have to dec decide"})
    EXPECT_EQ(said(text), text);
}

TEST(AbsoluteTimes, CM_4_what_may_mean_either_day_gets_both) {
  EXPECT_EQ(said("next Saturday is fine"), "next Saturday [7 March 2026 or 14 March 2026] is fine");
  EXPECT_EQ(said("next Saturday is fine", "2026-11-22T10:00:00Z"), "next Saturday [28 November 2026] is fine");
  EXPECT_EQ(said("下周三开会"), "下周三[2026年3月11日]开会");
}

TEST(AbsoluteTimes, CM_16_names_numbers_and_lengths_of_time_are_no_days) {
  for (const auto* text : {"June Carter and August Wilson",
                           "We watch Friday Night Lights at 8",
                           "Ruby Tuesday is closed",
                           "May I?",
                           "bake it 12 minutes at 200 degrees",
                           "Twelve nights in Rome",
                           "score 8/10",
                           "100 days of rain",
                           "see april-report.pdf",
                           "王五月来了",
                           "李明天要开会",
                           "看今日头条",
                           "一晚1100块",
                           "饭前一小时吃药",
                           "天问一号",
                           "七八月最热",
                           "营业时间是周一至周日 08:00-20:00",
                           "晚上好",
                           "I said \"see you tomorrow\".",
                           "看过《后天》"})
    EXPECT_EQ(said(text), text);
  EXPECT_EQ(said("小李明天到"), "小李明天[2026年3月6日]到");
  EXPECT_EQ(said("On Friday Anna comes"), "On Friday [6 March 2026] Anna comes");
}

TEST(AbsoluteTimes, CM_4_literal_puts_dates_in_their_place) {
  const auto literal = [](std::string_view text) { return said(text, "2026-03-05T14:30:00+08:00", Style::kReplace); };
  EXPECT_EQ(literal("Tom came yesterday."), "Tom came on 4 March 2026.");
  EXPECT_EQ(literal("Tomorrow is fine."), "6 March 2026 is fine.") << "a subject has no preposition";
  EXPECT_EQ(literal("张三昨天到"), "张三2026年3月4日到");
  EXPECT_EQ(literal("a few days ago"), "a few days ago");
}

TEST(AbsoluteTimes, CM_5_a_listed_time_passes_the_gate_with_its_meaning) {
  for (const auto* text : {"今天", "昨天去的", "明天见", "刚才说过", "刚刚到", "上周三开会", "下周", "最近很忙",
                           "today", "met yesterday", "till tomorrow", "tonight at the club", "last week", "next Friday",
                           "recently", "busy lately", "last night", "next month"}) {
    const std::string out = said(text);
    EXPECT_TRUE(check(out, GateMode::kBalanced).empty()) << text << " → " << out;
  }
}

}  // namespace
}  // namespace weft
