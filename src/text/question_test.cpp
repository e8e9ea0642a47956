#include "text/question.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace weft {
namespace {

TEST(Question, PF_4_short_questions_of_both_languages_only_ask) {
  EXPECT_TRUE(is_bare_question("Thanks! What was it like?"));
  EXPECT_TRUE(is_bare_question("太好了！你们去了哪里？"));
  EXPECT_TRUE(is_bare_question("What do you think? [image: a photo of a dog]"));
  EXPECT_FALSE(is_bare_question("We went to the lake on Sunday."));
  EXPECT_FALSE(is_bare_question("我们周日去了湖边。"));
  EXPECT_FALSE(is_bare_question(""));
}

TEST(Question, a_long_question_tells_something) {
  std::string text;
  for (int i = 0; i < 40; ++i) text += "fact" + std::to_string(i) + " ";
  EXPECT_FALSE(is_bare_question(text + "so what should I do?"));
}

TEST(Question, no_word_gives_the_mark) {
  const auto terms = index_terms("Really? 真的吗？ ? ?");
  EXPECT_EQ(std::count(terms.begin(), terms.end(), question_mark_term()), 0);
}

}  // namespace
}  // namespace weft
