#include "text/yaml_writer.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/filament_reader.h"
#include "tests/support/large_text.h"
#include "tests/support/random_value.h"

namespace weft {
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
