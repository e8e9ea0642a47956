#include <gtest/gtest.h>
#include <random>

#include "tests/support/filament_reader.h"
#include "tests/support/large_text.h"
#include "tests/support/random_value.h"
#include "text/yaml_value.h"

namespace weft {

namespace {

Result<Value> read(const std::string& yaml) { return parse_yaml_value(yaml, {}, "test.yaml"); }

TEST(YamlValue, HC_3_trees_are_read_with_scalars_as_text) {
  const auto value = read("a: 007\nb: [no, 'null', ~, ]\nc:\n  - x: |\n      one\n      two\n  -\nd: 钥匙\n");
  ASSERT_TRUE(value.ok()) << value.error().message;
  EXPECT_EQ(to_json(*value), R"({"a":"007","b":["no","null",null],"c":[{"x":"one\ntwo\n"},null],"d":"钥匙"})");
  EXPECT_TRUE(read("")->is_null());
  EXPECT_TRUE(read("# only a comment\n")->is_null());
}

TEST(YamlValue, HC_3_bombs_and_broken_text_are_refused_with_their_line) {
  std::string laughs = "a: &a [x, x, x]\n";
  for (char c = 'b'; c < 'j'; ++c)
    laughs += std::string(1, c) + ": &" + c + " [*" + char(c - 1) + ", *" + char(c - 1) + "]\n";
  const std::vector<std::pair<std::string, std::string>> cases{
      {laughs, "anchors are not supported"},
      {"a: 1\nb: *a\n", "line 2"},
      {"x: &one\n  y: 1\n", "anchors"},
      {"- &k\n- 1\n", "anchors"},
      {"a: 1\na: 2\n", "line 2: the key \"a\" stands there twice"},
      {"? [a, b]\n: 1\n", "a key must be a word"},
      {"a: 1\n---\nb: 2\n", "a second document"},
      {"a: [1, 2\n", "line "},
      {std::string(40, '[') + std::string(40, ']'), "nested too deeply"},
      {std::string(5'000, '['), "line 1"},
      {std::string(5'000, '{'), "line 1"},
      {"a: \x01\n", "control character"},
      {"ok: 1\nb: \xB0\xB2\n", "line 2: not UTF-8"},
  };
  for (const auto& [yaml, message] : cases) {
    const auto value = read(yaml);
    ASSERT_FALSE(value.ok()) << yaml.substr(0, 80);
    EXPECT_NE(value.error().message.find(message), std::string::npos) << yaml.substr(0, 80) << value.error().message;
    EXPECT_EQ(value.error().message.rfind("test.yaml", 0), 0u);
  }
}

TEST(YamlValue, HC_3_limits_on_bytes_and_values) {
  std::string many;
  for (int i = 0; i < 2'000; ++i) many += "- x\n";
  EXPECT_EQ(parse_yaml_value(many, {1 << 20, 8, 1'000}, "y").error().code, ErrorCode::kTooLarge);
  EXPECT_EQ(parse_yaml_value(many, {1'000, 8, 10'000}, "y").error().code, ErrorCode::kTooLarge);
  EXPECT_TRUE(parse_yaml_value(many, {1 << 20, 8, 10'000}, "y").ok());
}

TEST(YamlValue, HC_3_random_text_never_harms) {
  std::mt19937 random(5);
  const std::vector<std::string> parts{"a",   ": ", "- ",          "\n",    "  ",    "[",  "]",    "{", "}",
                                       ",",   "\"", "'",           "|\n",   ">",     "#",  "?",    "!", "!!str ",
                                       "&x ", "*x", "%YAML 1.2\n", "---\n", "...\n", "\t", "钥匙", "~"};
  for (int round = 0; round < 3'000; ++round) {
    std::string yaml;
    for (std::size_t n = random() % 30; n > 0; --n) yaml += parts[random() % parts.size()];
    const auto value = read(yaml);
    EXPECT_TRUE(value.ok() || !value.error().message.empty());
  }
}

TEST(YamlValue, PF_21_what_nests_too_deeply_is_refused) {
  const std::size_t few = 2'000;  // lines grow with the depth
  std::string lines;
  for (std::size_t i = 0; i < few; ++i) lines += std::string(i, ' ') + "a:\n";
  for (const std::string& yaml :
       {test::nested("[", "1", "]"), test::nested("{a: ", "1", "}"), test::nested("- ", "1", ""),
        test::nested("? ", "1", ""), lines, std::string(test::kDeep, '['), std::string(test::kDeep, '{')})
    EXPECT_FALSE(read(yaml).ok()) << yaml.substr(0, 20);
}

}  // namespace

namespace {

std::string yaml(const Value& value, const YamlOptions& options = {}) { return write_yaml(value, options).value(); }

TEST(YamlWriter, HC_5_block_style_entities_and_described_values) {
  const Value value(ValueObject{
      {"health", ValueObject{{"value", 85}, {"description", "受伤状态"}}},
      {"bag", ValueObject{{"_anchor", "bag_main"},
                          {"items", ValueList{ValueObject{{"id", "sword"}, {"name", "Iron Sword"}, {"count", 1}}}}}},
      {"tags", ValueList{"a", ValueList{1, 2}, ValueObject{{"x", 1}, {"y", Value()}}}},
      {"none", ValueList{}}});
  EXPECT_EQ(yaml(value),
            "health: 85 (受伤状态)\n"
            "bag:\n"
            "  _anchor: \"bag_main\"\n"
            "  items:\n"
            "    - { id: \"sword\", name: \"Iron Sword\", count: 1 }\n"
            "tags:\n"
            "  - a\n"
            "  - - 1\n"
            "    - 2\n"
            "  - x: 1\n"
            "    y: null\n"
            "none: []\n");
}

TEST(YamlWriter, HC_5_text_that_reads_as_something_else_is_quoted) {
  for (const char* text :
       {"",     " a",   "a ", "null", "Yes", "12",   "1_000", "0x1f",      "12:30", "2026-01-10", "-",   "- a",
        "a: b", "a #b", "[",  "{a",   "*a",  "&a",   "!a",    "%a",        "@a",    "`a",         "'a",  "\"a",
        "|",    ">",    "?",  ".5",   "~",   "a\nb", "a\tb",  "85 (hurt)", "<<",    "=",          "---", "..."}) {
    EXPECT_EQ(yaml(text).front(), '"') << text;
    EXPECT_EQ(test::read_yaml(yaml(text)), Value(text)) << text;
  }
  for (const char* text : {"a", "Iron Sword", "低语森林 - 外部", "已找到 2/3 个符文", "http://x/y", "a(b)", "it's"}) {
    EXPECT_EQ(yaml(text), std::string(text) + "\n");
  }
}

TEST(YamlWriter, HC_5_reading_it_gives_the_same_data) {
  std::mt19937 random(7);
  test::RandomValue source([&] { return static_cast<std::uint8_t>(random()); }, false);
  for (int i = 0; i < 4000; ++i) {
    const Value value = source.value();
    const std::string text = yaml(value);
    ASSERT_EQ(test::read_yaml(text), value) << to_json(value) << "\n" << text;
  }
}

TEST(YamlWriter, HC_5_bad_input_has_a_defined_result) {
  EXPECT_EQ(yaml("a\xff"), "a\xef\xbf\xbd\n");
  EXPECT_EQ(yaml(std::string("a\0b", 3)), "\"a\\x00b\"\n");
  const std::string large(test::kLargeText * 5, '"');
  EXPECT_EQ(yaml(large).size(), 2 * large.size() + 3);
  Value deep = 1;
  for (int i = 0; i < 70; ++i) deep = ValueList{std::move(deep)};
  EXPECT_EQ(write_yaml(deep).error().code, ErrorCode::kInvalidArgument);
}

}  // namespace

}  // namespace weft
