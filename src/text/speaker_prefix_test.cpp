#include "text/speaker_prefix.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

using Texts = std::vector<PrefixedText>;
using Names = std::vector<std::string>;

TEST(SpeakerPrefix, CM_10_clients_write_the_speaker_in_many_forms) {
  for (const char* text : {"Ann: the tent is dry", "[Ann] the tent is dry", "<Ann> the tent is dry",
                           "[Ann]: the tent is dry", "**Ann**: the tent is dry", "**Ann:** the tent is dry",
                           "Ann：the tent is dry", "Ann(10001): the tent is dry"}) {
    const auto prefix = speaker_prefix(text);
    ASSERT_TRUE(prefix) << text;
    EXPECT_EQ(prefix->name, "Ann") << text;
    EXPECT_EQ(without_speaker(text, "Ann"), "the tent is dry") << text;
    EXPECT_EQ(without_speaker(text, "Bob"), text);
    EXPECT_EQ(without_speaker(text, ""), text);
  }
  for (const char* text :
       {"张三：帐篷干了", "张三:帐篷干了", "【张三】帐篷干了", "[张三] 帐篷干了", "张三（10001）：帐篷干了"}) {
    const auto prefix = speaker_prefix(text);
    ASSERT_TRUE(prefix) << text;
    EXPECT_EQ(prefix->name, "张三") << text;
    EXPECT_EQ(prefix->rest, "帐篷干了") << text;
  }
}

TEST(SpeakerPrefix, CM_10_labels_times_links_and_code_are_no_speakers) {
  for (const char* text : {"Note: the tent is dry",
                           "TODO: dry the tent",
                           "Re: the tent",
                           "Error: no tent",
                           "Q: which tent?",
                           "12:30 at the tent",
                           "https://tent.example/a",
                           "Translate: the tent is dry",
                           "注意：帐篷湿了",
                           "问题：帐篷在哪",
                           "翻译：帐篷",
                           "std::string tent",
                           "[x](https://tent.example) is dry",
                           "[x]",
                           "Ann:",
                           "{\"tent\": 1}",
                           "User: hello",
                           "<div> tent </div>",
                           "when we met at the lake: it rained",
                           "我想说的是，帐篷：要买",
                           "key:value"})
    EXPECT_FALSE(speaker_prefix(text)) << text;
}

TEST(SpeakerPrefix, CM_10_speakers_are_names_that_recur_and_alternate) {
  EXPECT_EQ(recurring_speakers(Texts{{"Ann: one"}, {"Bob: two"}, {"Ann: three"}, {"Bob: four"}}),
            (Names{"Ann", "Bob"}));
  EXPECT_EQ(recurring_speakers(Texts{{"小明：早"}, {"老王：早啊"}, {"小明：吃了吗"}, {"老王：还没"}}).size(), 2U);
  EXPECT_EQ(recurring_speakers(Texts{{"Ann: one"}, {"hm", true}, {"Ann: two"}, {"so", true}, {"Ann: three"}}),
            (Names{"Ann"}));
  EXPECT_TRUE(recurring_speakers(Texts{{"Ann: one"}, {"Bob: two"}}).empty());
  EXPECT_TRUE(recurring_speakers(Texts{{"Ann: one"}, {"Ann: one"}, {"Bob: two"}, {"Bob: two"}}).empty());
}

TEST(SpeakerPrefix, CM_10_prefixes_of_few_messages_and_of_things_prove_nothing) {
  EXPECT_TRUE(recurring_speakers(Texts{{"Kyoto: one"}, {"Kyoto: two"}, {"Kyoto: three"}, {"Kyoto: four"}}).empty());
  EXPECT_TRUE(recurring_speakers(Texts{{"Kyoto: one"},
                                       {"Osaka: two"},
                                       {"Kyoto: three"},
                                       {"Osaka: four"},
                                       {"and then"},
                                       {"what next"},
                                       {"right"}})
                  .empty());
  EXPECT_TRUE(recurring_speakers(Texts{{"Q: one"}, {"A: two"}, {"Q: three"}, {"A: four"}}).empty());
  EXPECT_TRUE(recurring_speakers(Texts{{"翻译：一"}, {"翻译：二"}, {"翻译：三"}}).empty());
}

}  // namespace
}  // namespace weft
