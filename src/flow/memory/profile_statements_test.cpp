#include "flow/memory/profile_statements.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

std::string shown(std::string_view sentence) {
  std::string text;
  for (const auto& s : read_statements(sentence)) {
    const std::string sign = s.polarity == Polarity::kYes ? "+" : s.polarity == Polarity::kNo ? "-" : "~";
    text += (text.empty() ? "" : "; ") + s.subject + sign + s.attribute + "=" + s.value;
  }
  return text;
}

TEST(ProfileStatements, CM_8_english_statements) {
  EXPECT_EQ(shown("Ann lives in Berlin."), "ann+residence=berlin");
  EXPECT_EQ(shown("Ann now lives in Berlin, Germany"), "ann+residence=berlin");
  EXPECT_EQ(shown("Ann has moved to Oslo because of work."), "ann+residence=oslo");
  EXPECT_EQ(shown("Ann works as a nurse and lives in Berlin."), "ann+job=a nurse; ann+residence=berlin");
  EXPECT_EQ(shown("Ann lives in Berlin, and Bob works at Acme."), "ann+residence=berlin; bob+employer=acme");
  EXPECT_EQ(shown("Ann likes tea but hates coffee."), "ann+likes=tea; ann-likes=coffee");
  EXPECT_EQ(shown("Ann doesn't like olives."), "ann-likes=olives");
  EXPECT_EQ(shown("Ann does not like olives anymore."), "ann~likes=olives");
  EXPECT_EQ(shown("Ann no longer likes olives"), "ann~likes=olives");
  EXPECT_EQ(shown("Ann is allergic to peanuts"), "ann+allergies=peanuts");
  EXPECT_EQ(shown("Ann’s birthday is March 5, 1990."), "ann+birthday=march 5, 1990");
  EXPECT_EQ(shown("Ann's favourite colour is green"), "ann+favourite colour=green");
  EXPECT_EQ(shown("Likes hiking"), "+likes=hiking");
  EXPECT_EQ(shown("The user prefers short answers."), "the user+prefers=short answers");
  EXPECT_EQ(shown("Ann speaks French, German and Dutch"), "ann+languages=french, german and dutch");
}

TEST(ProfileStatements, CM_8_chinese_statements) {
  EXPECT_EQ(shown("小明住在上海。"), "小明+residence=上海");
  EXPECT_EQ(shown("Ann 的生日是3月5日"), "ann+birthday=3月5日");
  EXPECT_EQ(shown("小明非常喜欢爬山，讨厌下雨"), "小明+likes=爬山; 小明-likes=下雨");
  EXPECT_EQ(shown("小明不喜欢香菜"), "小明-likes=香菜");
  EXPECT_EQ(shown("小明不再喜欢香菜了"), "小明~likes=香菜");
  EXPECT_EQ(shown("小明在腾讯工作。"), "小明+employer=腾讯");
  EXPECT_EQ(shown("小明对花生过敏"), "小明+allergies=花生");
  EXPECT_EQ(shown("小明對花生過敏"), "小明+allergies=花生");
  EXPECT_EQ(shown("小明已经搬到了北京，会说法语"), "小明+residence=北京; 小明+languages=法语");
  EXPECT_EQ(shown("喜欢喝茶"), "+likes=茶");
  EXPECT_EQ(shown("小明是一名护士"), "小明+job=护士");
  EXPECT_EQ(shown("小明是一位父亲"), "小明+is=父亲");
  EXPECT_EQ(shown("小明今年30岁"), "小明+age=30");
}

TEST(ProfileStatements, CM_8_questions_wishes_and_the_past_state_nothing) {
  for (const std::string sentence : {"Where does Ann live?",
                                     "Ann might like tea.",
                                     "If Ann lives in Berlin, call her.",
                                     "Bob says Ann lives in Rome.",
                                     "Ann formerly worked as a cook.",
                                     "Ann went to the market.",
                                     "",
                                     " ",
                                     "lives in",
                                     "!!!",
                                     "小明住在哪里？",
                                     "小明可能喜欢茶",
                                     "如果小明住在北京",
                                     "小明想住在海边",
                                     "今天下雨了",
                                     "This is a good idea.",
                                     "My sister lives in Rome.",
                                     "I like tea.",
                                     "The code uses locks.",
                                     "来自小明：你好",
                                     "这是一个好主意",
                                     "我喜欢茶",
                                     "小明喜欢的茶很贵",
                                     "是个好主意",
                                     "小明忍不住在家唱歌",
                                     "小明的父亲六十岁了，住在武汉"}) {
    EXPECT_EQ(shown(sentence), "") << sentence;
  }
}

