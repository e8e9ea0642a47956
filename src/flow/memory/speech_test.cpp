#include "flow/memory/speech.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

namespace weft {
namespace {

TEST(Speech, CM_17_words_of_others_and_stories_tell_nothing_of_the_user) {
  for (const std::string_view others : {"他说：“我在大理开客栈。”", "这句“我爱吹双簧管”怎么写成被动？台词是这样的。",
                                        "小说里的主角住在海边。", "故事讲一个养蜂人。", "在我写的剧本里，她是护士。"})
    EXPECT_TRUE(is_said_by_others(others)) << others;
  for (const std::string_view own : {"我妈说：“我想你了。”", "我喜欢“双簧管”这个词。", "我写过一本小说。",
                                     "我在游戏里认识了我老公。", "我在书店工作。", "他在大理开客栈。"})
    EXPECT_FALSE(is_said_by_others(own)) << own;
}

std::string stated(std::string_view message) {
  std::string text;
  for (const StatedSentence& one : stated_sentences(message))
    if (!one.quotes) text += (text.empty() ? "" : " | ") + std::string(one.text);
  return text;
}

TEST(Speech, PF_25_text_to_be_worked_on_is_nobodys_statement) {
  for (const std::string_view message :
       {"Translate into German: I am 40 years old, I live in Oslo and I have two daughters.",
        "Translate to Spanish: \"I live in Oslo and I have two daughters.\"",
        "Summarize: I live in Oslo. I have two daughters. I work as a welder.",
        "Rewrite this more formally: I live in Oslo and I love my dog Rex.",
        "I live in Oslo. I have two daughters.\n\nTranslate the above",
        "I live in Oslo and I have a dog, fix the grammar",
        "Can you proofread this? I have lived in Oslo for ten years.",
        "Can you improve my text? Dear Sir, I am a plumber from York. I own a van.",
        "Please translate to German.\nI live in Oslo.\nI have two kids.",
        "Proofread my cover letter:\n\nDear Ms Weber,\nI am a teacher.\nBest regards,\nAnn",
        "How do you say I'm allergic to nuts in Spanish?",
        "Reply to this: I moved to Rome last week, and I love it.",
        "Continue the story: I am a knight. I live in a castle.",
        "Write an email saying I am moving out and I want my deposit back",
        "Is this correct: \"I has two cats\"?",
        "请把下面这段话翻译成英文。\n我住在大连。我有两个女儿。",
        "我住在大连。我有两个女儿。\n\n上面这段翻译成英文",
        "帮我翻译：我住在上海，对花生过敏。",
        "翻译一下\"我住在上海，在医院当护士\"",
        "这句话用英语怎么说：我对花生过敏",
        "润色一下：我在腾讯工作，喜欢爬山。",
        "总结一下这段话。我在上海工作。我有两个孩子。",
        "回复这条消息：我搬家了",
        "以下是我的简历，帮我优化一下\n我在阿里工作了三年。"})
    EXPECT_EQ(stated(message), "") << message;
}

TEST(Speech, PF_25_quoted_and_pasted_words_are_nobodys_statement) {
  for (const std::string_view message :
       {"She said “I live in Rome. I have two kids.", "My boss wrote \"I need you. I live in the office\" and left",
        "\"I live in Oslo\", he said, \"and I have a boat\"", "'I live in Oslo and I have a boat'",
        "Dear Mr Smith,\nI live in Oslo.\nYours sincerely,\nAnn", "From: Ann\nSubject: Hello\n\nI live in Oslo.",
        "Tom: I moved to Rome\nAnn: I work at Siemens", "My mom texted me: I have two tickets and I live for this",
        "Imagine I am a king. I live in a palace.", "> I live in Paris", "小王：我搬到上海了",
        "他说：“我住在上海，有两个孩子。”", "尊敬的领导：\n我在公司工作了五年。\n此致\n敬礼",
        "假设我是医生，我住在上海", "我梦见我住在海边"})
    EXPECT_EQ(stated(message), "") << message;
}

TEST(Speech, PF_25_pasted_chat_lines_and_reposts_are_nobodys_statement) {
  for (const std::string_view message :
       {"[10:31] Bob: I'm allergic to soy", "10:32 Eva: I have three cats",
        "[10:31:05 AM] Bob: I'm from Graz. I own a boat.", "12/03/2024, 10:31 - Bob: I live in Graz",
        "Bob [10:31]: I live in Graz", "Bob 10:31: I live in Graz", "[10:31] <bob> I live in Graz",
        "小王 10:32\n我住在西安", "张三(12345) 09:12:03\n我是司机", "2024-03-01 09:12:03 快乐的鱼(12345)\n我是司机",
        "快乐的鱼 10:32\n我住在西安\n大白 10:33\n我是司机", "小王 10:32：我住在西安。我有一只猫。",
        "Eva — Today at 10:32 AM\nI live in Graz", "转发微博：我养了三只猫", "//@小明: 我住在绍兴",
        "RT @bob: I live in Graz. I have a cat.", "Tom: I moved to Rome. I have a cat."})
    EXPECT_EQ(stated(message), "") << message;
  for (const auto& [message, own] : {std::pair{"[10:31] I'm allergic to soy", "[10:31] I'm allergic to soy"},
                                     {"I get up at 6:30\nI live in Graz", "I get up at 6:30 | I live in Graz"},
                                     {"[10:31] Bob: I live in Graz\nI live in Oslo", "I live in Oslo"},
                                     {"我每天 6:30 起床\n我住在西安", "我每天 6:30 起床 | 我住在西安"},
                                     {"起床 6:30\n我住在西安", "起床 6:30 | 我住在西安"}})
    EXPECT_EQ(stated(message), own) << message;
}

TEST(Speech, PF_25_a_report_goes_on_to_the_end_of_its_sentence) {
  EXPECT_EQ(stated("My horoscope says I am a leader and I love risk. I live in Oslo."),
            "My horoscope says I am a leader | I live in Oslo.");
  for (const std::string_view own :
       {"I said I am a nurse and I love my work.", "The sign says no dogs and I have two dogs."})
    EXPECT_EQ(stated(own), own);
}

TEST(Speech, PF_25_a_bare_request_for_work_on_a_text_takes_what_follows) {
  for (const std::string_view message :
       {"Turn the following into bullet points. I live in Turin. I own two boats.", "Shorten. I have three kids.",
        "Proofread please. Yesterday was fun. I own a Tesla.", "In Spanish please. I live in Malaga.",
        "Correct me. I has two cats.", "Make it formal. My name is Rudi and I hate my boss.",
        "Check spelling. I am from Malmo", "Translate to French\nI live in Malmo", "缩写成一句话。\n我住在宜昌。",
        "翻译一下。我养了两条狗。", "用英文说。我有一个哥哥。", "润色。我住在宜昌。", "转成间接引语。我住在宜昌。",
        "翻成日语：我在大阪工作", "中译英：我住在宜昌", "日译中：我住在宜昌。我有一个哥哥。",
        "英译中：I live in Oslo."})
    EXPECT_EQ(stated(message), "") << message;
  for (const std::string_view own :
       {"I live in Turin.", "Answer in French.", "Use metric.", "用中文回答。", "我翻译小说。", "我转成正式员工了。"})
    EXPECT_EQ(stated(std::string(own) + "\nI own two boats."), std::string(own) + " | I own two boats.");
}

TEST(Speech, PF_25_what_is_ones_own_stays_beside_requests_quotes_and_codes) {
  for (const auto& [message, own] :
       {std::pair{"I'm a nurse. Can you summarize this article?", "I'm a nurse."},
        {"> I live in Paris\n\nI live in Oslo", "I live in Oslo"},
        {"Please remember the following: I live in Oslo.", "Please remember the following: I live in Oslo."},
        {"Sorry, that was wrong: I moved.", "Sorry, that was wrong: I moved."},
        {"About me:\nI live in Oslo.", "About me: | I live in Oslo."},
        {"@小助手 我对花生过敏", "我对花生过敏"},
        {"[CQ:at,qq=10001] 我住在苏州", "我住在苏州"},
        {"<@123> I live in Oslo", "I live in Oslo"},
        {"😂我对花生过敏", "我对花生过敏"},
        {"[回复 小王：我住在上海] 我住在苏州", "我住在苏州"},
        {"我在翻译一本书，在出版社上班", "我在翻译一本书，在出版社上班"},
        {"记住：我住在苏州", "记住：我住在苏州"}})
    EXPECT_EQ(stated(message), own) << message;
  ASSERT_EQ(stated_sentences("Never say \"I hope this helps\".").size(), 1U);
  EXPECT_TRUE(stated_sentences("Never say \"I hope this helps\".").front().quotes);
}

}  // namespace
}  // namespace weft
