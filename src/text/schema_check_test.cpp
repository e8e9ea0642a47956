#include "text/schema_check.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

constexpr const char* kSchema =
    R"({"type":"object","required":["title","items"],"additionalProperties":false,"properties":{
  "title":{"type":"string","minLength":1},
  "items":{"type":"array","maxItems":3,"items":{"type":"object","required":["kind"],"properties":{"kind":{"enum":["a","b"]},"n":{"type":"integer","minimum":0}}}}}})";

TEST(SchemaCheck, accepts_what_matches) {
  const auto check = SchemaCheck::compile(kSchema);
  ASSERT_TRUE(check.ok()) << check.error().message;
  EXPECT_TRUE(check->check(R"({"title":"蛇","items":[]})").ok());
  EXPECT_TRUE(check->check(R"({"title":"t","items":[{"kind":"a","n":3},{"kind":"b"}]})").ok());
}

TEST(SchemaCheck, says_where_an_answer_is_wrong) {
  const auto check = SchemaCheck::compile(kSchema);
  ASSERT_TRUE(check.ok());
  const auto message = [&](std::string_view text) {
    const Status status = check->check(text);
    EXPECT_FALSE(status.ok()) << text;
    return status.ok() ? std::string() : status.error().message;
  };
  EXPECT_NE(message(R"({"title":"t","items":[{"kind":"a"},{"kind":"c"}]})").find("[items][1][kind]"), std::string::npos)
      << message(R"({"title":"t","items":[{"kind":"a"},{"kind":"c"}]})");
  EXPECT_NE(message(R"({"title":"t"})").find("items"), std::string::npos);
  for (const char* wrong :
       {"", "{", "[]", "null", R"({"title":"","items":[]})", R"({"title":"t","items":[],"more":1})",
        R"({"title":"t","items":[{"kind":"a","n":1.5}]})", R"({"title":"t","items":[]} and more)"}) {
    message(wrong);
  }
}

TEST(SchemaCheck, what_is_no_schema_is_refused) {
  for (const char* wrong : {"", "no json", "[]", R"({"type":7})"}) {
    const auto check = SchemaCheck::compile(wrong);
    ASSERT_FALSE(check.ok()) << wrong;
    EXPECT_EQ(check.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(SchemaCheck, a_schema_of_a_client_cannot_end_the_program) {
  for (const char* wrong : {R"({"multipleOf":0})", R"({"properties":{"n":{"multipleOf":-3}}})", R"({"$ref":"#"})",
                            R"({"allOf":[{"$ref":"#"}]})", R"({"anyOf":[{"not":{"if":{"$ref":"#"}}}]})",
                            R"({"$ref":"file:///etc/passwd"})"}) {
    EXPECT_FALSE(SchemaCheck::compile(wrong).ok()) << wrong;
  }
  // Regular expressions are not run, wherever they stand; a property may be called like one.
  const auto check = SchemaCheck::compile(
      R"({"type":"object","properties":{"pattern":{"type":"string","pattern":"^(a+)+$","format":"date"}}})");
  ASSERT_TRUE(check.ok()) << check.error().message;
  const std::string long_text = R"({"pattern":")" + std::string(500'000, 'a') + R"(!"})";
  EXPECT_TRUE(check->check(long_text).ok());
  EXPECT_FALSE(check->check(R"({"pattern":7})").ok());
}

TEST(SchemaCheck, references_into_what_is_left_out_have_a_defined_result) {
  for (const char* odd :
       {R"({"format":{"format":{"pattern":"a"}},"allOf":[{"$ref":"#/format"},{"$ref":"#/format/format"}]})",
        R"({"patternProperties":{"x":{"format":"date","patternProperties":{"y":{"pattern":"a"}}}},
            "allOf":[{"$ref":"#/patternProperties/x"},{"$ref":"#/patternProperties/x/patternProperties/y"}]})"}) {
    const auto check = SchemaCheck::compile(odd);
    ASSERT_FALSE(check.ok()) << odd;
    EXPECT_EQ(check.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(SchemaCheck, a_schema_of_answers_may_be_recursive) {
  const auto tree = SchemaCheck::compile(
      R"({"type":"object","required":["name"],"properties":{"name":{"type":"string"},"parts":{"type":"array","items":{"$ref":"#"}}}})");
  ASSERT_TRUE(tree.ok()) << tree.error().message;
  EXPECT_TRUE(tree->check(R"({"name":"a","parts":[{"name":"b","parts":[{"name":"c"}]}]})").ok());
  EXPECT_FALSE(tree->check(R"({"name":"a","parts":[{"name":"b","parts":[{"nam":"c"}]}]})").ok());
}

}  // namespace
}  // namespace weft
