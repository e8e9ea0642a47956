#include "text/protected_spans.h"

#include <gtest/gtest.h>

#include <random>

namespace weft {
namespace {

std::vector<std::string> found(std::string_view text, const std::vector<std::string>& names = {}) {
  std::vector<std::string> parts;
  for (const Span& span : protected_spans(text, names))
    parts.emplace_back(text.substr(span.begin, span.end - span.begin));
  return parts;
}

using Parts = std::vector<std::string>;

TEST(ProtectedSpans, CM_4_quotations_of_both_languages) {
  EXPECT_EQ(found("She said \"I am here\" twice"), Parts{"\"I am here\""});
  EXPECT_EQ(found("他说“我不去”，又说「明天再说」和『你好』"), (Parts{"“我不去”", "「明天再说」", "『你好』"}));
  EXPECT_EQ(found("a sign with 'my way' on it"), Parts{"'my way'"});
}

TEST(ProtectedSpans, CM_4_apostrophes_open_no_quotation) {
  EXPECT_TRUE(found("I don't know Ann's dog, and the students' books aren't mine").empty());
  EXPECT_TRUE(found("I went 'cause it's fun, rock 'n' roll").empty());
  EXPECT_TRUE(found("a 5\" pipe and a 6\" pipe").empty());
}

TEST(ProtectedSpans, CM_4_titles_code_and_addresses) {
  EXPECT_EQ(found("我在看《你的名字》"), Parts{"《你的名字》"});
  EXPECT_EQ(found("run `my_tool --here` now"), Parts{"`my_tool --here`"});
  EXPECT_EQ(found("look:\n```\nI = you\n```\ndone"), Parts{"```\nI = you\n```"});
  EXPECT_EQ(found("see https://example.org/i/you?me=1, thanks"), Parts{"https://example.org/i/you?me=1"});
  EXPECT_EQ(found("(see http://a.example/x)"), Parts{"http://a.example/x"});
  EXPECT_EQ(found("write to me.you@example.org today"), Parts{"me.you@example.org"});
  EXPECT_EQ(found("ask @here or @他乡客 about src/my/here.cpp and /tmp/i/me"),
            (Parts{"@here", "@他乡客", "src/my/here.cpp", "/tmp/i/me"}));
  EXPECT_TRUE(found("he/she and and/or both 24/7").empty());
}

TEST(ProtectedSpans, CM_4_given_names_as_whole_words) {
  EXPECT_EQ(found("你是谁说你要来", {"你是谁"}), Parts{"你是谁"});
  EXPECT_EQ(found("Ann met Anna", {"Ann"}), Parts{"Ann"});
  EXPECT_TRUE(found("I am here", {"I"}).empty()) << "a name that is a pronoun cannot be told from it";
}

TEST(ProtectedSpans, CM_4_marks_that_are_never_closed_protect_nothing) {
  EXPECT_TRUE(found("“我不去").empty());
  EXPECT_TRUE(found("\"I am\nhere").empty());
  EXPECT_TRUE(found("《《《").empty());
}

TEST(ProtectedSpans, CM_4_ordered_and_inside_the_text_for_any_bytes) {
  std::mt19937 random(7);
  const Parts pieces = {"\"",      "'",  "“", "”", "`",  "```",  "《", "》", "@",
                        "http://", "我", "a", " ", "\n", "\xff", "/",  ".",  "x@y.z"};
  for (int round = 0; round < 400; ++round) {
    std::string text;
    for (int i = 0; i < 40; ++i) text += pieces[random() % pieces.size()];
    std::size_t last = 0;
    for (const Span& span : protected_spans(text, {"a"})) {
      EXPECT_LE(last, span.begin);
      EXPECT_LT(span.begin, span.end);
      EXPECT_LE(span.end, text.size());
      last = span.end;
    }
  }
}

}  // namespace
}  // namespace weft
