#include <gtest/gtest.h>

#include <algorithm>

#include "flow/context/offered_tools.h"

namespace weft {

// Which tools the prompts of a task offer.

namespace {

std::vector<ToolInfo> tools() {
  return {{"play_music", "Plays a song.", ""},
          {"weather", "Tells the weather of a town.", ""},
          {"read_file", "Reads a file of the project.", ""},
          {"git_commit", "Commits the changes.", ""},
          {"send_mail", "Sends a mail.", ""},
          {"stock_price", "Tells the price of a share.", ""},
          {"set_alarm", "Sets an alarm.", ""},
          {"find_recipe", "Finds a recipe.", ""}};
}

class Offered : public testing::Test {
 protected:
  std::vector<std::string> after(const ToolNeed& need, ToolBounds bounds = {}) {
    offer_tools(offered_, "list", index_, need, bounds, {}, Deadline());
    std::vector<std::string> names;
    for (const OfferedTool& one : offered_.tools) names.push_back(index_.tools()[one.index].name);
    return names;
  }
  static bool has(const std::vector<std::string>& names, const char* name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  ToolIndex index_{tools()};
  OfferedTools offered_;
};

TEST_F(Offered, AC_8_input_and_task_together_say_what_is_needed) {
  const auto names = after({"Mend the parser", "Fix the bug in parser.py and commit it", "", {}});
  EXPECT_TRUE(has(names, "read_file"));
  EXPECT_TRUE(has(names, "git_commit"));
}

TEST_F(Offered, AC_8_within_a_task_the_offer_only_grows_at_its_end) {
  const auto first = after({"Prepare the release", "Read setup.py", "", {}});
  auto later = after({"Prepare the release", "Send a mail to Bo", "", {}});
  EXPECT_TRUE(has(later, "send_mail"));
  EXPECT_TRUE(std::equal(first.begin(), first.end(), later.begin()));
  EXPECT_EQ(after({"Prepare the release", "thanks!", "", {}}), later);
  // Another task is chosen for anew.
  EXPECT_FALSE(has(after({"Cook something", "Find a recipe", "", {}}), "send_mail"));
}

TEST_F(Offered, AC_8_what_was_called_stays_whatever_else_is_needed) {
  const ToolBounds few{2, 3};
  after({"Do the chores", "Commit it", "", {"stock_price"}}, few);
  for (const char* input : {"Send a mail", "Set an alarm", "Find a recipe", "Play a song", "Read the file"}) {
    const auto names = after({"Do the chores", input, "", {}}, few);
    EXPECT_LE(names.size(), 3U);
    EXPECT_TRUE(has(names, "stock_price")) << input;
  }
  EXPECT_TRUE(has(after({"Do the chores", "Read the file", "", {}}, few), "read_file"));
}

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

TEST(ToolNames, AC_10_a_structured_prefix_is_recognised) {
  EXPECT_EQ(tool_prefix("browser_click"), "browser_");
  EXPECT_EQ(tool_prefix("human_ask"), "human_");
  EXPECT_EQ(tool_prefix("browserclick"), "");
  EXPECT_EQ(tool_prefix("get_weather"), "");
  EXPECT_EQ(tool_prefix(""), "");
}

TEST(ToolNames, AC_10_a_name_that_providers_refuse_is_an_error) {
  EXPECT_TRUE(check_tool_name("file_read-2").ok());
  EXPECT_FALSE(check_tool_name("").ok());
  EXPECT_FALSE(check_tool_name(std::string(65, 'a')).ok());
  const Status dotted = check_tool_name("maps.route");
  ASSERT_FALSE(dotted.ok());
  EXPECT_NE(dotted.error().message.find("byte 4"), std::string::npos);
  EXPECT_FALSE(check_tool_name("读文件").ok());
}

TEST(ToolNames, AC_10_a_name_without_prefix_gets_one_proposed) {
  EXPECT_TRUE(check_structured_name("shell_run").ok());
  EXPECT_FALSE(check_structured_name("shell_").ok());
  const Status plain = check_structured_name("readFile");
  ASSERT_FALSE(plain.ok());
  EXPECT_NE(plain.error().hint.find("file_read"), std::string::npos);
}

TEST(ToolNames, AC_10_the_prefix_is_derived_from_words_of_the_name) {
  EXPECT_EQ(structured_tool_name("run_command", ""), "shell_run_command");
  EXPECT_EQ(structured_tool_name("webNavigate", ""), "browser_web_navigate");
  EXPECT_EQ(structured_tool_name("readFile", ""), "file_read");
  EXPECT_EQ(structured_tool_name("searchWeb", ""), "search_web");
  EXPECT_EQ(structured_tool_name("ask.approval", ""), "human_ask_approval");
  EXPECT_EQ(structured_tool_name("file_write", "Runs a shell command."), "file_write");
}

TEST(ToolNames, AC_10_the_description_decides_where_the_name_says_nothing) {
  EXPECT_EQ(structured_tool_name("goto", "Opens a page in the browser."), "browser_goto");
  EXPECT_EQ(structured_tool_name("ls", "列出目录中的文件"), "file_ls");
  EXPECT_EQ(structured_tool_name("run", "在终端里执行命令"), "shell_run");
}

TEST(ToolNames, AC_10_no_prefix_is_invented_where_no_group_fits) {
  EXPECT_EQ(structured_tool_name("get_weather", "Tomorrow's temperature."), "");
  EXPECT_EQ(structured_tool_name("", ""), "");
  EXPECT_EQ(structured_tool_name("文件", "文件"), "") << "nothing is left that a provider accepts";
}

TEST(ToolNames, AC_10_derived_names_can_be_offered) {
  const std::string long_name = "search" + std::string(5000, 'x') + "Query";
  for (const std::string& name : {std::string("find all__the-things"), long_name, std::string("a\xff_file\x80")}) {
    const std::string derived = structured_tool_name(name, "");
    if (derived.empty()) continue;
    EXPECT_TRUE(check_structured_name(derived).ok()) << derived;
    EXPECT_EQ(structured_tool_name(derived, ""), derived);
  }
}

TEST(ToolNames, AC_8_identifiers_are_cut_into_words) {
  EXPECT_EQ(words_of_identifier("getUserByID"), "get User By ID");
  EXPECT_EQ(words_of_identifier("parseHTML_page"), "parse HTML page");
  EXPECT_EQ(words_of_identifier("maps.route-v2"), "maps route v2");
  EXPECT_EQ(words_of_identifier("查询_天气"), "查询 天气");
  EXPECT_EQ(words_of_identifier("___"), "");
}

}  // namespace

}  // namespace weft
