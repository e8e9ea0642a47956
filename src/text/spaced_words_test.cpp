#include "text/spaced_words.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace weft {
namespace {

constexpr std::string_view kGaps = ".,!?";

TEST(SpacedWords, PF_4_one_blank_stands_between_words_and_around_them) {
  EXPECT_EQ(spaced_words("keep it short", kGaps), " keep it short ");
  EXPECT_EQ(spaced_words("  keep,\tit... short!\n", kGaps), " keep it short ");
  EXPECT_EQ(spaced_words("don’t use c++", kGaps), " don't use c++ ");
  EXPECT_EQ(spaced_words("", kGaps), " ");
  EXPECT_EQ(spaced_words(" ?! ", kGaps), " ");
}

TEST(SpacedWords, PF_4_phrases_are_found_as_whole_words_and_the_longest_at_the_beginning) {
  constexpr std::string_view list[] = {"do", "do not", "by the way"};
  const SpacedPhrases phrases(list);
  EXPECT_TRUE(phrases.any_in(" please do "));
  EXPECT_TRUE(phrases.any_in(" oh by the way "));
  EXPECT_FALSE(phrases.any_in(" redo dots "));
  EXPECT_FALSE(phrases.any_in(" by the ways "));
  EXPECT_FALSE(phrases.any_in(" by the"));
  EXPECT_FALSE(phrases.any_in(" "));
  EXPECT_FALSE(phrases.any_in(""));
  EXPECT_EQ(phrases.begin_of(" do not go "), "do not");
  EXPECT_EQ(phrases.begin_of(" do nothing "), "do");
  EXPECT_EQ(phrases.begin_of(" i do not "), "");
}

// Against the plain search, over random rows of few words.
TEST(SpacedWords, PF_4_finds_what_a_search_for_each_phrase_finds) {
  std::mt19937 chance(7);
  const auto words = [&](int most) {
    std::string text;
    for (int n = 1 + static_cast<int>(chance() % static_cast<unsigned>(most)); n > 0; --n)
      text += std::string(text.empty() ? "" : " ") + static_cast<char>('a' + chance() % 3) + (chance() % 4 ? "" : "b");
    return text;
  };
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::string> kept;
    for (int i = 0; i < 4; ++i) kept.push_back(words(3));
    const std::vector<std::string_view> list(kept.begin(), kept.end());
    const SpacedPhrases phrases(list);
    const std::string row = spaced_words(words(7), kGaps);
    std::string_view longest;
    bool any = false;
    for (const std::string_view phrase : list) {
      const std::string spaced = " " + std::string(phrase) + " ";
      any = any || row.find(spaced) != std::string::npos;
      if (row.starts_with(spaced) && phrase.size() > longest.size()) longest = phrase;
    }
    EXPECT_EQ(phrases.any_in(row), any) << row;
    EXPECT_EQ(phrases.begin_of(row), longest) << row;
  }
}

TEST(SpacedWords, PF_4_a_language_without_blanks_is_searched_as_it_stands) {
  constexpr std::string_view list[] = {"以后", "每次"};
  EXPECT_TRUE(holds_any("请以后用中文", list));
  EXPECT_FALSE(holds_any("以前后来", list));
  EXPECT_FALSE(holds_any("", list));
}

}  // namespace
}  // namespace weft
