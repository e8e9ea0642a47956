#include "weft/result.h"

#include <gtest/gtest.h>

#include <memory>

namespace weft {
namespace {

Result<int> half(int n) {
  if (n % 2 != 0) return invalid_argument("odd", "give an even number");
  return n / 2;
}

Result<int> quarter(int n) {
  WEFT_TRY(const int h, half(n));
  WEFT_TRY(const int q, half(h));
  return q;
}

Status both_even(int a, int b) {
  WEFT_CHECK(half(a).ok() ? Status() : Status(half(a).error()));
  WEFT_CHECK(half(b).ok() ? Status() : Status(half(b).error()));
  return {};
}

TEST(Result, carries_a_value_or_an_error_through_the_macros) {
  EXPECT_EQ(*quarter(12), 3);
  ASSERT_FALSE(quarter(6).ok());
  EXPECT_EQ(quarter(6).error().hint, "give an even number");
  EXPECT_EQ(quarter(6).value_or(-1), -1);
  EXPECT_TRUE(both_even(2, 4).ok());
  EXPECT_EQ(both_even(2, 3).error().code, ErrorCode::kInvalidArgument);
}

TEST(Result, the_wrong_side_is_a_defect) {
  EXPECT_THROW((void)half(1).value(), std::bad_optional_access);
  EXPECT_THROW((void)half(2).error(), std::bad_optional_access);
}

TEST(Result, holds_what_can_only_be_moved) {
  Result<std::unique_ptr<int>> r = std::make_unique<int>(7);
  const std::unique_ptr<int> p = std::move(r).value();
  EXPECT_EQ(*p, 7);
}

TEST(Result, every_code_has_its_own_name) {
  EXPECT_EQ(to_string(invalid_argument("").code), "invalid_argument");
  EXPECT_EQ(to_string(not_found("").code), "not_found");
  EXPECT_EQ(to_string(conflict("").code), "conflict");
  EXPECT_EQ(to_string(too_large("").code), "too_large");
  EXPECT_EQ(to_string(unavailable("").code), "unavailable");
  EXPECT_EQ(to_string(timed_out("").code), "timeout");
  EXPECT_EQ(to_string(cancelled("").code), "cancelled");
  EXPECT_EQ(to_string(corrupt("").code), "corrupt");
  EXPECT_EQ(to_string(permission("").code), "permission");
  EXPECT_EQ(to_string(internal("").code), "internal");
}

}  // namespace
}  // namespace weft
