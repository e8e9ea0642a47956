#include "flow/historian/absolutise.h"

#include <gtest/gtest.h>

#include <random>

#include "flow/historian/rewrite.h"
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

std::string english(std::string_view text) { return absolutise(text, between("Ann", "Bob")).text; }
std::string chinese(std::string_view text) { return absolutise(text, between("张三", "李四")).text; }

std::string replaced(std::string_view text, Speech speech) {
  speech.style = Style::kReplace;
  speech.name_speakers = true;
  return absolutise(text, speech).text;
}

TEST(Absolutise, CM_4_words_stay_as_said_with_their_meaning_beside_them) {
  EXPECT_EQ(english("My brother called. He is fine."), "My brother called. He [Ann's brother] is fine.");
  EXPECT_EQ(english("My sister Kate came. She's a nurse, her dog too."),
            "My sister Kate came. She's [Kate] a nurse, her dog too.")
      << "once a sentence";
  EXPECT_EQ(english("Tom and Bo came; they were late."), "Tom and Bo came; they [Tom and Bo] were late.");
  EXPECT_EQ(chinese("王老师来过，他留了一本书"), "王老师来过，他[王老师]留了一本书");
  EXPECT_EQ(chinese("李雷和韩梅梅结婚了，他们很幸福"), "李雷和韩梅梅结婚了，他们[李雷和韩梅梅]很幸福");
  EXPECT_EQ(chinese("我妈妈病了，她在住院"), "我妈妈病了，她[张三的妈妈]在住院");
  EXPECT_EQ(chinese("我看了《三体》，它很好看"), "我看了《三体》，它[《三体》]很好看");
}

TEST(Absolutise, CM_4_it_is_an_animal_or_a_thing_and_never_somebody) {
  EXPECT_EQ(chinese("我家的狗病了，它不肯吃东西"), "我家的狗病了，它[张三的狗]不肯吃东西");
  EXPECT_EQ(chinese("我养了一只猫叫年糕，它三岁了"), "我养了一只猫叫年糕，它[年糕]三岁了");
  EXPECT_EQ(chinese("路边有只狗，它一直跟着我"), "路边有只狗，它[那只狗]一直跟着我");
  EXPECT_EQ(chinese("我买了一台相机，它很轻"), "我买了一台相机，它[那台相机]很轻");
  for (const auto* text : {"李雷来过，它很重要", "我妈妈病了，它让我很担心", "我喜欢猫，它总是很安静",
                           "猫粮贵了，它涨了两块", "路边有只狗，树上有只猫，它一直叫"})
    EXPECT_EQ(chinese(text), text);
  EXPECT_EQ(chinese("王老师有一只鹦鹉，他很喜欢"), "王老师有一只鹦鹉，他[王老师]很喜欢");
}

TEST(Absolutise, CM_4_who_is_not_certain_gets_candidates_or_nothing) {
  const auto two = absolutise("My brother met my uncle. He was late.", between("Ann", "Bob"));
  EXPECT_EQ(two.text, "My brother met my uncle. He [Ann's uncle or Ann's brother] was late.");
  ASSERT_EQ(two.changes.size(), 1U);
  EXPECT_FALSE(two.changes[0].sure);
  EXPECT_EQ(chinese("小王和王老师吵架了，他很生气"), "小王和王老师吵架了，他[王老师或小王]很生气");
  for (const auto* text : {"His flight was cancelled.", "It broke.", "They said so.", "张伟说她女儿考上了北大",
                           "他妈妈住院了", "他用手机，他处理问题", "把它删掉", "lol no walnuts in Anneke!"})
    EXPECT_EQ(english(text), text);
}

