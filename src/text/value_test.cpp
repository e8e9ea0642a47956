#include "text/value.h"

#include <gtest/gtest.h>

#include <string>

namespace weft {
namespace {

TEST(Value, HC_7_json_comes_back_as_it_was_in_its_order) {
  const std::string json = R"({"z":1,"a":[true,null,-2.5,"剑 \"x\""],"m":{"b":{},"a":[]},"n":9223372036854775807})";
  const auto value = parse_value(json, JsonLimits{}, "state");
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(to_json(*value), json);
  EXPECT_EQ(parse_value(to_json(*value), JsonLimits{}, "state").value(), *value);
}

TEST(Value, HC_7_of_a_name_given_twice_the_last_one_counts) {
  const auto value = parse_value(R"({"a":1,"b":2,"a":3})", JsonLimits{}, "state");
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(to_json(*value), R"({"b":2,"a":3})");
}

TEST(Value, HC_7_what_is_no_json_is_refused_by_name) {
  for (const char* text : {"", "{", "[1,]", "{\"a\":}", "\"\xff\"", "nul"}) {
    const auto value = parse_value(text, JsonLimits{}, "state");
    ASSERT_FALSE(value.ok()) << text;
    EXPECT_EQ(value.error().message.rfind("state", 0), 0U) << value.error().message;
  }
  EXPECT_FALSE(parse_value(std::string(100, '[') + std::string(100, ']'), JsonLimits{}, "state").ok());
}

TEST(Value, HC_4_an_object_of_many_members_is_read_in_order) {
  std::string json = "{";
  for (int i = 0; i < 20000; ++i) json += (i ? ",\"k" : "\"k") + std::to_string(i) + "\":" + std::to_string(i);
  json += "}";
  const auto value = parse_value(json, JsonLimits{}, "state");
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(to_json(*value), json);
}

}  // namespace
}  // namespace weft
