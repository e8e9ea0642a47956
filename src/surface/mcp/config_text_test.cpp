#include "surface/mcp/config_text.h"

#include <gtest/gtest.h>

namespace weft::mcp {
namespace {

const std::vector<std::string> kPath{"mcpServers", "weft"};
const std::vector<Setting> kSettings{{"command", "/usr/bin/weft"}, {"args", ValueList{"mcp", "--user", "安"}}};

std::string json(std::string_view text) {
  auto set = set_in_json(text, kPath, kSettings);
  EXPECT_TRUE(set.ok()) << set.error().message;
  return set.value_or("");
}

TEST(ConfigText, PF_10_an_empty_file_becomes_one_with_the_entry) {
  const std::string made = json("");
  EXPECT_EQ(made,
            "{\n  \"mcpServers\": {\n    \"weft\": {\n      \"command\": \"/usr/bin/weft\",\n      \"args\": "
            "[\"mcp\",\"--user\",\"安\"]\n    }\n  }\n}\n");
  EXPECT_EQ(json(made), made);
}

TEST(ConfigText, PF_10_what_else_stands_in_a_file_stays_with_its_comments) {
  const std::string before = R"({
  // my servers
  "theme": "dark", /* "mcpServers": {} */
  "mcpServers": {
    "other": { "command": "x", "args": ["}", "//no"] },
  },
}
)";
  const std::string after = json(before);
  for (const char* kept :
       {"// my servers", "/* \"mcpServers\": {} */", R"("other": { "command": "x", "args": ["}", "//no"] },)"})
    EXPECT_NE(after.find(kept), std::string::npos) << after;
  EXPECT_EQ(json(after), after);
}

TEST(ConfigText, PF_10_an_entry_that_is_there_keeps_what_people_added) {
  const std::string after = json(R"({"mcpServers":{"weft":{"command":"/old","env":{"A":"b"},"args":[]}},"n":1e3})");
  EXPECT_EQ(
      after,
      R"({"mcpServers":{"weft":{"command":"/usr/bin/weft","env":{"A":"b"},"args":["mcp","--user","安"]}},"n":1e3})");
}

TEST(ConfigText, PF_10_files_that_cannot_be_read_are_left_alone) {
  for (const char* broken : {"{", "[]", "{\"mcpServers\": 3}", "{\"a\" 1}", "{\"mcpServers\": {\"weft\": []}}", "/*"})
    EXPECT_FALSE(set_in_json(broken, kPath, kSettings).ok()) << broken;
  EXPECT_FALSE(set_in_toml("a = ", {"mcp_servers", "weft"}, kSettings).ok());
  EXPECT_FALSE(set_in_toml("mcp_servers = 3\n", {"mcp_servers", "weft"}, kSettings).ok());
  EXPECT_FALSE(set_in_toml("mcp_servers.weft = {command = \"x\"}\n", {"mcp_servers", "weft"}, kSettings).ok());
}

std::string toml(std::string_view text) {
  auto set = set_in_toml(text, {"mcp_servers", "weft"}, kSettings);
  EXPECT_TRUE(set.ok()) << set.error().message;
  return set.value_or("");
}

TEST(ConfigText, PF_10_tables_of_toml_are_added_and_changed) {
  EXPECT_EQ(toml(""), "[mcp_servers.weft]\ncommand = \"/usr/bin/weft\"\nargs = [\"mcp\",\"--user\",\"安\"]\n");
  const std::string before =
      "# mine\nmodel = \"o\"\n\n[mcp_servers.weft]\ncommand = \"/old\"\nargs = [\n  \"a\",\n  \"b\",\n]\ntimeout = 5 # "
      "s\n\n"
      "[mcp_servers.weft.env]\nA = \"b\"\n\n[mcp_servers.other]\ncommand = \"x\"\n";
  const std::string after = toml(before);
  EXPECT_EQ(
      after,
      "# mine\nmodel = \"o\"\n\n[mcp_servers.weft]\ncommand = \"/usr/bin/weft\"\nargs = [\"mcp\",\"--user\",\"安\"]\n"
      "timeout = 5 # s\n\n[mcp_servers.weft.env]\nA = \"b\"\n\n[mcp_servers.other]\ncommand = \"x\"\n");
  EXPECT_EQ(toml(after), after);
}

}  // namespace
}  // namespace weft::mcp