TEST(Absolutise, PF_25_an_owner_and_who_belongs_to_them_are_not_told_apart) {
  for (const auto* text : {"Anna's father sold his boat.", "Tom's brother lost his job.", "The dog ate her food.",
                           "Anna's dog ate her food.", "My brother's boss sold his car.",
                           "My mother's cat hurt her paw.", "Kate's sister lost her keys.", "The cat ate his dinner."})
    EXPECT_EQ(english(text), text);
  EXPECT_EQ(chinese("妈妈的同事卖了她的车"), "妈妈的同事卖了她的车");
  EXPECT_EQ(english("Tom sold his boat."), "Tom sold his [Tom's] boat.");
  EXPECT_EQ(english("Tom's car broke down and his phone died."), "Tom's car broke down and his [Tom's] phone died.");
}

TEST(Absolutise, CM_4_who_tells_of_themselves_by_name_is_meant) {
  EXPECT_EQ(english("Ann forgot her keys at the gym."), "Ann forgot her [Ann's] keys at the gym.");
  EXPECT_EQ(english("Ann and her cousin painted, and she was proud."),
            "Ann and her [Ann's] cousin painted, and she was proud.");
  EXPECT_EQ(english("Bob, she is late."), "Bob, she is late.") << "called, not told of";
}

TEST(Absolutise, CM_4_people_by_what_they_are_to_somebody_or_do) {
  EXPECT_EQ(english("It was my best friend's birthday and she loved the cake."),
            "It was my best friend's birthday and she [Ann's best friend] loved the cake.");
  EXPECT_EQ(english("My instructor Kate is great, I like her style."),
            "My instructor Kate is great, I like her [Kate's] style.");
  EXPECT_EQ(english("I saw Dr. Overbeck on Monday and he was kind."),
            "I saw Dr. Overbeck on Monday and he [Overbeck] was kind.");
  EXPECT_EQ(english("The merchants came early. They sold all."),
            "The merchants came early. They [the merchants] sold all.");
  EXPECT_EQ(chinese("我爸妈来了，他们很高兴"), "我爸妈来了，他们[张三的爸妈]很高兴");
  EXPECT_EQ(chinese("图书馆员会整理书，他们很忙"), "图书馆员会整理书，他们[图书馆员]很忙");
  EXPECT_EQ(chinese("有一位名叫约翰·李的客户，他买了两本书"), "有一位名叫约翰·李的客户，他[约翰·李]买了两本书");
  EXPECT_EQ(english("The minister said that he would resign."),
            "The minister said that he [the minister] would resign.");
  EXPECT_EQ(english("our designer has some slides . do you have his file ?"),
            "our designer has some slides . do you have his [the designer's] file ?");
  EXPECT_EQ(english("The author met the editor, but he left."),
            "The author met the editor, but he [the editor or the author] left.");
  for (const auto* text : {"LeBron is the man. I met him.", "The new shoes and the kids' hats: they fit."})
    EXPECT_EQ(english(text), text);
}

TEST(Absolutise, CM_4_animals_are_meant_where_no_person_can_be) {
  EXPECT_EQ(english("i have one dog , she is old"), "i have one dog , she [the dog] is old");
  EXPECT_EQ(english("My parrots are loud and I feed them at noon."),
            "My parrots are loud and I feed them [Ann's parrots] at noon.");
  EXPECT_EQ(english("My son has a cat, and he is shy."), "My son has a cat, and he [Ann's son] is shy.");
  EXPECT_EQ(english("He is a black lab. They are cows."), "He is a black lab. They are cows.") << "says what, not who";
  Speech speech = between("Ann", "Bob");
  speech.earlier = {{"Bob", "My uncle visits on Sundays."}, {"Ann", "Nice!"}, {"Bob", "Once he ate my fish."}};
  EXPECT_EQ(absolutise("Did he?", speech).text, "Did he [Bob's uncle]?") << "not the fish beside the pronoun";
}

TEST(Absolutise, CM_4_relatives_without_my_are_the_speakers) {
  EXPECT_EQ(english("mom called , she is fine"), "mom called , she [Ann's mom] is fine");
  EXPECT_EQ(english("Grandma and Ann planted roses, and they laughed."),
            "Grandma and Ann planted roses, and they [Grandma and Ann] laughed.")
      << "who tells of herself by name tells of others so, too";
  Speech speech = between("Ann", "Bob");
  speech.earlier = {{"Bob", "Where does your mom live?"}};
  EXPECT_EQ(absolutise("She lives in Leeds.", speech).text, "She [Ann's mom] lives in Leeds.");
}

