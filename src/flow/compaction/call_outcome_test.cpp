// A summary of steps says what was found.
#include "flow/compaction/call_outcome.h"

#include <gtest/gtest.h>

namespace weft {
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
}  // namespace weft