TEST(ProfileStatements, CM_17_what_is_over_is_no_longer_so) {
  EXPECT_EQ(shown("Ann used to live in Rome."), "ann~residence=rome");
  EXPECT_EQ(shown("小明以前住在北京。"), "小明~residence=北京");
  EXPECT_EQ(shown("Ann gave up tennis."), "ann~*=tennis");
  EXPECT_EQ(shown("小明戒了咖啡。"), "小明~*=咖啡");
  EXPECT_EQ(shown("小明喜欢上跑步。"), "小明+likes=跑步");
  EXPECT_EQ(shown("小明喜欢上班。"), "小明+likes=上班");
}

TEST(ProfileStatements, CM_17_one_value_at_a_time_whatever_it_is_called) {
  EXPECT_EQ(shown("Ann's new mobile number is 555-01."), "ann+phone=555-01");
  EXPECT_EQ(shown("Ann's dentist is Dr Weber."), "ann+of dentist=dr weber");
  EXPECT_EQ(shown("Ann's boss is annoying."), "");
  EXPECT_EQ(shown("Ann's job is boring."), "");
  EXPECT_EQ(shown("Ann's boss is Karen."), "ann+boss=karen");
  EXPECT_EQ(shown("Ann's laptop stand wobbles."), "");
  EXPECT_EQ(shown("Ann is vegan."), "ann+diet=vegan");
  EXPECT_EQ(shown("Ann has two cats."), "ann+number of cat=two cats");
  EXPECT_EQ(shown("Ann moved to Porto last month."), "ann+residence=porto");
  for (const char* home :
       {"Ann moved to berlin.", "Ann moved to los angeles in May.", "Ann has moved to a small flat in Leeds.",
        "Ann moved to the coast.", "Ann moved to the Lake District.", "Ann moved to Berlin for work.",
        "Ann moved to Berlin for teaching.", "Ann moved to Nettle from Berlin.", "Ann moved to the UK.",
        "Ann relocated to Nettle for love.", "Ann moved back to Porto as a nurse."})
    EXPECT_TRUE(shown(home).starts_with("ann+residence=")) << home << ": " << shown(home);
  for (const char* tool : {"小明搬到Notion了。", "小明搬到了Linux。", "小明搬到飞书了。"})
    EXPECT_EQ(shown(tool).find("residence"), std::string::npos) << tool << ": " << shown(tool);
  EXPECT_EQ(shown("小明搬到Berlin了。"), "小明+residence=berlin");
  for (const char* tool :
       {"The user has moved to Slack for everything.", "Ann moved to Slack.", "Ann moved to Nettle for everything.",
        "Ann moved to Nettle as her notebook.", "Ann moved to Nettle from Trello.", "Ann moved to decaf.",
        "Ann moved to oat milk.", "Ann moved back to Windows.", "Ann moved to Postgres 16.",
        "Ann moved to the Premium plan.", "Ann moved to weekly sprints.", "Ann moved to Nettle & Sons.",
        "Ann moved to Nettle and Sons in May.", "Ann moved to Nettle Ltd.", "Ann moved to a standing desk."})
    EXPECT_EQ(shown(tool).find("residence"), std::string::npos) << tool << ": " << shown(tool);
  EXPECT_EQ(shown("Ann lives in Porto [since 3 May 2026]."), "ann+residence=porto");
  EXPECT_EQ(shown("小明的手机号换成13800001111了"), "小明+phone=13800001111");
  EXPECT_EQ(shown("小明5月3日去罗马出差"), "小明+trip to " + value_key("罗马") + "=5月3日");
}

TEST(ProfileStatements, CM_8_values_are_compared_by_their_words) {
  EXPECT_EQ(read_statements("Ann likes cats and dogs.")[0].values,
            (std::vector<std::string>{value_key("cat"), value_key("dog")}));
  EXPECT_EQ(value_key("the Big Apple"), value_key("big apples"));
  EXPECT_NE(value_key("北京"), value_key("南京"));
  EXPECT_TRUE(read_statements(std::string(100'000, 'a')).empty());
  EXPECT_TRUE(read_statements("Ann likes \xFF").empty());
}

}  // namespace
}  // namespace weft
