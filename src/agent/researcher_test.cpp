#include "agent/researcher.h"

#include <gtest/gtest.h>

#include "tests/support/large_text.h"
#include "weft/tool_parameters.h"

namespace weft {
namespace {

TEST(ResearchFound, RS_1_results_in_json_of_any_names) {
  const auto found = read_found(
      R"({"web":{"results":[{"link":"https://a.example.org/1","title":"One","snippet":"Nine gates.","date":"2024-01-02"},
      {"title":"no address"},{"url":"https://b.example.org/2","content":"Ten\n\ngates."}]}})",
      "web_search", Provenance::kWeb);
  ASSERT_EQ(found.sources.size(), 2u);
  EXPECT_EQ(found.sources[0].origin, "https://a.example.org/1");
  EXPECT_EQ(found.sources[0].title, "One");
  EXPECT_EQ(found.sources[0].date, "2024-01-02");
  EXPECT_EQ(found.sources[0].provenance, Provenance::kWeb);
  EXPECT_EQ(found.sources[1].parts.size(), 2u);
  EXPECT_EQ(found.sources[1].parts[0].first_line, 0);
}

TEST(ResearchFound, RS_1_results_in_plain_text) {
  const auto found = read_found(
      "1. The barrier\nhttps://a.example.org/1\nNine gates, opened in 1984.\n\n2. "
      "Another\n(https://b.example.org/2).\nTen "
      "gates.\n",
      "web_search", Provenance::kWeb);
  ASSERT_EQ(found.sources.size(), 2u);
  EXPECT_EQ(found.sources[1].origin, "https://b.example.org/2");
  std::string first, second;
  for (const FoundPart& part : found.sources[0].parts) first += part.text;
  for (const FoundPart& part : found.sources[1].parts) second += part.text;
  EXPECT_NE(first.find("opened in 1984"), std::string::npos);
  EXPECT_EQ(first.find("Ten gates"), std::string::npos);
  EXPECT_NE(second.find("Ten gates"), std::string::npos);
}

TEST(ResearchFound, RS_1_a_page_that_was_read_is_its_address_s_text) {
  const auto found = read_found("# Gates\n\nNine.\n", "web_fetch", Provenance::kWeb, "https://a.example.org/1");
  ASSERT_EQ(found.sources.size(), 1u);
  EXPECT_EQ(found.sources[0].origin, "https://a.example.org/1");
  EXPECT_TRUE(found.sources[0].whole);
  EXPECT_EQ(found.sources[0].title, "Gates");
}

TEST(ResearchFound, what_says_nothing_gives_nothing) {
  for (const char* text :
       {"", "null", "[]", "[1,2]", "{}", "{\"results\":[{}]}", "no results", "{\"results\":", "\xff\xfe"})
    EXPECT_TRUE(read_found(text, "t", Provenance::kWeb).sources.empty()) << text;
}

TEST(ResearchFound, RS_1_arguments_follow_the_tool_s_schema) {
  const auto tool = [](ToolParameters parameters) { return ToolInfo{"t", "", std::move(parameters)}; };
  EXPECT_EQ(arguments_for(tool(ToolParameters().text("q", "").integer("count", "").optional()), "x", false),
            R"({"q":"x"})");
  EXPECT_EQ(arguments_for(tool(ToolParameters().text("url", "")), "http://x", true), R"({"url":"http://x"})");
  EXPECT_EQ(arguments_for(tool(ToolParameters().texts("keywords", "")), "x", false), R"({"keywords":["x"]})");
  EXPECT_EQ(arguments_for(tool(ToolParameters().text("was", "")), "x", false), R"({"was":"x"})");
  EXPECT_EQ(arguments_for(tool(ToolParameters().integer("n", "")), "x", false), "");
  EXPECT_EQ(arguments_for(ToolInfo{"t", "", "not json"}, "x", false), "");
}

TEST(ResearchFound, PF_21_what_nests_too_deeply_is_taken_for_text) {
  const std::string deep = test::nested("[", "", "]");
  EXPECT_NO_FATAL_FAILURE(
      (void)read_found(R"({"results":[{"url":"https://a.example.org","text":)" + deep + "}]}", "t", Provenance::kWeb));
  ToolInfo tool;
  tool.parameters = R"({"properties":{"q":{"type":)" + deep + "}}}";
  EXPECT_EQ(arguments_for(tool, "x", false), "");
}

}  // namespace
}  // namespace weft
