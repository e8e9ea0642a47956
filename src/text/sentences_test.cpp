#include "text/sentences.h"

#include <gtest/gtest.h>

#include <string>

#include "text/token_counter.h"
#include "text/utf8.h"

namespace weft {
namespace {

using Parts = std::vector<std::string_view>;

std::int64_t tokens(std::string_view text) { return estimate_tokens(text, TokenMode::kScript); }
std::int64_t bytes(std::string_view text) { return static_cast<std::int64_t>(text.size()); }

std::string joined(const Parts& parts) {
  std::string all;
  for (const auto part : parts) all += part;
  return all;
}

TEST(Sentences, in_english) {
  EXPECT_EQ(sentences("It works. Does it? Yes!  Good..."), (Parts{"It works.", "Does it?", "Yes!", "Good..."}));
  EXPECT_EQ(sentences("ok. i will do it"), (Parts{"ok.", "i will do it"}));
  EXPECT_EQ(sentences("He said \"stop.\" Then he left."), (Parts{"He said \"stop.\"", "Then he left."}));
  EXPECT_EQ(sentences("wait... what"), (Parts{"wait... what"}));
  EXPECT_EQ(sentences("What?! No."), (Parts{"What?!", "No."}));
}

TEST(Sentences, in_chinese) {
  EXPECT_EQ(sentences("今天下雨。你来吗？来！"), (Parts{"今天下雨。", "你来吗？", "来！"}));
  EXPECT_EQ(sentences("他说：“走吧。”然后走了。"), (Parts{"他说：“走吧。”", "然后走了。"}));
  EXPECT_EQ(sentences("好!再见"), (Parts{"好!", "再见"}));
  EXPECT_EQ(sentences("真的？！是的"), (Parts{"真的？！", "是的"}));
  EXPECT_EQ(sentences("我……不知道"), (Parts{"我……不知道"}));
}

TEST(Sentences, PF_25_wide_and_no_break_spaces_stand_around_them) {
  EXPECT_EQ(sentences("　　我住在武汉。　我养猫　\n　真的！　好"), (Parts{"我住在武汉。", "我养猫", "真的！", "好"}));
  EXPECT_EQ(sentences("\u00A0It works.\u00A0Good\u00A0"), (Parts{"It works.", "Good"}));
  EXPECT_EQ(sentences("Ask Dr.\u00A0Weber"), (Parts{"Ask Dr.\u00A0Weber"}));
  EXPECT_EQ(sentences("　\u00A0 "), Parts());
}

TEST(Sentences, points_that_end_nothing) {
  for (const char* one :
       {"It costs 3.14 dollars", "See main.cpp and www.example.com/a?b=c!d for more", "Mr. Smith met Dr. Lee",
        "Use e.g. a list", "J. K. Rowling wrote it", "The U.S. team won", "Version v2.1.3 is out", "1. Bread",
        "See fig. 3 and no. 5", "at 5 p.m. we left", "edit .env now", "版本3.5发布"}) {
    EXPECT_EQ(sentences(one), (Parts{one}));
  }
  EXPECT_EQ(sentences("Bread, milk, etc. The rest follows."), (Parts{"Bread, milk, etc.", "The rest follows."}));
  EXPECT_EQ(sentences("I said no. Then I left."), (Parts{"I said no.", "Then I left."}));
  EXPECT_EQ(sentences("So did I. Good."), (Parts{"So did I.", "Good."}));
}

TEST(Sentences, lines_end_them) {
  EXPECT_EQ(sentences("  first line \r\n\n second\n"), (Parts{"first line", "second"}));
  EXPECT_TRUE(sentences("").empty());
  EXPECT_TRUE(sentences(" \n\t ").empty());
  EXPECT_EQ(sentences("..."), (Parts{"..."}));
}

TEST(Split, at_the_largest_unit_that_fits) {
  EXPECT_EQ(split_by_tokens("", 5, bytes), Parts{});
  EXPECT_EQ(split_by_tokens("short", 100, bytes), (Parts{"short"}));
  EXPECT_EQ(split_by_tokens("para one.\n\npara two.", 15, bytes), (Parts{"para one.\n\n", "para two."}));
  EXPECT_EQ(split_by_tokens("One is. Two is. Three.", 17, bytes), (Parts{"One is. Two is. ", "Three."}));
  EXPECT_EQ(split_by_tokens("some words here", 11, bytes), (Parts{"some words ", "here"}));
  EXPECT_EQ(split_by_tokens("abcdefgh", 3, bytes), (Parts{"abc", "def", "gh"}));
  EXPECT_EQ(split_by_tokens("第一句。第二句。", 13, bytes), (Parts{"第一句。", "第二句。"}));
}

TEST(Split, a_limit_under_one_character_still_ends) {
  EXPECT_EQ(split_by_tokens("中文", 1, bytes), (Parts{"中", "文"}));
  EXPECT_EQ(split_by_tokens("ab", 0, bytes), (Parts{"a", "b"}));
  EXPECT_EQ(split_by_tokens("ab", -5, bytes), (Parts{"a", "b"}));
}

TEST(Split, joins_to_the_text_and_keeps_the_limit) {
  const std::string text =
      "First paragraph with some words. And another sentence, longer than the "
      "first!\n\n\n第二段有中文。还有更多的文字，没有空格"
      "可以断开的地方很多。\r\n\r\nemoji 👨‍👩‍👧👍🏽 and e\xCC\x81 accents " +
      std::string(300, 'x') + "\n" + std::string(40, '\n') + "end";
  for (std::int64_t max = 1; max < 120; ++max) {
    const Parts parts = split_by_tokens(text, max, tokens);
    ASSERT_EQ(joined(parts), text) << max;
    for (const auto part : parts) {
      ASSERT_FALSE(part.empty());
      ASSERT_EQ(find_invalid_utf8(part), std::nullopt);
      std::size_t one = 0;
      next_code_point(part, one);
      if (one < part.size()) {
        EXPECT_LE(tokens(part), max) << part;
      }
    }
  }
}

TEST(Split, survives_a_count_that_is_not_monotone) {
  // Beginnings of odd length need one token more, as with a tokenizer that merges pairs.
  const auto pairs = [](std::string_view text) { return bytes(text) / 2 + bytes(text) % 2 * 2; };
  const std::string text = "aaa bb cccc ddddd e ffffff ggggggg";
  for (std::int64_t max = 2; max < 12; ++max) {
    const Parts parts = split_by_tokens(text, max, pairs);
    EXPECT_EQ(joined(parts), text);
    for (const auto part : parts) EXPECT_LE(pairs(part), max) << part;
  }
}

TEST(Split, broken_utf8_is_passed_on) {
  const std::string text = "\x80\x80\xFF\xE4\xB8 abc";
  EXPECT_EQ(joined(split_by_tokens(text, 2, tokens)), text);
}

TEST(Split, ten_megabytes_take_linear_work) {
  std::string text;
  while (text.size() < 10'000'000) text += "没有空格也没有标点的文字";
  std::size_t counted = 0;
  const auto count = [&](std::string_view part) {
    counted += part.size();
    return tokens(part);
  };
  const Parts parts = split_by_tokens(text, 1000, count);
  EXPECT_EQ(joined(parts), text);
  EXPECT_LT(counted, text.size() * 20);
}

}  // namespace
}  // namespace weft
