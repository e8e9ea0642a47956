#include "text/token_counter.h"

#include <gtest/gtest.h>

#include <string>

namespace weft {
namespace {

std::int64_t script(std::string_view text) { return estimate_tokens(text, TokenMode::kScript); }
std::int64_t chars4(std::string_view text) { return estimate_tokens(text, TokenMode::kChars4); }

// Expected counts are those of real vocabularies (the mean of five), within a quarter.
void expect_near(std::string_view text, double exact) {
  const auto estimate = static_cast<double>(script(text));
  EXPECT_GE(estimate, exact * 0.75) << text;
  EXPECT_LE(estimate, exact * 1.25 + 1) << text;
}

TEST(Tokens, nothing_is_nothing_and_anything_is_something) {
  EXPECT_EQ(script(""), 0);
  EXPECT_EQ(chars4(""), 0);
  for (const char* text : {" ", "a", "\n", "的", "\xFF", "."}) {
    EXPECT_GE(script(text), 1) << text;
    EXPECT_EQ(chars4(text), 1) << text;
  }
}

TEST(Tokens, four_characters_a_token_whatever_the_script) {
  EXPECT_EQ(chars4("abcd"), 1);
  EXPECT_EQ(chars4("abcde"), 2);
  EXPECT_EQ(chars4("一二三四"), 1);
  EXPECT_EQ(chars4("一二三四五"), 2);
}

TEST(Tokens, IC_2_by_script_is_near_real_vocabularies) {
  expect_near("The quick brown fox jumps over the lazy dog.", 10);
  expect_near("Please remember that the meeting was moved to Monday morning.", 11);
  expect_near("昨天我们的支付服务部署失败了，因为数据库连接池耗尽。", 15.4);
  expect_near("我喜欢在周末去公园散步，顺便拍一些照片。", 14.2);
  expect_near("192.168.0.1", 10.2);
  expect_near(R"({"name": "get_weather", "arguments": {"city": "Berlin", "days": 3}})", 22.6);
}

TEST(Tokens, IC_2_chinese_is_not_counted_as_a_quarter) {
  const std::string text = "他们讨论了整个下午也没有得出结论";
  EXPECT_GT(script(text), 2 * chars4(text));
}

TEST(Tokens, encoded_data_is_not_one_word) {
  EXPECT_GT(script(std::string(1200, 'x')), 300);
  EXPECT_GT(script("👍🎉🚀"), 3);
}

TEST(Tokens, longer_text_never_counts_less) {
  const std::string text = "Mixed 文本 with 12345 digits,   spaces\n\nand code: foo(bar); 😀 ünïcode";
  std::int64_t before = 0;
  for (std::size_t n = 0; n <= text.size(); ++n) {
    if (n < text.size() && (static_cast<unsigned char>(text[n]) & 0xC0) == 0x80) continue;
    const std::int64_t now = script(std::string_view(text).substr(0, n));
    EXPECT_GE(now, before) << n;
    before = now;
  }
}

TEST(Tokens, names_of_the_modes) {
  EXPECT_EQ(to_string(TokenMode::kExact), "exact");
  EXPECT_EQ(to_string(TokenMode::kScript), "script");
  EXPECT_EQ(to_string(TokenMode::kChars4), "chars4");
  EXPECT_EQ(estimate_tokens("any text", TokenMode::kExact), script("any text"));
}

}  // namespace
}  // namespace weft
