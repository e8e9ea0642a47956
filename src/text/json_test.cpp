#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

#include "tests/support/large_text.h"
#include "text/json.h"
#include "text/tool_arguments.h"

namespace weft {
namespace {

std::string error_of(std::string_view text, JsonLimits limits = {}) {
  const auto status = check_json(text, limits, "the body");
  return status.ok() ? "" : status.error().message;
}

TEST(Json, accepts_valid_and_names_the_byte_of_invalid) {
  EXPECT_EQ(error_of(R"({"a": [1, 2.5, "x\u0000", null, true]})"), "");
  EXPECT_NE(error_of(R"({"a": })").find("byte 7"), std::string::npos) << error_of(R"({"a": })");
  EXPECT_NE(error_of("").find("the body is not JSON"), std::string::npos);
  EXPECT_NE(error_of("[1] 2"), "");
  EXPECT_NE(error_of("[\"a\xFF\"]").find("UTF-8 from byte 3"), std::string::npos);
  EXPECT_NE(error_of("[1e999]"), "");
}

TEST(Json, PF_21_what_nests_too_deeply_is_refused_by_every_reader) {
  const std::string list = test::nested("[", "1", "]"), object = test::nested(R"({"a":)", "1", "}");
  const std::string open(test::kDeep, '['), mixed = test::nested(R"([{"[":)", R"("]")", "}]");
  for (const std::string& text : {list, object, open, mixed}) {
    EXPECT_NE(error_of(text), "");
    EXPECT_FALSE(read_json(text, {}, "the body").ok());
    EXPECT_FALSE(parse_value(text).ok());
    EXPECT_TRUE(lenient_json<nlohmann::json>(text).is_discarded());
    EXPECT_TRUE(lenient_json<nlohmann::ordered_json>(text).is_discarded());
    EXPECT_FALSE(SchemaCheck::compile(text).ok());
    EXPECT_FALSE(SchemaCheck::compile(R"({"enum":[)" + text + "]}").ok());
    EXPECT_FALSE(SchemaCheck::compile(R"({"default":)" + text + "}").ok());
    const auto any_list = SchemaCheck::compile(R"({"items":{"$ref":"#"}})");
    EXPECT_TRUE(!any_list.ok() || !any_list->check(text).ok());
  }
}

TEST(Json, PF_21_what_is_flat_or_only_looks_deep_is_read) {
  const std::string brackets = "\"" + std::string(test::kDeep, '[') + "\"";
  EXPECT_TRUE(lenient_json<nlohmann::json>(brackets).is_string());
  EXPECT_TRUE(lenient_json<nlohmann::json>("[" + brackets + R"(,"\"[",[1],[2]])").is_array());
  EXPECT_TRUE(lenient_json<nlohmann::json>("[1").is_discarded());
  EXPECT_TRUE(lenient_json<nlohmann::json>(test::nested("[", "", "]", kDeepestJson)).is_array());
  EXPECT_TRUE(lenient_json<nlohmann::json>(test::nested("[", "", "]", kDeepestJson + 1)).is_discarded());
}

TEST(Json, half_of_a_surrogate_pair_is_refused_with_advice) {
  for (const char* text : {R"(["\ud83d"])", R"(["\ude00"])", R"(["\ud83dx"])", R"({"\ud83d":1})"}) {
    const auto status = check_json(text, {}, "the body");
    ASSERT_FALSE(status.ok()) << text;
    EXPECT_NE(status.error().hint.find("pair"), std::string::npos) << status.error().message;
  }
  EXPECT_EQ(error_of(R"(["\ud83d\ude00"])"), "");
}

TEST(Json, limits_hold_before_anything_is_built) {
  EXPECT_EQ(error_of(std::string(64, '[') + std::string(64, ']')), "");
  EXPECT_EQ(check_json(std::string(65, '[') + std::string(65, ']'), {}, "it").error().code, ErrorCode::kTooLarge);
  // Would overflow the stack of a parser that calls itself.
  EXPECT_EQ(check_json(std::string(10'000'000, '['), {}, "it").error().code, ErrorCode::kTooLarge);
  EXPECT_EQ(check_json("[1,2]", JsonLimits{4, 64}, "it").error().code, ErrorCode::kTooLarge);
}

TEST(Json, parts_are_views_of_the_text) {
  const std::string_view array = R"( [ 1 , {"a":[",]"]} , "x\"]," , [] , null ] )";
  EXPECT_EQ(json_elements(array), (std::vector<std::string_view>{"1", R"({"a":[",]"]})", R"("x\"],")", "[]", "null"}));
  EXPECT_TRUE(json_elements("[]").empty());
  EXPECT_TRUE(json_elements(" [ ] ").empty());
  EXPECT_TRUE(json_members("{ }").empty());
  EXPECT_EQ(json_elements("\xEF\xBB\xBF[1,2]").size(), 2U);

  const std::string_view object = R"({ "a" : 1, "\u0062": {"c": "}"} ,"a":[2]})";
  const auto members = json_members(object);
  ASSERT_EQ(members.size(), 3U);
  EXPECT_EQ(members[1].first, "b");
  EXPECT_EQ(members[1].second, R"({"c": "}"})");
  EXPECT_EQ(json_member(object, "a"), "[2]");
  EXPECT_EQ(json_member(object, "z"), "");
}

TEST(Json, compact_keeps_order_and_numbers) {
  EXPECT_EQ(compact_json("{ \"z\" : 1.50,\n \"a\" : [ 1e2, \"b  c\\\" \" ] }"), R"({"z":1.50,"a":[1e2,"b  c\" "]})");
}

TEST(Json, reading_and_writing) {
  const auto value = read_json(R"({"b":1,"a":"你"})", {}, "it");
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(write_json(*value), R"({"a":"你","b":1})");
  EXPECT_EQ(write_json(nlohmann::json("a\xFF")), "\"a\xEF\xBF\xBD\"");
}

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
