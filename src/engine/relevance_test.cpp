#include "flow/recall/fusion.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/engine_fixture.h"

namespace weft {
namespace {

/// Asks whole engines, with words alone and with an embedder.
class Relevance : public test::EngineTest, public testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    if (!GetParam()) config_.recall.recipe = RecipeName::kWords;
    open();
  }

  SearchResult ask(const std::string& query, std::size_t top_k = 10) {
    SearchRequest what;
    what.query = query;
    what.top_k = top_k;
    what.kinds = {ItemKind::kMessage};
    auto found = engine_->memory(as("ann")).search(what);
    EXPECT_TRUE(found.ok()) << found.error().message;
    return found.value_or({});
  }

  bool known(const std::string& query) { return ask(query).known; }

  double best(const std::string& query) {
    double most = 0;
    for (const Hit& hit : ask(query).hits) {
      EXPECT_GE(hit.relevance, 0);
      EXPECT_LE(hit.relevance, 1);
      most = std::max(most, hit.relevance);
    }
    return most;
  }

  /// Some conversations in both languages.
  void talk() {
    turn("My sister Clara moved to Lisbon and works as a florist there.", "Lisbon must be lovely in spring.", "en1");
    turn("The dentist wants to pull my wisdom tooth on Friday.", "I hope it heals quickly.", "en2");
    turn("We adopted a beagle puppy called Biscuit.", "Puppies need a lot of sleep.", "en3");
    turn("我昨天在西湖边买了一把红色的雨伞。", "希望最近不要下大雨。", "zh1");
    turn("我的同事小林养了三只乌龟。", "乌龟很长寿。", "zh2");
    drain();
  }

  /// Conversations of made-up words, which have to do with nothing.
  void chatter(std::size_t sessions) {
    std::mt19937 random(7);
    const auto text = [&random] {
      std::string made;
      for (int word = 0; word < 8; ++word) {
        for (int letter = 0; letter < 3; ++letter) {
          made += "bdfgklmnprtvz"[random() % 13];
          made += "aeiou"[random() % 5];
        }
        made += ' ';
      }
      return made;
    };
    for (std::size_t i = 0; i < sessions; ++i) turn(text(), text(), "other" + std::to_string(i));
    drain();
  }
};

INSTANTIATE_TEST_SUITE_P(Words, Relevance, testing::Values(false));
INSTANTIATE_TEST_SUITE_P(Embedder, Relevance, testing::Values(true));

TEST_P(Relevance, PF_14_what_was_said_is_known_in_both_languages) {
  talk();
  EXPECT_TRUE(known("Where does my sister Clara work as a florist?"));
  EXPECT_TRUE(known("What is the beagle puppy called?"));
  EXPECT_TRUE(known("红色的雨伞是在哪里买的？"));
  EXPECT_TRUE(known("小林养了几只乌龟？"));
}

TEST_P(Relevance, PF_14_what_was_never_said_is_not_known_in_either_language) {
  talk();
  EXPECT_FALSE(known("Which mortgage rate did the bank in Oslo offer for the cabin?"));
  EXPECT_FALSE(known("How do I configure the printer driver on Ubuntu?"));
  EXPECT_FALSE(known("去年的期末考试成绩怎么样？"));
  EXPECT_FALSE(known("火星探测器什么时候发射？"));
}

TEST_P(Relevance, PF_14_weak_hits_are_still_given) {
  talk();
  const SearchResult found = ask("Which train goes to Madrid in spring?");
  EXPECT_FALSE(found.known);
  EXPECT_FALSE(found.hits.empty());
}

TEST_P(Relevance, PF_14_empty_and_tiny_memories) {
  EXPECT_FALSE(known("What is the beagle called?"));
  turn("We adopted a beagle puppy called Biscuit.", "Good.");
  drain();
  EXPECT_TRUE(known("What is the beagle puppy called?"));
  EXPECT_FALSE(known("Which mortgage rate did the bank offer?"));
}

TEST_P(Relevance, PF_14_questions_without_content_are_not_known) {
  talk();
  for (const char* query : {"", "  ", "?!", "and what about that one?", "那个呢？", "of the"})
    EXPECT_FALSE(known(query)) << query;
}

TEST_P(Relevance, PF_14_unrelated_conversations_change_little) {
  talk();
  const std::string asked = "Where does my sister Clara work as a florist?";
  const std::string foreign = "Which mortgage rate did the bank in Oslo offer for the cabin?";
  chatter(15);  // enough for the deviations of cosines to mean something
  const double before = best(asked);
  chatter(500);
  EXPECT_NEAR(best(asked), before, 0.15);
  EXPECT_TRUE(known(asked));
  EXPECT_FALSE(known(foreign));
}

TEST_P(Relevance, PF_14_threshold_is_a_setting) {
  talk();
  const std::string foreign = "Which train goes to Madrid in spring?";
  EXPECT_FALSE(known(foreign));
  config_.recall.known_threshold = 0;
  open();
  EXPECT_TRUE(known(foreign));
}

TEST(RelevanceCurve, PF_14_more_that_speaks_for_a_hit_never_lowers_its_relevance) {
  for (const bool vectors : {false, true}) {
    RelevanceFeatures features;
    features.vectors = vectors;
    features.length = 2;
    features.unknown = 0.3;
    for (const RelevanceWeight& one : relevance_curves().weights) {
      if (one.sign == RelevanceWeight::Sign::kAny) continue;
      const double before = relevance_of(features);
      features.*one.value += 0.2;
      EXPECT_GE(relevance_of(features), before) << one.name;
    }
  }
}

TEST_P(Relevance, PF_14_monotone_in_matched_words) {
  turn("Clara planted tulips, roses and lavender behind the cottage in April.", "How nice.");
  drain();
  double last = -1;
  for (const char* query :
       {"mortgage invoice printer driver", "mortgage invoice printer tulips", "mortgage invoice lavender tulips",
        "mortgage roses lavender tulips", "cottage roses lavender tulips"}) {
    const double now = best(query);
    EXPECT_GE(now, last) << query;
    last = now;
  }
}

}  // namespace
}  // namespace weft
