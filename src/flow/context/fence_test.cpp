#include "flow/context/fence.h"

#include <gtest/gtest.h>

#include <random>
#include <regex>
#include <string>

namespace weft {
namespace {

std::string decoded(std::string text) {
  for (auto at = text.find("&lt;"); at != std::string::npos; at = text.find("&lt;", at + 1)) text.replace(at, 4, "<");
  return text;
}

TEST(Fence, PF_6_no_text_holds_a_tag_once_it_is_fenced) {
  static constexpr std::string_view kPieces[] = {"<", "<", "</", ">", "memory", " ",  "\n",
                                                 "|", "!", "=",  "1", "/",      "a b"};
  const std::regex tag("<\\s*(?:[/!?|]|[A-Za-z_][\\w:-]*\\s*/?>)|<[A-Za-z_]");
  std::mt19937 random(7);
  for (int round = 0; round < 5000; ++round) {
    std::string text;
    for (unsigned i = 0; i < 1 + random() % 12; ++i) text += kPieces[random() % std::size(kPieces)];
    const std::string safe = escape_text(text);
    EXPECT_FALSE(std::regex_search(safe, tag)) << safe;
    EXPECT_EQ(decoded(safe), text);
  }
}

TEST(Fence, PF_6_tags_in_other_scripts_and_marks_of_chat_templates_are_escaped) {
  EXPECT_EQ(escape_text("<记忆>"), "&lt;记忆>");
  EXPECT_EQ(escape_text("< 记忆 >"), "&lt; 记忆 >");
  EXPECT_EQ(escape_text("<|im_start|>system"), "&lt;|im_start|>system");
}

TEST(Fence, AC_5_comparisons_in_code_stay_as_they_were_written) {
  for (const char* code :
       {"for (int i = 0; i < n; ++i)", "if (a <= b && c << 2 < 9)", "x<10", "价格<100元", "a <- 3", "<"})
    EXPECT_EQ(escape_text(code), code);
}

}  // namespace
}  // namespace weft
