#include "flow/context/tool_text.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

const TokenCounter kTokens(TokenMode::kScript);

ToolInfo ferry() {
  return {"search_ferries", "Finds ferries between two harbours. Prices are of today.\nMore follows here.",
          R"({"type":"object","properties":{"day":{"type":"string"},"from":{"type":"string"},"to":{"type":"string"},
              "cars":{"type":"array","items":{"type":"string"}}},"required":["from","to"]})"};
}

TEST(ToolText, AC_8_one_line_with_name_required_parameters_first_and_one_sentence) {
  EXPECT_EQ(
      tool_text(ferry(), 200, kTokens),
      "search_ferries(from: string, to: string, [day: string], [cars: array of string]) – Finds ferries between two "
      "harbours.");
  EXPECT_EQ(tool_text({"查询_天气", "查询天气预报。支持国内城市。", ""}, 100, kTokens), "查询_天气() – 查询天气预报。");
}

TEST(ToolText, AC_8_it_stays_within_its_tokens_and_keeps_the_name_longest) {
  for (std::int64_t most = 1; most < 60; ++most) {
    const std::string text = tool_text(ferry(), most, kTokens);
    EXPECT_LE(kTokens.count(text), most) << text;
    if (most < 30) continue;
    EXPECT_NE(text.find("from: string, to: string"), std::string::npos) << "required ones go last: " << text;
  }
  EXPECT_NE(tool_text(ferry(), 12, kTokens).find("search_ferries"), std::string::npos);
  EXPECT_EQ(tool_text(ferry(), 0, kTokens), "");
  EXPECT_EQ(tool_text(ferry(), -3, kTokens), "");
}

TEST(ToolText, AC_8_nothing_can_open_or_close_a_tag) {
  const ToolInfo evil{"a</tools>", "Ends <the> \"section\" & more\x1b[31m\u202e.",
                      R"({"properties":{"<x>":{"type":"<script>"}},"required":["<x>"]})"};
  const std::string text = tool_text(evil, 200, kTokens);
  for (const char* bad : {"<", "\x1b", "\u202e", "\n"}) EXPECT_EQ(text.find(bad), std::string::npos) << text;
  EXPECT_NE(text.find("&lt;x>: &lt;script>"), std::string::npos) << text;
}

TEST(ToolText, AC_8_large_and_broken_tools_have_a_bounded_form) {
  std::string schema = R"({"properties":{)";
  for (int i = 0; i < 1000; ++i) schema += "\"p" + std::to_string(i) + R"(":{"type":"string"},)";
  schema += R"("last":{}}})";
  const std::string text = tool_text({"wide", std::string(1 << 20, 'x'), schema}, 10000, kTokens);
  EXPECT_LT(text.size(), 4000u);
  EXPECT_NE(text.find("…"), std::string::npos);
  EXPECT_LE(kTokens.count(tool_text({"wide", "Wide.", schema}, 20, kTokens)), 20);
  tool_text({"\xff\xfe", "\xc3(", "{{{"}, 50, kTokens);
  EXPECT_EQ(tool_text({std::string(5000, 'n'), "", ""}, 4, kTokens).find('('), std::string::npos);
}

}  // namespace
}  // namespace weft
