#include "flow/recall/recipes.h"

#include <gtest/gtest.h>

#include <string>

#include "flow/recall/recall.h"

namespace weft {
namespace {

TEST(Recipes, PF_11_are_found_by_name) {
  const RecallSettings settings;
  for (const char* name : {"balanced", "literal", "words", "vectors", "recent"})
    EXPECT_TRUE(find_recipe(name, settings).ok()) << name;
  EXPECT_FALSE(find_recipe("best", settings).ok());
  EXPECT_FALSE(find_recipe("words", settings)->uses_vectors());
  EXPECT_FALSE(find_recipe("recent", settings)->uses_vectors());
  EXPECT_TRUE(find_recipe("literal", settings)->uses_vectors());
}

TEST(Recipes, PF_11_the_literal_one_has_the_written_numbers) {
  const Recipe recipe = *find_recipe("literal", RecallSettings{});
  EXPECT_DOUBLE_EQ(recipe.vector, 0.7);
  EXPECT_DOUBLE_EQ(recipe.words, 0.3);
  EXPECT_EQ(recipe.arm_top, 20u);
  EXPECT_DOUBLE_EQ(recipe.min_threshold, 0);
}

TEST(TextToEmbed, PF_4_is_without_the_names_of_speakers) {
  const std::vector<std::string> names{"Anna", "Ben", "张伟", "user", "assistant"};
  EXPECT_EQ(text_to_embed("When did Anna paint a sunrise?", names), "When did paint a sunrise?");
  EXPECT_EQ(text_to_embed("What is Ben's favourite game?", names), "What is favourite game?");
  EXPECT_EQ(text_to_embed("张伟喜欢吃什么火锅？", names), "喜欢吃什么火锅？");
  EXPECT_EQ(text_to_embed("Annabel and a user wrote banners", names), "Annabel and a user wrote banners");
}

TEST(TextToEmbed, keeps_names_where_nothing_else_is_asked) {
  EXPECT_EQ(text_to_embed("Who is Anna?", std::vector<std::string>{"Anna"}), "Who is Anna?");
}

}  // namespace
}  // namespace weft
