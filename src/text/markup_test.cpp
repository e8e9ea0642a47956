#include <gtest/gtest.h>

#include <random>
#include <utility>
#include <vector>

#include "text/markup.h"
#include "text/utf8.h"

namespace weft {
namespace {

// Character by character, as it is defined.
std::string plainly_escaped(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = next_code_point(text, at);
    if (is_harmful(c)) continue;
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else
      append_code_point(out, c);
  }
  return out;
}

bool plainly_harmful(std::string_view text) {
  for (std::size_t at = 0; at < text.size();)
    if (is_harmful(next_code_point(text, at))) return true;
  return false;
}

TEST(Markup, PF_6_any_text_is_escaped_as_character_by_character) {
  constexpr char32_t kOdd[] = {'&',  '<',    '>',    '\n',   '\t',   '\r',    0x1b,   0x7f,
                               0x85, 0x200e, 0x202e, 0x2069, 0xfeff, 0xe0041, 0x4e2d, 0xa0};
  std::mt19937 random(5);
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    const auto length = random() % 60;
    const bool clean = random() % 3 == 0;
    while (text.size() < length) {
      const bool odd = random() % 12 == 0;
      char32_t c = odd ? kOdd[random() % std::size(kOdd)] : U' ' + random() % 95;
      if (clean && is_harmful(c)) c = 'x';
      append_code_point(text, c);
    }
    EXPECT_EQ(has_harmful(text), plainly_harmful(text)) << text;
    EXPECT_EQ(escape_markup(text), plainly_escaped(text)) << text;
    EXPECT_FALSE(has_harmful(drop_harmful(text)));
  }
}

TEST(Markup, PF_6_attributes_are_closed_by_nothing) {
  EXPECT_EQ(escape_attribute("a\"b'c<d>&"), "a&quot;b&#39;c&lt;d&gt;&amp;");
  EXPECT_EQ(escape_markup(""), "");
  EXPECT_EQ(escape_markup("<<<<&&&&>>>>"), "&lt;&lt;&lt;&lt;&amp;&amp;&amp;&amp;&gt;&gt;&gt;&gt;");
}

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
