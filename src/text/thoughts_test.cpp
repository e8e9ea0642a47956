#include "text/thoughts.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace weft {
namespace {

TEST(Thoughts, PF_26_marks_part_a_thought_from_what_is_said) {
  const std::vector<std::pair<std::string, std::pair<std::string, std::string>>> cases = {
      {"<think>The guest may keep bees.</think> Good morning", {"Good morning", "The guest may keep bees."}},
      {"<thinking>\n客人可能养蜂。\n</thinking>\n\n早上好", {"早上好", "客人可能养蜂。"}},
      {"[THINK]hm[/THINK]Yes", {"Yes", "hm"}},
      {"◁think▷hm◁/think▷Yes", {"Yes", "hm"}},
      {"They may keep bees.\n</think>\n\nGood morning", {"Good morning", "They may keep bees."}},
      {"他可能养蜂。</think>早上好", {"早上好", "他可能养蜂。"}},
      {"<think>cut off", {"", "cut off"}},
      {"Sure.\n<think>what else", {"Sure.", "what else"}},
      {"<think></think>Yes", {"Yes", ""}},
      {"<think>a</think>One.\n<think>b</think>\nTwo.", {"One.\n\nTwo.", "a\nb"}},
      {"<think>a<think>b</think>c</think>Yes", {"Yes", "a<think>b\nc"}},
      {"Fine. <Think>They may keep bees.</Think> Good morning", {"Fine.  Good morning", "They may keep bees."}}};
  for (const auto& [text, parts] : cases) {
    const auto [said, thought] = split_thoughts(text);
    EXPECT_EQ(said, parts.first) << text;
    EXPECT_EQ(thought, parts.second) << text;
  }
}

TEST(Thoughts, PF_26_talk_about_the_marks_is_no_thought) {
  for (const std::string text :
       {" A plain answer. ", "Use `<think>` and `</think>` around it.", "```\n<think>\nx\n</think>\n```",
        "The model writes <think>so</think> before it answers.", "Put a </think> at the end, then the answer.",
        "A <think> tag opens it."}) {
    const auto [said, thought] = split_thoughts(text);
    EXPECT_EQ(said, text);
    EXPECT_EQ(thought, "") << text;
  }
}

}  // namespace
}  // namespace weft
