#include <gtest/gtest.h>

#include "flow/historian/absolutise.h"
#include "flow/historian/antecedents.h"
#include "flow/historian/resolve.h"
#include "tests/support/large_text.h"

namespace weft {
namespace {

Speech between(const std::string& sender, const std::string& addressee) {
  Speech speech;
  speech.sender = {"1", sender};
  speech.addressee = Person{"2", addressee};
  speech.name_speakers = false;
  return speech;
}

std::string told(std::string_view text) { return absolutise(text, between("张三", "李四")).text; }

std::string told_after(std::vector<EarlierMessage> earlier, std::string_view text) {
  Speech speech = between("张三", "李四");
  speech.earlier = std::move(earlier);
  return absolutise(text, speech).text;
}

// Before several others, one of whom goes on and on.
std::string told_to_many(std::vector<EarlierMessage> earlier, std::string_view text) {
  Speech speech;
  speech.sender = {"1", "甲"};
  speech.participants = {{"1", "甲"}, {"2", "乙"}, {"3", "丙"}};
  speech.name_speakers = false;
  speech.earlier = std::move(earlier);
  return absolutise(text, speech).text;
}

TEST(ChineseAntecedents, CM_5_people_by_a_common_noun) {
  EXPECT_EQ(told("护士很忙，他们常常加班。"), "护士很忙，他们[护士]常常加班。");
  EXPECT_EQ(told("消费者不满意时，他们会退货。"), "消费者不满意时，他们[消费者]会退货。") << "by 者";
  EXPECT_EQ(told("我们要鼓励学生，让他自己去试。"), "我们要鼓励学生，让他[学生]自己去试。");
  EXPECT_EQ(told("约了朋友打球，他迟到了。"), "约了朋友打球，他[朋友]迟到了。");
  EXPECT_EQ(told("几位律师来过，他们留下了名片。"), "几位律师来过，他们[律师]留下了名片。");
  EXPECT_EQ(told("每个人都有难处，他不一定会说。"), "每个人都有难处，他[每个人]不一定会说。");
}

TEST(ChineseAntecedents, CM_5_a_text_may_end_behind_a_surname) {
  for (const auto* text : {"我姓王", "今天见了王", "今天见了王小", "找李x", "谢谢欧阳", "请问陈😀"})
    EXPECT_EQ(told(text), text);
}

TEST(ChineseAntecedents, CM_5_what_somebody_is_and_with_whom_others_are_compared_are_not_meant) {
  EXPECT_EQ(told("王芳是医生，她很忙。"), "王芳是医生，她[王芳]很忙。");
  for (const auto* text : {"我又当司机又当厨师，他们都笑了。", "比老师还认真，他们真行。", "几个病人在等，他却走了。",
                           "用户名忘了，他们说没关系。", "尊敬的家长，他们已经到校。", "这家公司很大，他们在招人。",
                           "约了朋友和同事打球，他迟到了，公司里没人知道他们去了。"})
    EXPECT_EQ(told(text).find("他们["), std::string::npos) << text;
  EXPECT_EQ(told("一个护士刚走，他们在找人。"), "一个护士刚走，他们在找人。") << "one is not they";
}

TEST(ChineseAntecedents, PF_25_whom_a_doctor_or_a_boss_speaks_of_stays_open) {
  for (const auto* text : {"医生说他血压高。", "老板觉得他不合适。", "律师建议：他先别签字。"})
    EXPECT_EQ(told(text), text);
  EXPECT_EQ(told("王芳说她要结婚了。"), "王芳说她[王芳]要结婚了。");
}

TEST(ChineseAntecedents, CM_5_what_stands_right_before_is_taken_up) {
  EXPECT_EQ(told("欧阳老师他最近很累。"), "欧阳老师他[欧阳老师]最近很累。");
  EXPECT_EQ(told("昨天和陈静她们去爬山。"), "昨天和陈静她们[陈静等人]去爬山。") << "who else is not known";
  EXPECT_EQ(told("王老师来过，这个系统他很慢。"), "王老师来过，这个系统他很慢。") << "a thing is taken up";
  EXPECT_EQ(told("我问老师他什么时候来。"), "我问老师他什么时候来。");
}

TEST(ChineseAntecedents, CM_5_the_same_person_goes_on) {
  EXPECT_EQ(told("王强来电话了。他说客户很满意。他明天回来。"),
            "王强来电话了。他[王强]说客户很满意。他[王强]明天回来。");
  EXPECT_EQ(told("他说客户很满意，他明天回来。"), "他说客户很满意，他明天回来。") << "who is not known stays so";
}

TEST(ChineseAntecedents, CM_5_between_two_who_was_spoken_of_stays_in_sight) {
  EXPECT_EQ(
      told_after({{"张三", "我妈妈膝盖疼。"}, {"李四", "多久了？"}, {"张三", "半年了。"}, {"李四", "去医院了吗？"}},
                 "陪她去过一次。"),
      "陪她[张三的妈妈]去过一次。");
  EXPECT_EQ(told_after({{"李四", "我表哥和我舅舅吵架了。"}, {"张三", "啊？"}, {"李四", "嗯。"}}, "他没事吧？"),
            "他没事吧？")
      << "two who fit, far back";
  EXPECT_EQ(told_to_many({{"乙", "我妈妈膝盖疼。"}, {"丙", "多久了？"}}, "陪她去过一次吗？"), "陪她去过一次吗？");
}

TEST(ChineseAntecedents, CM_5_who_is_spoken_to_is_not_he) {
  EXPECT_EQ(told_to_many({{"乙", "有请赵总。"}}, "他做这行很久了。"), "他做这行很久了。");
  EXPECT_EQ(told_to_many({{"乙", "赵总去年来过。"}}, "他做这行很久了。"), "他[赵总]做这行很久了。");
  EXPECT_EQ(told("李老师，您好，他在吗？"), "李老师，您好，他在吗？");
  EXPECT_EQ(told("有位医生，应该不是医生，他来问路。"), "有位医生，应该不是医生，他来问路。") << "taken back";
}

TEST(ChineseAntecedents, CM_5_a_house_is_nobody) {
  EXPECT_EQ(told_after({{"李四", "我同事推荐的饭店。"}}, "他家的菜贵吗？"), "他家的菜贵吗？");
  EXPECT_EQ(told("王强搬走了，他家在南京。"), "王强搬走了，他[王强]家在南京。");
}

TEST(ChineseAntecedents, CM_5_nouns_and_measures_are_no_names) {
  for (const auto* text : {"买了几张桌子，他很高兴。", "投顾服务不错，他很满意。", "养老金够了，他不担心。",
                           "这叫做市场，他懂。", "爬了岳麓山，他累了。"})
    EXPECT_EQ(told(text), text);
  EXPECT_EQ(told("谢吴校长，他帮了大忙。").find("谢吴校长]"), std::string::npos);
}

TEST(ChineseAntecedents, CM_5_relatives_are_nobodys_where_the_owner_is_not_known) {
  Speech helper = between("助手", "张三");
  EXPECT_EQ(absolutise("陪父母散步，他们会开心。", helper).text, "陪父母散步，他们[父母]会开心。");
  EXPECT_EQ(told("多提醒爸，让他早睡。"), "多提醒爸，让他[张三的爸]早睡。");
  EXPECT_EQ(told("爸，他来了。"), "爸，他来了。") << "called";
}

TEST(ChineseAntecedents, CM_5_short_messages_say_who_writes_to_whom) {
  const MessageLabel sent = message_label("发给李雷：韩梅梅：到了吗？");
  EXPECT_EQ(sent.partner, "李雷");
  EXPECT_EQ(sent.speaker, "韩梅梅");
  EXPECT_EQ(sent.hearer, "李雷");
  const MessageLabel received = message_label("来自李雷：李雷：到了。");
  EXPECT_EQ(received.speaker, "李雷");
  EXPECT_EQ(received.hearer, "");
  for (const auto* text : {"来自上海的朋友说：好", "今天：晴", "", "发给", "来自李雷"})
    EXPECT_EQ(message_label(text).partner, "") << text;
  EXPECT_EQ(told_after({{"短信", "来自李雷：李雷：赵强升职了。"}, {"短信", "来自快递：您的包裹到了。"}},
                       "发给李雷：韩梅梅：他请客了吗？"),
            "发给李雷：韩梅梅：他[赵强]请客了吗？")
      << "not the talk with somebody else";
  EXPECT_EQ(told("发给李雷：韩梅梅：他还没来。"), "发给李雷：韩梅梅：他还没来。") << "neither of the two";
}

TEST(ChineseAntecedents, CM_16_long_texts_take_linear_time) {
  for (const auto* piece :
       {"学生很忙，他们也是。", "他说学生来了", "公司他", "比老师", "每个人，他。", "member 他 ", "爸，他"}) {
    std::string text;
    while (text.size() < test::kLargeText / 2) text += piece;
    const Absolute result = absolutise(text, between("张三", "李四"));
    EXPECT_EQ(without(result.text, result.annotations), text);
  }
}

}  // namespace
}  // namespace weft