TEST(Absolutise, CM_4_chinese_people_by_what_is_told_of_them) {
  EXPECT_EQ(chinese("昨晚碰到一位老人，他在卖花").find("他[那位老人]") != std::string::npos, true);
  EXPECT_EQ(chinese("我有个表哥在深圳，他做设计"), "我有个表哥在深圳，他[张三的表哥]做设计");
  EXPECT_EQ(chinese("楼下的保安换了，他很热情"), "楼下的保安换了，他[楼下的保安]很热情");
  EXPECT_EQ(chinese("我女儿的老师很负责，她经常家访"), "我女儿的老师很负责，她[张三的女儿的老师]经常家访");
  EXPECT_EQ(chinese("张校长来讲话了，他强调安全"), "张校长来讲话了，他[张校长]强调安全");
  EXPECT_EQ(chinese("志愿者们很辛苦，他们很早就来"), "志愿者们很辛苦，他们[志愿者们]很早就来");
  for (const auto* text :
       {"这个人不可靠，他说话不算数", "我对象棋很感兴趣，他也是", "这些概念比较陌生，他们不懂", "我猫着腰走，他没看见"})
    EXPECT_EQ(chinese(text), text);
}

TEST(Absolutise, CM_4_a_woman_is_not_he_and_a_man_not_she) {
  EXPECT_EQ(chinese("王芳来了，他很忙"), "王芳来了，他很忙");
  EXPECT_EQ(chinese("王芳来了，她女儿考上了北大"), "王芳来了，她[王芳]女儿考上了北大");
  EXPECT_EQ(english("Tom met Kate, and she laughed."), "Tom met Kate, and she [Kate] laughed.");
}

TEST(Absolutise, CM_4_earlier_messages_tell_who_is_meant) {
  Speech speech = between("Ann", "Bob");
  speech.earlier = {{"Bob", "I talked to my sister."}};
  EXPECT_EQ(absolutise("How is she?", speech).text, "How is she [Bob's sister]?");
  Speech chinese_speech = between("张三", "李四");
  chinese_speech.earlier = {{"张三", "李雷最近换了工作"}};
  EXPECT_EQ(absolutise("他妈妈住院了", chinese_speech).text, "他[李雷]妈妈住院了");
}

TEST(Absolutise, CM_4_speakers_are_named_once_where_nothing_else_tells_who_spoke) {
  Speech speech = between("Ann", "Bob");
  speech.name_speakers = true;
  EXPECT_EQ(absolutise("I think I know my way, you see.", speech).text, "I [Ann] think I know my way, you [Bob] see.");
  EXPECT_EQ(absolutise("My cat is ill.", speech).text, "My [Ann's] cat is ill.");
  EXPECT_EQ(absolutise("Let's go.", speech).text, "Let's [Ann and Bob] go.");
  Speech group;
  group.sender = {"1", "张三"};
  group.participants = {{"1", "张三"}, {"2", "李四"}, {"3", "王五"}};
  EXPECT_EQ(absolutise("你怎么看", group).text, "你[李四或王五]怎么看");
  group.reply_to = Person{"2", "李四"};
  EXPECT_EQ(absolutise("你怎么看", group).text, "你[李四]怎么看");
  EXPECT_EQ(absolutise("I am late.", Speech()).text, "I am late.") << "nobody is \"the speaker\"";
}

TEST(Absolutise, CM_4_places_by_the_messages_location_and_never_invented) {
  Speech speech = between("张三", "李四");
  EXPECT_EQ(absolutise("我在这里吃饭", speech).text, "我在这里吃饭");
  speech.place = "杭州";
  EXPECT_EQ(absolutise("我在这里吃饭", speech).text, "我在这里[杭州]吃饭");
  EXPECT_EQ(absolutise("我去了北京，那边很冷", between("张三", "李四")).text, "我去了北京，那边[北京]很冷");
  EXPECT_EQ(absolutise("我去过天坛公园，在那边拍了照", speech).text, "我去过天坛公园，在那边[天坛公园]拍了照");
}

