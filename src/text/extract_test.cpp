#include "text/sentences.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "text/token_counter.h"

namespace weft {
namespace {

TEST(Extract, PF_4_the_sentences_that_say_most_come_in_their_order_in_both_languages) {
  const std::string english =
      "The deployment failed because the database migration was missing. Hm. The migration renames a database column. "
      "The weather was fine. After the migration the deployment of the database worked.";
  const auto picked = extract_sentences({{english, 1, false}}, 40);
  ASSERT_GE(picked.size(), 2u);
  EXPECT_NE(picked[0].find("migration"), std::string::npos);
  for (const std::string& sentence : picked) EXPECT_EQ(sentence.find("weather"), std::string::npos);
  const std::string chinese =
      "部署失败是因为数据库迁移缺失。嗯。迁移会重命名数据库的列。天气很好。迁移之后数据库部署成功。";
  const auto zh = extract_sentences({{chinese, 1, false}}, 30);
  ASSERT_FALSE(zh.empty());
  EXPECT_NE(zh[0].find("数据库"), std::string::npos);
}

TEST(Extract, PF_4_the_limit_holds_and_repetitions_are_said_once) {
  std::string text;
  for (int i = 0; i < 50; ++i) text += "The snake hits the wall and dies. ";
  for (int i = 0; i < 30; ++i) text += "The score is shown above the field. ";
  const auto picked = extract_sentences({{text, 1, false}}, 60);
  EXPECT_EQ(picked.size(), 2u);
  std::int64_t tokens = 0;
  for (const std::string& sentence : picked) tokens += estimate_tokens(sentence, TokenMode::kScript);
  EXPECT_LE(tokens, 60);
  EXPECT_TRUE(extract_sentences({{"", 1, false}}, 10).empty());
}

TEST(Extract, ST_11_names_of_the_work_are_found_in_code) {
  const std::string code =
      "class Snake:\n  def move(self): pass\nclass Game:\n  pass\nsee snake_game.py and run_game()";
  const auto names = extract_names({{code, 1, false}}, 6);
  const auto has = [&](const std::string& name) { return std::find(names.begin(), names.end(), name) != names.end(); };
  EXPECT_TRUE(has("Snake"));
  EXPECT_TRUE(has("Game"));
  EXPECT_TRUE(has("snake_game.py"));
}

TEST(Extract, ST_11_code_blocks_are_no_prose) {
  EXPECT_EQ(without_code("before\n```py\nx = 1\n```\nafter\n"), "before\nafter\n");
}

}  // namespace
}  // namespace weft
