#include "text/weight_file.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace weft {
namespace {

TEST(WeightFile, PF_8_PF_19_what_is_read_is_written_with_the_same_bytes) {
  EXPECT_GE(shipped_weights_count, 7u);
  for (unsigned i = 0; i < shipped_weights_count; ++i) {
    const ShippedWeights& file = shipped_weights_list[i];
    EXPECT_EQ(shipped_weights(file.id).source(), file.source) << file.id;
  }
}

TEST(WeightFile, PF_19_entries_stand_one_a_line_and_long_lists_are_broken) {
  ValueList many;
  for (int i = 0; i < 100; ++i) many.emplace_back(i - 50);
  const WeightFile file("x", {{"bias", -0.5}, {"names", ValueList{"a", "b"}}, {"step", 0.25}, {"vector", many}});
  const std::string source = file.source();
  EXPECT_TRUE(source.starts_with(
      "{\n  \"bias\": -0.5,\n  \"names\": [\"a\",\"b\"],\n  \"step\": 0.25,\n  \"vector\": [\n    -50,"));
  EXPECT_TRUE(source.ends_with(" 49\n  ]\n}\n"));
  const auto read = parse_value(source, {}, "x");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(*read->find("vector"), Value(many));
  EXPECT_EQ(file.scaled("vector", "step").front(), -12.5F);
}

TEST(WeightFile, PF_19_a_reader_that_asks_for_what_is_not_there_is_told_where) {
  const WeightFile file("x", {{"text", "a"}, {"number", 1}, {"list", ValueList{0.5}}});
  EXPECT_EQ(file.number("number"), 1);
  EXPECT_THROW((void)file.number("text"), std::logic_error);
  EXPECT_THROW((void)file.text("number"), std::logic_error);
  EXPECT_THROW((void)file.list("text"), std::logic_error);
  EXPECT_THROW((void)file.scaled("list", "number"), std::logic_error);
  EXPECT_THROW((void)shipped_weights("nobody"), std::logic_error);
  try {
    (void)file.number("bias");
    FAIL();
  } catch (const std::logic_error& error) {
    EXPECT_STREQ(error.what(), "x: there is no \"bias\"");
  }
}

TEST(WeightFile, PF_19_numbers_keep_the_digits_they_are_written_with) {
  EXPECT_EQ(rounded(-0.71624, 4), -0.7162);
  EXPECT_EQ(to_json(Value(rounded(1.0 / 3, 2))), "0.33");
  for (const float number : {0.1F, -0.0333333351F, 6.742062e-04F, 0.0F}) {
    EXPECT_EQ(static_cast<float>(as_written(number)), number);
    EXPECT_LE(to_json(Value(as_written(number))).size(), 16u);
  }
}

}  // namespace
}  // namespace weft