TEST(Absolutise, CM_16_what_is_protected_stays) {
  for (const auto* text :
       {"Tom said \"he is here\"", "run `his_script he` on https://example.org/he", "看过《他》和《后天》",
        "ef21a0feb15a9791 and 3f2a9c1e-0b7d-4e1a-9feb-12mar2026aaff", "april-report.pdf today_view.dart May_2.csv"})
    EXPECT_EQ(english(text), text);
}

TEST(Absolutise, CM_4_changes_name_their_place_in_the_original) {
  const std::string text = "My brother is 我 am right, he said";
  for (const Change& change : absolutise(text, between("Ann", "Bob")).changes)
    EXPECT_EQ(text.substr(change.begin, change.end - change.begin), change.what);
}

TEST(Absolutise, CM_4_literal_puts_what_is_certain_in_the_place_of_the_words) {
  const Speech ann = between("Ann", "Bob");
  EXPECT_EQ(replaced("I am tired.", ann), "Ann is tired.");
  EXPECT_EQ(replaced("I've seen your cat.", ann), "Ann has seen Bob's cat.");
  EXPECT_EQ(replaced("I'd better go, I'd love to stay.", ann), "Ann had better go, Ann would love to stay.");
  EXPECT_EQ(replaced("I get up early and make some tea.", ann), "Ann gets up early and makes some tea.");
  EXPECT_EQ(replaced("Do you like tea? How are you?", ann), "Does Bob like tea? How is Bob?");
  EXPECT_EQ(replaced("Let's start.", ann), "Ann and Bob should start.");
  EXPECT_EQ(replaced("My brother called. He is fine.", ann), "Ann's brother called. Ann's brother is fine.");
  EXPECT_EQ(replaced("My brother met my uncle. He was late.", ann), "Ann's brother met Ann's uncle. He was late.")
      << "what is not certain stays";
  const Speech zhang = between("张三", "李四");
  EXPECT_EQ(replaced("我明白你的意思，我自己会处理。", zhang), "张三明白李四的意思，张三自己会处理。");
  EXPECT_EQ(replaced("咱们一起去吧", zhang), "张三和李四一起去吧");
  EXPECT_EQ(replaced("王老师来过，他留了一本书", zhang), "王老师来过，王老师留了一本书");
  EXPECT_EQ(replaced("小王和王老师吵架了，他很生气", zhang), "小王和王老师吵架了，他很生气");
  EXPECT_EQ(replaced("他用手机，把它删掉", zhang), "他用手机，把它删掉");
}

TEST(Absolutise, CM_4_long_and_broken_texts) {
  for (const auto* piece : {"I think you know it. ", "我觉得你在这里，它很好。", "\"", "《", "'a ", "my ", "Bob ", "@",
                            "/a", "\xff", "there it is ", "王", "he [x] ", "昨天"}) {
    std::string text;
    while (text.size() < test::kLargeText) text += piece;
    const Absolute plain = absolutise(text, between("Ann", "Bob"));
    EXPECT_EQ(without(plain.text, plain.annotations), text);
  }
  EXPECT_EQ(absolutise("", Speech()).text, "");
}

TEST(Absolutise, PF_25_a_pronoun_never_means_who_tells_of_themselves) {
  Speech speech;
  speech.sender = {"", "the user"};
  speech.told_as = {"the user", "The user", "用户"};
  for (const char* text : {"The user said: He said he's getting married.", "She told the user she's pregnant.",
                           "The user asks: Never send her personal data", "用户叫外卖的时候他来了。",
                           "用户说：他说他要结婚了。", "用户的同事说用户来了，她走了。"}) {
    const std::string told = absolutise(text, speech).text;
    for (const char* note : {"[the user]", "[The user]", "[用户]", "[the user's]", "[The user's]"})
      EXPECT_EQ(told.find(note), std::string::npos) << told;
  }
}

}  // namespace
}  // namespace weft
