#include "text/markup.h"

#include <gtest/gtest.h>

#include <random>

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

}  // namespace
}  // namespace weft
