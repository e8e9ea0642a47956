#include "text/modality.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

constexpr Moods kPolarity{Mood::kForbids, Mood::kNotTo, Mood::kNegates, Mood::kNoNegation, Mood::kNoRule};

Modal first(const char* text, Moods wanted) { return modal_at(plain_words(text), 0, wanted); }

TEST(Modality, CM_4_the_longest_phrase_that_is_wanted_counts) {
  const Modal must_not = first("must not delete", kPolarity | Moods(Mood::kMust));
  EXPECT_EQ(must_not.words, 2u);
  EXPECT_TRUE(must_not.moods.has(Mood::kForbids));
  EXPECT_FALSE(must_not.moods.has(Mood::kMust));
  // Who does not ask for the longer one finds the shorter.
  const Modal must = first("must not delete", Moods(Mood::kMust));
  EXPECT_EQ(must.words, 1u);
  EXPECT_TRUE(must.moods.has(Mood::kMust));
  EXPECT_EQ(first("walk on", kPolarity).words, 0u);
}

TEST(Modality, CM_4_words_that_hold_a_negation_and_mean_none) {
  for (const char* text : {"not only fast", "no matter", "特别好", "别人的", "不仅如此"})
    EXPECT_TRUE(first(text, kPolarity).moods.has(Mood::kNoNegation)) << text;
  for (const char* text : {"do not know", "不必来", "要不要"})
    EXPECT_TRUE(first(text, kPolarity).moods.has(Mood::kNoRule)) << text;
  for (const char* text : {"Don't touch it", "do not touch it", "不要动"})
    EXPECT_TRUE(first(text, kPolarity).moods.has(Mood::kNotTo)) << text;
  for (const char* text : {"never", "严禁吸烟"}) EXPECT_TRUE(first(text, kPolarity).moods.has(Mood::kForbids)) << text;
}

}  // namespace
}  // namespace weft
