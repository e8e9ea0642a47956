#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flow/memory/profile_statements.h"
#include "flow/memory/said_facts.h"
#include "flow/memory/standing_wish.h"
#include "text/utf8.h"

namespace weft {
namespace {

std::string shown(std::string_view message, const std::string& subject = "") {
  std::string text;
  for (const auto& fact : read_said(message, subject).facts)
    text += (text.empty() ? "" : " / ") + fact.attribute + "=" + fact.text;
  return text;
}

TEST(SaidFacts, CM_17_what_users_state_of_themselves_becomes_sentences_about_them) {
  EXPECT_EQ(shown("I live in Berlin and work as a nurse"),
            "residence=The user lives in Berlin. / job=The user works as a nurse.");
  EXPECT_EQ(shown("I moved to Porto last month."), "residence=The user moved to Porto last month.");
  EXPECT_EQ(shown("By the way, I'm vegan now."), "diet=The user is vegan now.");
  EXPECT_EQ(shown("My phone number is 555-0199"), "phone=The user's phone number is 555-0199.");
  EXPECT_EQ(shown("My new mobile number is 555-0177."), "phone=The user's new mobile number is 555-0177.");
  EXPECT_EQ(shown("My dentist is Dr Weber."), "of dentist=The user's dentist is Dr Weber.");
  EXPECT_EQ(shown("I'm a teacher.", "Ann"), "job=Ann is a teacher.");
  EXPECT_EQ(shown("My sister lives in Rome."), "residence=The user's sister lives in Rome.");
  EXPECT_EQ(shown("We have two cats."),
            "number of "
            "cat=The user has two cats.");
  EXPECT_EQ(shown("I'm allergic to peanuts."), "allergies=The user is allergic to peanuts.");
  EXPECT_EQ(shown("Last week I got a job at Siemens."), "employer=The user got a job at Siemens.");
  EXPECT_EQ(shown("I'm flying to Rome on 3 May."), "trip to rome=The user is flying to Rome on 3 May.");
  EXPECT_EQ(shown("My favourite colour is teal these days."),
            "favourite colour=The user's favourite colour is teal these days.");
  EXPECT_EQ(shown("They changed my seat number to 12."), "of seat number=The user's seat number changed to 12.");
  EXPECT_EQ(shown("My son's new coach is Pavel."), "of son coach=The user's son's new coach is Pavel.");
  EXPECT_EQ(shown("My sister moved to Turin."), "residence=The user's sister moved to Turin.");
  EXPECT_EQ(shown("I switched from Italian to Swedish."), "*=The user switched from Italian to Swedish.");
  EXPECT_EQ(shown("I used to live in Bonn."), "residence=The user used to live in Bonn.");
}

TEST(SaidFacts, CM_17_chinese) {
  EXPECT_EQ(shown("我住在柏林，在一家医院当护士。"), "residence=用户住在柏林。 / job=用户在一家医院当护士。");
  EXPECT_EQ(shown("我上个月搬到了波尔图。"), "residence=用户上个月搬到了波尔图。");
  EXPECT_EQ(shown("对了，我手机号是13800001111。"), "phone=用户的手机号是13800001111。");
  EXPECT_EQ(shown("我妹妹住在巴黎。"), "residence=用户的妹妹住在巴黎。");
  EXPECT_EQ(shown("我现在吃素了。"), "diet=用户吃素了。");
  EXPECT_EQ(shown("我对花生过敏。"), "allergies=用户对花生过敏。");
  EXPECT_EQ(shown("我的生日是5月3日。"), "birthday=用户的生日是5月3日。");
  EXPECT_EQ(shown("我现在在腾讯工作。"), "employer=用户在腾讯工作。");
  EXPECT_EQ(shown("我女朋友叫李雷。"), "partner=用户的女朋友叫李雷。");
  EXPECT_EQ(shown("我的新房东是王强。"), "landlord=用户的新房东是王强。");
  EXPECT_EQ(shown("我的房东很好。"), "");
  EXPECT_EQ(shown("我想知道两座山的高差，单位是英尺。"), "") << "no employer of anybody's";
  EXPECT_EQ(shown("这种自我的座位号是12。"), "");
  EXPECT_EQ(shown("我现在开大众牌的车。"), "vehicle=用户开大众牌的车。");
  EXPECT_EQ(shown("搬家以后我的门牌号是12。"),
            "of "
            "门牌号=用户的门牌号是12。");
  EXPECT_EQ(shown("我养了两只猫。").substr(0, 10), "number of ");
}

TEST(SaidFacts, CM_17_what_lasts_is_told_whatever_its_verb) {
  EXPECT_EQ(shown("Lost my job last week."), "said=The user lost the user's job last week.");
  EXPECT_EQ(shown("I volunteer at the animal shelter on Saturdays."),
            "habit at the animal shelter=The user volunteers at the animal shelter on Saturdays.");
  EXPECT_EQ(shown("I quit drinking two years ago.").substr(0, 2), "*=");
  EXPECT_EQ(shown("I hurt my back last month."), "said=The user hurt the user's back last month.");
  EXPECT_EQ(shown("I used to be a smoker."), "said=The user used to be a smoker.");
  EXPECT_EQ(shown("My daughter just turned five."), "said=The user's daughter just turned five.");
  EXPECT_EQ(shown("I don't have any siblings."), "has=The user doesn't have any siblings.");
  EXPECT_EQ(shown("I plan to retire at 60."), "said=The user plans to retire at 60.");
  EXPECT_EQ(shown("I want to move to Rome."), "said=The user wants to move to Rome.");
  EXPECT_EQ(shown("i study marine biology , can you recommend a book ?"), "said=The user studies marine biology.");
  EXPECT_EQ(shown("The doctor told me I have high blood pressure."), "conditions=The user has high blood pressure.");
  EXPECT_EQ(shown("I bought a tent, which is lighter than the old one."), "said=The user bought a tent.");
  EXPECT_EQ(shown("我一天吃两次二甲双胍。"), "medicine 二甲双胍=用户一天吃两次二甲双胍。");
  EXPECT_EQ(shown("刚搬到成都，和女朋友一起住。"), "residence=用户刚搬到成都。 / said=用户和女朋友一起住。");
  EXPECT_EQ(shown("我三月摔断了胳膊。"), "said=用户三月摔断了胳膊。");
  EXPECT_EQ(shown("我女儿今年上大学了。"), "said=用户的女儿今年上大学了。");
  EXPECT_EQ(shown("我老公是消防员，经常上夜班。"), "partner=用户的老公是消防员。") << "what follows is said of him";
  EXPECT_EQ(shown("作为护士，我每周上三次夜班。"), "said=用户是护士。 / habit 上三次夜班=用户每周上三次夜班。");
  EXPECT_EQ(shown("我打算六十岁退休，你有什么建议吗？"), "said=用户打算六十岁退休。");
  for (const char* text :
       {"I think the weather is nice.", "I need help with my essay.", "Thanks, I will check it out.",
        "I might buy a boat one day.", "I'm thinking about moving to Spain.", "I have a question about taxes.",
        "I want you to act as a lawyer.", "I'm looking for a new phone, like a small one.", "I found it yesterday.",
        "We can hike and watch wrestling.", "Could I bring my umbrella?",
        "I'm interested in learning more about sharks.", "我觉得天气不错。", "谢谢，我会去看看的。", "我今天有点累。",
        "我想订一张两人桌。", "我的目标之一是什么？", "医生说他血压高。", "我初步设想是L形的桌子。"})
    EXPECT_EQ(shown(text), "") << text;
}

TEST(SaidFacts, PF_25_a_wide_space_before_a_sentence_is_no_part_of_it) {
  for (const char* text : {"　　我住在武汉", "@小助手　我住在武汉", "你好。　我住在武汉。　", "\u00A0我住在武汉"})
    EXPECT_EQ(shown(text), "residence=用户住在武汉。") << text;
  EXPECT_EQ(shown("@小助手　我对芒果过敏"), "allergies=用户对芒果过敏。");
}

TEST(SaidFacts, PF_25_one_lives_on_an_island_and_at_an_address) {
  for (const char* home :
       {"lives on Malta", "lives on the Isle of Skye now", "lives at 5 Elm Street in Bergen", "lives on a farm",
        "lives on 42nd Street", "lives at the seaside in Hull", "lives at 12 Mill Lane, York"})
    EXPECT_EQ(shown("Ann " + std::string(home) + ".", "Ann"), "residence=Ann " + std::string(home) + ".");
  EXPECT_EQ(shown("I live at 5 Elm Street."), "address=The user lives at 5 Elm Street.");
  EXPECT_EQ(shown("I'm living on Malta."), "residence=The user is living on Malta.");
  EXPECT_EQ(shown("I now live at the seaside in Hull."), "residence=The user now lives at the seaside in Hull.");
  for (const char* other :
       {"rice", "my own", "benefits", "the edge", "20 euros a day", "Diet Coke", "Netflix", "Universal Credit",
        "my own in Hull", "2000 calories", "Mondays", "£20 a day", "Tuesdays at my dad's"})
    EXPECT_EQ(shown("I live on " + std::string(other) + ".").find("residence="), std::string::npos) << other;
  for (const char* other :
       {"home", "full speed", "home with my parents in Hull", "peace", "night", "100 miles an hour"})
    EXPECT_EQ(shown("I live at " + std::string(other) + ".").find("residence="), std::string::npos) << other;
}

TEST(SaidFacts, CM_17_what_is_taken_for_granted_is_told) {
  EXPECT_EQ(shown("Which visa do my kids need?"), "said=The user has kids.");
  EXPECT_EQ(shown("Any tips for yoga classes near my new apartment?"), "said=The user has a new apartment.");
  EXPECT_EQ(shown("What lens fits on my Canon R5?"), "said=The user has a Canon R5.");
  for (const auto* text : {"Did my mother call?", "Is my Monday free?", "How do I improve my Instagram content?",
                           "What is my next step?", "Is my car ready?", "Does my partner Fenna like rabbits?"})
    EXPECT_EQ(shown(text), "") << text;
}

TEST(SaidFacts, CM_3_questions_of_the_speaker_are_told_in_the_third_person) {
  for (const auto& [said, told] : {std::pair{"What should I feed my cat?", "What should the user feed the user's cat?"},
                                   {"Do I need a visa?", "Does the user need a visa?"},
                                   {"Am I late?", "Is the user late?"},
                                   {"How long have I known her?", "How long has the user known her?"},
                                   {"Where did I put it?", "Where did the user put it?"},
                                   {"I think I know.", "The user thinks the user knows"}})
    EXPECT_EQ(in_third_person(said, "").substr(0, std::string_view(told).size()), told);
}

TEST(SaidFacts, CM_17_who_tells_of_themselves_by_name_tells_of_themselves) {
  const auto said = read_said("Mira won first place in the chess tournament. Tom moved to Rome.", "Mira");
  ASSERT_EQ(said.facts.size(), 1U);
  EXPECT_EQ(said.facts[0].text, "Mira won first place in the chess tournament.");
  EXPECT_EQ(said.facts[0].quote, "Mira won first place in the chess tournament.");
}

TEST(SaidFacts, CM_17_when_and_how_something_is_done_is_no_wish) {
  for (const char* told :
       {"We ship on Mondays, never on weekends.", "My mother bakes for the fair, always with walnuts.",
        "He swims in the sea, but never after lunch."})
    EXPECT_EQ(shown(told).find("wish:"), std::string::npos) << told;
  EXPECT_NE(shown("Answer in prose, never in bullet points.").find("wish:"), std::string::npos);
}

TEST(SaidFacts, CM_17_how_one_matter_is_to_be_told_is_no_wish_for_all_that_follows) {
  constexpr const char* kEnglish[] = {"Explain # in one sentence", "Tell me about # in three sentences",
                                      "Describe #, briefly please", "Explain # in Chinese please",
                                      "Please give me a detailed answer on #"};
  constexpr const char* kChinese[] = {"用一句话讲讲#", "详细讲讲#", "请简短回答：#", "用中文解释一下#",
                                      "给我讲讲#，短一点"};
  constexpr const char* kMatters[] = {"black holes", "the Hanseatic League", "photosynthesis", "our refund policy"};
  constexpr const char* kMatters2[] = {"黑洞", "汉萨同盟", "光合作用", "monad", "月亮多大"};
  const auto wishes = [](std::string form, const char* matter) {
    form.replace(form.find('#'), 1, matter);
    std::size_t count = 0;
    for (const SaidFact& fact : read_said(form, "").facts) count += fact.attribute.starts_with("wish:");
    return std::pair{form, count};
  };
  for (const char* form : kEnglish)
    for (const char* matter : kMatters) {
      const auto [said, count] = wishes(form, matter);
      EXPECT_EQ(count, 0U) << said;
    }
  for (const char* form : kChinese)
    for (const char* matter : kMatters2) {
      const auto [said, count] = wishes(form, matter);
      EXPECT_EQ(count, 0U) << said;
    }
  for (const char* said : {"Explain things to me in one sentence", "From now on explain black holes in one sentence",
                           "回答请尽量简短", "以后讲黑洞只用一句话", "请用中文回答我"})
    EXPECT_EQ(read_said(said, "").facts.size(), 1U) << said;
}

TEST(SaidFacts, CM_17_what_was_never_done_and_what_the_speaker_does_is_no_wish) {
  for (const char* told : {"Can you look through the invoice, and also say why I have never paid it?",
                           "I've always kept the answers short.", "It was never meant to be a long answer.",
                           "明天开会的时候我给大家详细讲讲。", "我先按你说的试试，参数固定在三十。",
                           "请整理成一页，方便我以后给别人解释。", "这样我以后回答起来就简短了。"})
    EXPECT_EQ(shown(told).find("wish:"), std::string::npos) << told << ": " << shown(told);
  for (const char* wish : {"以后给我来点简短的回答。", "Never use long answers with me.", "以后回答我先说结论。"})
    EXPECT_NE(shown(wish).find("wish:"), std::string::npos) << wish;
}

TEST(SaidFacts, CM_17_characters_of_a_wish_stay_whole) {
  for (const char* last : {"一", "其", "下", "个", "与", "专"}) {
    const ConditionedWish read = read_wish_condition("我问价格的时候答" + std::string(last));
    EXPECT_EQ(read.wish, "答" + std::string(last));
    EXPECT_EQ(read.condition, "我问价格");
  }
}

TEST(SaidFacts, CM_17_wishes_for_different_occasions_stand_beside_each_other) {
  EXPECT_EQ(shown("Always answer with details when I ask about ferries."),
            "wish:length when " + value_key("when i ask about ferries") +
                "=The user asks: Always answer with details when I ask about ferries");
  const auto attribute = [](const char* told) {
    const std::string all = shown(told);
    return all.substr(0, all.find('='));
  };
  EXPECT_NE(attribute("Always answer briefly when I ask about ferries."),
            attribute("Always answer briefly when I ask about trains."));
  EXPECT_EQ(attribute("Always answer briefly when I ask about ferries."),
            attribute("Always give long answers when I ask about ferries."));
  EXPECT_NE(attribute("以后我问菜谱的时候回答简短一点。"), attribute("以后我问历史的时候回答简短一点。"));
  EXPECT_EQ(attribute("Always quote the departure times when I ask about release details.").find("length"),
            std::string::npos)
      << "the occasion is not what it is about";
  EXPECT_EQ(attribute("以后我问菜谱的时候回答简短一点。"), attribute("每次我问菜谱的时候都回答详细一点。"));
  EXPECT_EQ(attribute("Always answer briefly when it is late."), "wish:length") << "no deed of the speaker";
  EXPECT_EQ(attribute("Always answer briefly if in doubt."), "wish:length");
}

TEST(SaidFacts, CM_17_standing_wishes_are_found) {
  EXPECT_EQ(shown("Keep answers short, use metric."),
            "wish:length=The user asks: Keep answers short / wish:units=The user asks: use metric");
  EXPECT_EQ(shown("以后都用中文回答。"), "wish:language=用户要求：以后都用中文回答");
  EXPECT_EQ(shown("Whenever you write code for me, use Python."),
            "wish:code=The user asks: Whenever you write code for me, use Python");
  for (const char* wish :
       {"From now on answer in French.", "Please don't use emojis.", "Always show temperatures in Celsius.",
        "Never suggest restaurants with meat.", "Call me Bo.", "I prefer short answers.", "别再用表情了。",
        "请叫我小王。", "以后回答简短一点。", "每次都给出来源。"})
    EXPECT_NE(shown(wish).find("wish:"), std::string::npos) << wish;
}

TEST(SaidFacts, CM_17_what_belongs_to_the_moment_is_no_fact) {
  EXPECT_EQ(shown("I love all the yellow leaves, it looks so cozy."), "");
  for (const char* text : {"Thanks!",
                           "Please.",
                           "So, thanks!",
                           "Also",
                           "Never mind.",
                           "Convert 5 miles to kilometres.",
                           "Write me a poem, always rhyming.",
                           "Write to me at ann@post.example.",
                           "Where do I live?",
                           "If I lived in Rome I would be happy.",
                           "Write a short answer to this email.",
                           "Please don't delete that file.",
                           "Use metric for this recipe.",
                           "I like it.",
                           "I'm a bit tired.",
                           "Translate: I live in Berlin.",
                           "帮我翻译：我住在上海。",
                           "Translate this to French:\nI live in Berlin.",
                           "My question is about 3 files.",
                           "She said \"I live in Rome\".",
                           "Maybe I moved to Rome.",
                           "I have a question.",
                           "Keep the answer key short in the quiz.",
                           "Can you make it shorter?",
                           "帮我把这段话翻译成英文。",
                           "我想搬到罗马。",
                           "如果我住在罗马就好了。",
                           "我后天去不了罗马。",
                           "我明天不去上海。",
                           "请用中文写这封邮件。",
                           "我住在哪里？",
                           "我有一个问题。",
                           "这个函数怎么用？"})
    EXPECT_EQ(shown(text), "") << text;
}

TEST(SaidFacts, PF_25_who_said_it_decides_whose_it_is) {
  for (const char* told :
       {"He said he's getting married.", "She told me she's pregnant.", "My brother said he moved to Rome.",
        "He knows that I live in Oslo.", "My patient said he is allergic to penicillin.", "My boss says she loves tea.",
        "昨天我碰到小王，他说他要结婚了。", "今天我遇见老师，她说她怀孕了。", "我叫外卖的时候他来了。",
        "我去参加婚礼，小王结婚了", "我弟说他要结婚了", "我的病人住在六号床，她今年九十岁"})
    EXPECT_EQ(shown(told), "") << told;
}

TEST(SaidFacts, PF_25_a_statement_is_kept_whole_or_not_at_all) {
  EXPECT_EQ(shown("My dog is called Rex, he is 7"), "of dog=The user's dog is called Rex.");
  EXPECT_EQ(shown("My son has asthma and his inhaler is blue"), "conditions=The user's son has asthma.");
  EXPECT_EQ(
      shown("Run make migrate, never call prisma").find("Run make migrate, never call prisma") != std::string::npos,
      true);
  EXPECT_EQ(shown("我对牛奶不过敏"), "allergies=用户对牛奶不过敏。");
  EXPECT_EQ(shown("我还有一只狗").find("用户一只狗"), std::string::npos);
  EXPECT_EQ(shown("My cat ran away").substr(0, 4), "has=");
  EXPECT_EQ(shown("Whenever you reply, use bullet points, never tables"),
            "wish:format=The user asks: Whenever you reply, use bullet points, never tables");
  EXPECT_EQ(shown("我把租房预算提高到3000了"), "of 租房预算=用户把租房预算提高到3000了。");
  EXPECT_EQ(shown("I don't drink wine and smoke").find("smokes"), std::string::npos);
  for (const char* told :
       {"CI takes 14 minutes, our budget is 10", "My budget is 500", "Our limit is 20 requests", "我们的预算是10万",
        "我的预算是3000", "Never send her personal data", "If it rains, I take the bus", "When I travel, I eat meat",
        "I don't eat fish unless my wife cooks it", "I neither smoke nor drink", "如果下雨，我开车上班",
        "我想搬到成都，住在老城区", "别给她发个人信息"}) {
    const std::string all = shown(told);
    EXPECT_TRUE(all.empty() || all == "said=The user wants to move.") << told << ": " << all;
  }
}

TEST(SaidFacts, PF_25_degree_words_are_adverbs) {
  EXPECT_EQ(shown("I freaking love coffee"), "likes=The user loves coffee.");
  EXPECT_EQ(shown("I absolutely hate mushrooms"), "likes=The user hates mushrooms.");
  EXPECT_EQ(shown("I looove jazz"), "likes=The user loves jazz.");
  EXPECT_EQ(shown("I'm severely allergic to shellfish"), "allergies=The user is severely allergic to shellfish.");
  EXPECT_EQ(shown("我超爱香菜"), "likes=用户喜欢香菜。");
  EXPECT_EQ(shown("我特喜欢爬山"), "likes=用户喜欢爬山。");
  EXPECT_EQ(shown("我巨讨厌下雨"), "likes=用户讨厌下雨。");
  EXPECT_EQ(shown("我超级无敌爱吃辣"), "likes=用户爱吃辣。");
  EXPECT_EQ(shown("我对花生严重过敏"), "allergies=用户对花生严重过敏。");
}

TEST(SaidFacts, PF_25_always_and_call_me_are_no_standing_wishes_by_themselves) {
  for (const char* noun : {"metric units", "the 24-hour clock", "Celsius", "British spelling"})
    EXPECT_EQ(shown("I prefer " + std::string(noun) + ", always."),
              "prefers=The user prefers " + std::string(noun) + ", always.");
  EXPECT_NE(shown("Always use metric units.").find("wish:units"), std::string::npos);
  EXPECT_NE(shown("I prefer metric units from now on.").find("wish:units"), std::string::npos);
  EXPECT_EQ(shown("I prefer British spelling, always."), "prefers=The user prefers British spelling, always.");
  for (const char* told :
       {"I always take the bus", "Call me later", "Call me back when you're done",
        "please call me when dinner is ready", "call me at five", "I like my coffee black, always have",
        "到时候叫我一声", "打给我", "晚点叫我", "叫我起床", "我喜欢英式拼写，一直都是"})
    EXPECT_EQ(shown(told).find("wish:"), std::string::npos) << told << ": " << shown(told);
  for (const char* once : {"Always call me later.", "Stop calling me later!", "Always calling me later",
                           "Stop calling me now", "Never text me back.", "Always remind me tomorrow please"})
    EXPECT_EQ(shown(once).find("wish:"), std::string::npos) << once << ": " << shown(once);
  for (const char* wish : {"Stop calling me Sir.", "Never call me after 9pm.", "Always call me Ann."})
    EXPECT_NE(shown(wish).find("wish:"), std::string::npos) << wish << ": " << shown(wish);
  for (const char* wish : {"Call me Ann", "call me captain", "叫我小李", "以后叫我老王就行"})
    EXPECT_EQ(shown(wish).substr(0, 9), "wish:name") << wish;
}

TEST(SaidFacts, PF_25_liking_and_having_in_chinese_are_read_whatever_their_verb) {
  EXPECT_EQ(shown("我现在爱跑步了"), "likes=用户喜欢跑步。");
  EXPECT_EQ(shown("我又爱跑步了"), "likes=用户又喜欢跑步。");
  EXPECT_EQ(shown("我爱上跑步了"), "likes=用户爱上跑步。");
  EXPECT_EQ(shown("我喜欢上跑步了"), "likes=用户喜欢上跑步。");
  EXPECT_EQ(shown("我不爱跑步了"), "likes=用户不喜欢跑步了。");
  EXPECT_EQ(shown("我特别爱跑步"), "likes=用户特别喜欢跑步。");
  EXPECT_EQ(shown("我爱猫"), "likes=用户喜欢猫。");
  EXPECT_EQ(shown("我爱上班"), "likes=用户喜欢上班。");
  EXPECT_EQ(shown("我爱喝咖啡了"), "likes=用户爱喝咖啡。");
  for (const char* none : {"我爱你", "我爱我家", "我爱笑", "我爱我妈妈"}) EXPECT_EQ(shown(none), "") << none;
  EXPECT_EQ(shown("我没有车了"), "said=用户没有车了。");
  EXPECT_EQ(shown("我没车"), "said=用户没车。");
  EXPECT_EQ(shown("我有一辆车"), "said=用户有一辆车。");
  for (const char* none : {"我没有时间了", "我没有车票", "我没有问题"}) EXPECT_EQ(shown(none), "") << none;
}

TEST(SaidFacts, PF_25_a_reason_before_a_wish_is_a_fact_of_its_own) {
  for (const char* told :
       {"I work as a nurse, so please nothing noisy in the mornings.",
        "I work as a nurse, so nothing noisy in the mornings please.", "I work as a nurse so please no calls today.",
        "I work as a nurse, so please keep this short.", "I work as a nurse, so please don't wake me in the morning."})
    EXPECT_EQ(shown(told), "job=The user works as a nurse.") << told;
  EXPECT_EQ(shown("I'm vegan, so please never suggest meat."),
            "wish:of pleas never suggest meat=The user asks: please never suggest meat / diet=The user is vegan.");
  EXPECT_EQ(shown("我是护士，所以早上别吵"), "job=用户是护士。");
  EXPECT_EQ(shown("I don't drink coffee in the morning, so please no jokes."), "");
}

TEST(SaidFacts, PF_25_exclamations_and_habits_are_no_standing_wishes) {
  for (const char* told :
       {"Always a pleasure.", "Never been to Japan.", "Always happy to help!", "Never again!", "Never ever!", "Always.",
        "Never better!", "Always hungry lol", "Always wanted a boat.", "Never knew that!", "Always love a good pizza.",
        "Always the last to know", "Always tired these days", "Never use a credit card, my dad says.",
        "Always keep receipts, my aunt always said.", "总是用左手写字", "从不用信用卡", "总是喝多"})
    EXPECT_EQ(shown(told).find("wish:"), std::string::npos) << told << ": " << shown(told);
  for (const char* wish : {"Always answer in French.", "Never use tables.", "Never ever use tables.",
                           "Always please cite sources.", "Never apologise.", "As I said, always answer in French.",
                           "Use bullet points, never tables.", "永远不要用表格", "总是用中文回答我"})
    EXPECT_NE(shown(wish).find("wish:"), std::string::npos) << wish << ": " << shown(wish);
}

TEST(SaidFacts, PF_25_a_name_is_kept_as_it_is_put_right) {
  for (const char* said : {"My name isn't Jon, it's John.", "My name is not Jon, it is John."}) {
    EXPECT_NE(shown(said).find("John"), std::string::npos) << shown(said);
    EXPECT_EQ(shown(said).find("Jon "), std::string::npos) << shown(said);
    EXPECT_EQ(shown(said).find(" not "), std::string::npos) << shown(said);
  }
  EXPECT_EQ(shown("My name is not Jon."), "");
}

TEST(SaidFacts, PF_25_a_statement_that_needs_its_message_is_refused) {
  for (const char* text : {"The user introduces myself as Corin.", "The user's dog is called Rex, he is 7.",
                           "The user lives there.", "The user likes it.", "The user and", "The user has a (big dog.",
                           "The user's brother is.", "The user's dog the."})
    EXPECT_FALSE(is_whole_statement(text, "The user")) << text;
  for (const char* text : {"用户的把租房预算提高到3000。", "用户他说他要结婚了。", "用户住在那边。", "用户喜欢我的狗。",
                           "用户住在（上海。"})
    EXPECT_FALSE(is_whole_statement(text, "用户")) << text;
  for (const char* text : {"The user's sister lives with her husband.", "The user lives in the US.",
                           "Paella is the user's favorite dish."})
    EXPECT_TRUE(is_whole_statement(text, "The user")) << text;
  for (const char* text : {"用户的妹妹和她的丈夫住在上海。", "用户住在上海。", "用户吃素。", "用户这个月搬到了成都。"})
    EXPECT_TRUE(is_whole_statement(text, "用户")) << text;
}

TEST(WholeStatement, PF_25_a_time_before_the_subject_that_is_not_now_makes_no_fact_of_the_present) {
  for (const char* told : {"Next year I live in Bern.",
                           "Next year, I live in Bern.",
                           "So next year I live in Bern.",
                           "Last year I lived in Bern.",
                           "Last year, I lived in Bern.",
                           "In 2019 I work at Google.",
                           "From January I'm a midwife.",
                           "Three years ago I lived in Rome.",
                           "In three years I live in Rome.",
                           "Next year my sister lives in Rome.",
                           "In the future I live in Rome.",
                           "In 2031, I live in Oslo.",
                           "Last year I was vegan.",
                           "In 2015 my phone number was 555-0100.",
                           "Tomorrow I'm a father.",
                           "From next month my phone number is 555-0100.",
                           "去年我住在成都。",
                           "去年，我住在成都。",
                           "明年我住在上海。",
                           "明年，我住在上海。",
                           "下个月我在阿里上班。",
                           "三年前我在华为上班。",
                           "2019年我在腾讯上班。",
                           "以后我住在北京。",
                           "以前我住在北京。",
                           "小时候我住在北京。",
                           "将来我住在北京。",
                           "从明年起我住在北京。",
                           "明年我搬到上海。",
                           "去年我妹妹住在巴黎。",
                           "三年后我住在北京。",
                           "去年我的手机号是13800001111。"})
    EXPECT_EQ(shown(told), "") << told;
  EXPECT_EQ(shown("I live in Bath, but next year I live in Bern."), "residence=The user lives in Bath.");
  EXPECT_EQ(shown("I live in Bath, but in three years I live in Bern."), "residence=The user lives in Bath.");
  EXPECT_EQ(shown("我住在天津，去年我住在成都。"), "residence=用户住在天津。");
  EXPECT_EQ(shown("我住在天津，去年住在成都。"), "residence=用户住在天津。");
}

TEST(WholeStatement, PF_25_a_time_that_is_now_or_goes_on_leaves_the_fact) {
  for (const char* told : {"Now I live in Bern.", "These days I live in Bern.", "Since 2019 I live in Bern.",
                           "Today I live in Bern.", "Since last year I live in Bern.", "As of today I live in Bern.",
                           "This year I live in Bern.", "Currently, I live in Bern.", "Last month I moved to Bern.",
                           "Last month, I moved to Bern.", "In 2019 I moved to Bern."})
    EXPECT_EQ(shown(told).substr(0, 10), "residence=") << told << ": " << shown(told);
  for (const char* told :
       {"现在我住在北京。", "目前我住在北京。", "今年我住在北京。", "2019年起我住在北京。", "从去年开始我住在北京。",
        "去年我搬到了北京。", "上个月，我搬到了北京。", "今天我搬到了北京。", "结婚后我住在北京。", "最近我住在北京。"})
    EXPECT_EQ(shown(told).substr(0, 10), "residence=") << told << ": " << shown(told);
  EXPECT_FALSE(is_of_another_time("Thursday is my day off."));
  EXPECT_FALSE(is_of_another_time("On Mondays I work in Bern."));
  EXPECT_FALSE(is_of_another_time("For two years I've been vegan."));
  EXPECT_FALSE(is_of_another_time("I moved to Bern last year."));
}

TEST(WholeStatement, PF_25_where_somebody_was_behind_the_subject) {
  for (const char* told : {"我去年住在成都。", "我明年住在上海。", "我三年前在华为上班。", "我以前住在成都。"})
    EXPECT_EQ(shown(told), "") << told;
}

TEST(SaidFacts, PF_25_plain_sentences_of_a_life_are_read) {
  EXPECT_EQ(shown("我叫陈默"), "name=用户叫陈默。");
  EXPECT_EQ(shown("我是木匠。"), "job=用户是木匠。");
  EXPECT_EQ(shown("我抽烟"), "smokes=用户抽烟。");
  EXPECT_EQ(shown("我有糖尿病"), "conditions=用户有糖尿病。");
  EXPECT_EQ(shown("我每天吃降压药"), "medicine 降压药=用户每天吃降压药。");
  EXPECT_EQ(shown("我老家在山东"), "hometown=用户老家在山东。");
  EXPECT_EQ(shown("我从2019年开始吃素"), "diet=用户从2019年开始吃素。");
  EXPECT_EQ(shown("我乳糖不耐受"), "allergies=用户乳糖不耐受。");
  EXPECT_EQ(shown("我现在喜欢吃辣了"), "likes=用户喜欢吃辣。");
  EXPECT_EQ(shown("I have type 1 diabetes."), "conditions=The user has type 1 diabetes.");
  EXPECT_EQ(shown("I suffer from chronic migraines."), "conditions=The user suffers from chronic migraines.");
  EXPECT_EQ(shown("I've been vegan since 2019."), "diet=The user has been vegan since 2019.");
  EXPECT_EQ(shown("I'm lactose intolerant."), "allergies=The user is lactose intolerant.");
  EXPECT_EQ(shown("I'm a vegetarian."), "diet=The user is a vegetarian.");
  EXPECT_EQ(shown("I smoke."), "smokes=The user smokes.");
  EXPECT_EQ(shown("I take 10 mg of lisinopril every morning."),
            "medicine lisinopril=The user takes 10 mg of lisinopril every morning.");
  EXPECT_EQ(shown("I quit Acme on Monday."), "*=The user quit Acme on Monday.");
}

TEST(SaidFacts, PF_25_what_only_looks_like_such_a_sentence_is_not_read_so) {
  for (const char* told : {"我叫外卖", "我叫了一辆车", "我叫他起床", "我是来找医生的", "我是不是木匠", "我是说木匠",
                           "我有病", "我是会员", "我有毛病", "我吃了感冒药", "我想吃药",
                           "I have a friend with diabetes.", "I take the bus.", "I take notes every day."}) {
    const std::string text = shown(told);
    for (const char* attribute : {"name=", "job=", "conditions=", "medicine"})
      EXPECT_EQ(text.find(attribute), std::string::npos) << told << ": " << text;
  }
}

TEST(SaidFacts, PF_25_a_verb_within_a_subclause_is_not_the_speakers) {
  EXPECT_EQ(shown("I saw how counseling and support groups improved my life."), "");
  EXPECT_EQ(shown("I'm much happier being around those who accept and love me."), "");
  EXPECT_EQ(shown("I know what drummers and play dates need."), "");
  EXPECT_EQ(shown("I live in Berlin and work as a nurse"),
            "residence=The user lives in Berlin. / job=The user works as a nurse.");
}

TEST(SaidFacts, PF_25_an_amount_or_a_length_of_time_is_no_thing) {
  EXPECT_EQ(shown("I'm learning a ton."), "said=The user is learning a ton.");
  EXPECT_EQ(shown("I've been working professionally for 9 years."),
            "said=The user has been working professionally for 9 years.");
  EXPECT_EQ(shown("I've been working for 9 years."), "said=The user has been working for 9 years.");
  EXPECT_EQ(shown("I have worked for Hargreaves for 9 years."),
            "employer=The user has worked for Hargreaves for 9 years.");
}

TEST(SaidFacts, PF_25_an_occupation_a_medicine_and_an_allergy_are_read_with_what_stands_around_them) {
  EXPECT_EQ(shown("我是超市的收银员，站一天脚后跟疼，鞋垫有用吗？"), "job=用户是超市的收银员。");
  EXPECT_EQ(shown("我在造船厂当焊工十一年了。"), "job=用户在造船厂当焊工十一年了。");
  EXPECT_EQ(shown("我是你们的老师。"), "");
  EXPECT_EQ(shown("我吃阿托伐他汀20毫克，晚上吃还是早上吃好？"), "medicine 他汀=用户吃阿托伐他汀20毫克。");
  EXPECT_EQ(shown("我青霉素过敏，这算严重吗？"), "allergies=用户对青霉素过敏。");
  EXPECT_EQ(shown("我又在医院上夜班。"), "working hours=用户在医院上夜班。");
  EXPECT_EQ(shown("我就有点近视。"), "conditions=用户有点近视。");
  EXPECT_EQ(shown("我又是投资顾问。"), "job=用户是投资顾问。");
  EXPECT_EQ(shown("我住在永利酒店。").find("residence="), std::string::npos);
  EXPECT_EQ(shown("我搬到二楼了。").find("residence="), std::string::npos);
  EXPECT_EQ(shown("我住在望京花园3号楼。"), "residence=用户住在望京花园3号楼。");
}

TEST(SaidFacts, PF_25_a_name_or_an_age_of_others_is_not_the_speakers) {
  EXPECT_EQ(shown("我养了一条狗，叫胡椒。"), "number of 狗=用户养了一条狗。");
  EXPECT_EQ(shown("我有个女儿，今年五岁。").find("age="), std::string::npos);
  EXPECT_EQ(shown("我有个同事，在造船厂当焊工十一年了。").find("job="), std::string::npos);
  EXPECT_EQ(shown("我女儿青霉素过敏。").find("用户对"), std::string::npos);
  EXPECT_EQ(shown("我怕青霉素过敏。").find("用户对"), std::string::npos);
  EXPECT_EQ(shown("We're 27."), "");
  EXPECT_EQ(shown("They love me and always cheer me on."), "");
  EXPECT_EQ(shown("You never complain and always try something new."), "");
}

TEST(SaidFacts, PF_25_a_value_that_is_corrected_is_the_new_one) {
  EXPECT_EQ(shown("My favourite colour is no longer red, it's blue."),
            "favourite colour=The user's favourite colour is blue.");
  EXPECT_EQ(shown("My favourite colour isn't red any more but blue."),
            "favourite colour=The user's favourite colour is blue.");
  EXPECT_EQ(shown("我最喜欢的颜色不再是红色，是蓝色"), "favourite 颜色=用户最喜欢的颜色是蓝色。");
  EXPECT_EQ(shown("我不是木匠，是铁匠"), "job=用户是铁匠。");
}

TEST(SaidFacts, PF_25_a_clause_holds_at_the_time_of_the_one_before_it) {
  for (const char* told :
       {"两周后的周三我们搬家，住在元旦小区", "我们两周后搬家，住在元旦小区。", "明年我去柏林，在西门子工作",
        "去年我在北京工作，住在朝阳", "Next month we move to Leeds and live near the park.",
        "In two weeks we move, we live in Newtown then."})
    EXPECT_EQ(shown(told).find("residence=") == std::string::npos && shown(told).find("employer=") == std::string::npos,
              true)
        << told << ": " << shown(told);
  EXPECT_EQ(shown("去年我搬到了成都，住在老城区"), "residence=用户搬到了成都。 / residence=用户住在老城区。");
  EXPECT_EQ(shown("I have an interview on Monday, I live in Leeds.").find("residence=") != std::string::npos, true);
}

TEST(SaidFacts, PF_25_a_clause_goes_on_with_the_subject_of_the_one_before_it) {
  EXPECT_EQ(shown("My dad drove a bus and was diagnosed with gout last spring."),
            "conditions=The user's dad was diagnosed with gout last spring.");
  EXPECT_EQ(shown("I live in Turin and work as a nurse."),
            "residence=The user lives in Turin. / job=The user works as a nurse.");
}

TEST(SaidFacts, PF_25_mottos_and_encouragements_are_no_wishes) {
  for (const char* told :
       {"Never give up!", "Never say never.", "Always look on the bright side of life!", "Always be yourself.",
        "Never stop learning!", "Never give up on your dreams!", "Always believe in yourself.",
        "Never trust a skinny chef.", "Always remember who you are.", "Never forget!", "永不放弃", "永远不要放弃！",
        "永远相信自己", "始终不忘初心", "永远年轻，永远热泪盈眶", "永远不要灰心"})
    EXPECT_EQ(shown(told), "") << told;
  for (const char* told : {"Always answer in English.", "Never use emojis.", "Never forget to run the tests.",
                           "Never give up on a failing test without telling me.",
                           "Always remember to cite your sources.", "永远用中文回答", "永远不要用表情符号"})
    EXPECT_NE(shown(told).find("wish:"), std::string::npos) << told;
}

TEST(SaidFacts, CM_17_any_words_in_any_order_are_read_or_left) {
  const std::vector<std::string> pieces = {
      "I",     "I'm",   "my",   "we", "just", "Lost",   "bought", "the",    "a dog",
      " , ",   ", ",    ". ",   "? ", " - ",  "which",  "I got",  "since",  "is my favorite",
      "never", "gonna", "been", "'",  "\"",   "我",     "我们",   "我的",   "刚",
      "了",    "，",    "。",   "？", "作为", "妹妹",   "有",     "膝盖",   "疼",
      "每天",  "以前",  "在",   "说", "打算", "的",     "上周",   "2026年", "last week",
      "\n",    "\xe6",  "(",    "—",  "I'll", "Been to"};
  std::mt19937 random(7);
  for (int round = 0; round < 4000; ++round) {
    std::string message;
    for (unsigned i = 0, most = random() % 14; i < most; ++i)
      message += pieces[random() % pieces.size()] + (random() % 3 == 0 ? "" : " ");
    for (const SaidFact& fact : read_said(message, round % 2 == 0 ? "" : "Ann").facts) {
      EXPECT_NE(message.find(fact.quote), std::string::npos) << message;
      EXPECT_FALSE(fact.text.empty());
      EXPECT_FALSE(find_invalid_utf8(fact.text)) << message;
    }
  }
}

TEST(SaidFacts, CM_17_corrections_are_read) {
  EXPECT_EQ(read_correction("No, I meant Thursday.")->right, "Thursday");
  EXPECT_EQ(read_correction("It's Thursday, not Tuesday.")->wrong, "Tuesday");
  EXPECT_EQ(read_correction("不是周二，是周四。")->right, "周四");
  EXPECT_FALSE(read_correction("It's raining."));
  EXPECT_FALSE(read_correction("I will go on Thursday."));
}

TEST(ChineseRequests, CM_17_what_is_asked_of_who_answers_is_a_request) {
  for (const std::string_view request :
       {"帮我写一个年度总结。", "那就请你把行程改到周五吧。", "好的，教我做红烧茄子。", "你好，我需要一个新的二维码。",
        "我想知道从这里到机场有多远。", "我想让它再短一点。", "我正在找一本讲航海的书，最好是插图版。",
        "我还想订一张靠窗的票，价格不要太高，谢谢。", "麻烦查一下，哪家还开着？", "您能帮我看看这个公式吗？"})
    EXPECT_TRUE(is_request(request)) << request;
}

TEST(ChineseRequests, CM_17_what_is_told_beside_it_or_looked_for_in_a_life_is_none) {
  for (const std::string_view told :
       {"帮我妈带孩子，每周三天。", "我妈对花生过敏，帮我找一家餐馆。", "我想给我女儿找一家钢琴班。",
        "我在找一份会计的工作。", "我想学木工。", "我需要每天吃药。", "请了长假在家养伤。", "我在一家医院上班。",
        "帮我爸修好了收音机。", "附近有药店吗？", "谢谢，辛苦了。"})
    EXPECT_FALSE(is_request(told)) << told;
}

TEST(ChineseRequests, CM_17_sentences_are_cut_into_clauses) {
  EXPECT_EQ(chinese_clauses(" 你好，我叫李雷；住在大理。"),
            (std::vector<std::string_view>{"你好", "我叫李雷", "住在大理"}));
  EXPECT_TRUE(chinese_clauses("，，。").empty());
  EXPECT_TRUE(chinese_clauses("").empty());
}

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
