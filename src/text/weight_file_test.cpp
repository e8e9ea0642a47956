#include "text/weight_file.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace weft {
namespace {

TEST(WeightFile, PF_8_PF_19_files_are_in_the_program_and_whole_numbers_count_their_step) {
  EXPECT_GE(shipped_weights_count, 7u);
  for (unsigned i = 0; i < shipped_weights_count; ++i)
    EXPECT_NO_THROW((void)shipped_weights(shipped_weights_list[i].id));
  const WeightFile file("x", {{"step", 0.25}, {"vector", ValueList{-50, 3}}});
  EXPECT_EQ(file.scaled("vector", "step"), (std::vector<float>{-12.5F, 0.75F}));
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

}  // namespace
}  // namespace weft
