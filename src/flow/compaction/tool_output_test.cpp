#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <random>

#include "flow/compaction/tool_output.h"
#include "text/utf8.h"

namespace weft {

// A summary of steps says what was found.

namespace {

TEST(StepFindings, IC_4_what_an_output_comes_to) {
  std::string run;
  for (int i = 0; i < 40; ++i) run += "tests/test_" + std::to_string(i) + ".py .\n";
  EXPECT_EQ(finding_in(run + "38 passed, 2 failed in 1.20s\n", 120), "38 passed, 2 failed in 1.20s");
  EXPECT_EQ(finding_in(R"({"price":12.4,"currency":"EUR"})", 120), "price: 12.4, currency: EUR");
  std::string source =
      "import os\n\nclass Parser:\n    def read(self):\n        pass\n    def write(self):\n        pass\n";
  EXPECT_EQ(finding_in(source, 120), "6 lines: class Parser, def read, def write");
  EXPECT_EQ(finding_in("one line", 120), "one line");
}

TEST(StepFindings, IC_4_announcements_in_both_languages) {
  for (const char* text : {"Let me read the file.", "Now I run the tests.", "I call read_file.", "Okay, let me look.",
                           "让我看一下代码。", "接下来运行测试。", "好的，我先看日志。"})
    EXPECT_TRUE(is_announcement(text)) << text;
  for (const char* text :
       {"The parser drops the last line.", "Two tests fail.", "日志里有两处错误。", "I found the cause."})
    EXPECT_FALSE(is_announcement(text)) << text;
}

TEST(StepFindings, IC_4_lines_of_steps_tell_outcomes_and_conclusions) {
  Message act;
  act.role = Role::kAssistant;
  act.content = "Let me read it. The limit is wrong.";
  act.tool_calls = {{"1", "read_file", R"({"path":"a.py"})"}};
  Message output;
  output.role = Role::kTool;
  output.tool_call_id = "1";
  output.content = "limit = 40";
  const auto lines = step_findings({&act, &output}, Language::kEnglish);
  EXPECT_EQ(lines, (std::vector<std::string>{"The limit is wrong.", "read_file(a.py) → limit = 40"}));
}

}  // namespace

// Long outputs of tools keep what matters.

namespace {

const TokenCounter kTokens{TokenMode::kScript};

std::string numbered(int lines) {
  std::string text;
  for (int i = 1; i <= lines; ++i) text += "step " + std::to_string(i) + " of the run is done\n";
  return text;
}

TEST(ShortOutput, AC_6_what_fits_stays_as_it_is) {
  EXPECT_EQ(shorten_output("a\nb\n", 10, kTokens, "", "m1"), "a\nb\n");
}

TEST(ShortOutput, AC_6_errors_and_what_was_asked_for_stay_with_both_ends) {
  std::string text = numbered(2000);
  text.insert(text.find("step 700 "), "x.c:3:5: error: expected ';'\n");
  text.insert(text.find("step 1300 "), "the heron lands on pier nine\n");
  const std::string cut = shorten_output(text, 400, kTokens, "Where does the heron land?", "m7");
  EXPECT_LE(kTokens.count(cut), 400);
  for (const char* part : {"step 1 of", "step 2000 of", "error: expected", "pier nine", "message \"m7\" from line "})
    EXPECT_NE(cut.find(part), std::string::npos) << part << "\n" << cut;
  EXPECT_NE(cut.find("of 2002 lines"), std::string::npos) << cut;
  EXPECT_EQ(shorten_output(text, 400, kTokens, "", "").find("the whole"), std::string::npos);
}

TEST(ShortOutput, AC_6_json_stays_json_and_keeps_what_speaks_of_the_request) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (int i = 0; i < 500; ++i)
    rows.push_back(
        {{"id", i}, {"town", i == 321 ? "Bergen" : "Oslo " + std::to_string(i)}, {"text", std::string(200, 'x')}});
  const nlohmann::ordered_json whole{{"total", 500}, {"rows", rows}};
  const std::string cut = shorten_output(whole.dump(), 500, kTokens, "which one is in Bergen?", "m1");
  EXPECT_LE(kTokens.count(cut), 500);
  const auto read = nlohmann::json::parse(cut, nullptr, false);
  ASSERT_TRUE(read.is_object()) << cut;
  EXPECT_EQ(read["total"], 500);
  EXPECT_TRUE(read["rows"].is_array());
  EXPECT_NE(cut.find("Bergen"), std::string::npos) << cut;
  EXPECT_NE(cut.find("more"), std::string::npos);
  EXPECT_TRUE(read.contains("left_out"));
}

TEST(ShortOutput, AC_6_a_diff_keeps_its_hunks) {
  std::string diff = "diff --git a/x b/x\n--- a/x\n+++ b/x\n";
  for (int hunk = 0; hunk < 6; ++hunk) {
    diff += "@@ -" + std::to_string(hunk * 100) + ",40 @@ part " + std::to_string(hunk) + "\n";
    for (int i = 0; i < 60; ++i) diff += " unchanged line " + std::to_string(i) + " of this part\n";
    diff += "-old " + std::to_string(hunk) + "\n+new " + std::to_string(hunk) + "\n";
  }
  const std::string cut = shorten_output(diff, 450, kTokens, "", "");
  for (int hunk = 0; hunk < 6; ++hunk) EXPECT_NE(cut.find("+new " + std::to_string(hunk)), std::string::npos) << cut;
}

TEST(ShortOutput, AC_6_never_longer_than_asked_for_and_always_valid_text) {
  std::mt19937 random(7);
  const std::string parts[] = {"河流与桥梁", "error: x\n", "a b c ",       "\n",
                               "{\"a\":",    "🙂",         "  indented\n", std::string(700, 'q')};
  for (int round = 0; round < 60; ++round) {
    std::string text;
    for (int i = 0; i < 200; ++i) text += parts[random() % std::size(parts)];
    const std::int64_t tokens = 60 + static_cast<std::int64_t>(random() % 300);
    const std::string cut = shorten_output(text, tokens, kTokens, "桥梁", "m1");
    EXPECT_LE(kTokens.count(cut), tokens);
    EXPECT_FALSE(find_invalid_utf8(cut).has_value()) << cut;
    EXPECT_EQ(cut, shorten_output(text, tokens, kTokens, "桥梁", "m1"));
  }
}

}  // namespace
}  // namespace weft
