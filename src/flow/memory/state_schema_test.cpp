#include "flow/memory/state_schema.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

constexpr const char* kSchema = R"({
  "type": "object", "required": ["health"],
  "properties": {
    "health": {"type": "object", "properties": {"value": {"type": "integer", "minimum": 0, "maximum": 100}}},
    "format": {"enum": ["novel", "play"]},
    "bag": {"$ref": "#/definitions/container"}},
  "definitions": {
    "container": {"type": "object", "properties": {"items": {"type": "array", "maxItems": 3,
      "items": {"type": "object", "required": ["name"], "properties": {"count": {"type": "integer", "minimum": 0}}}}}}}})";

constexpr const char* kState = R"({"health": {"value": 85, "description": "hurt"},
  "bag": {"_anchor": "bag", "items": [{"id": "potion", "name": "Potion", "count": 2}]}})";

TEST(StateSchema, HC_7_a_change_against_the_schema_is_refused_whole) {
  const auto schema = StateSchema::compile(kSchema);
  ASSERT_TRUE(schema.ok()) << schema.error().message;
  const StateCheck check = [&](const Value& root) { return schema->check(root); };
  auto parsed = StateTree::parse(kState);
  ASSERT_TRUE(parsed.ok());
  StateTree& state = *parsed;
  ASSERT_TRUE(schema->check(state.root()).ok());
  const std::string before = state.json();
  for (const char* wrong : {R"([["SET","health",50],["SET","health",101]])", R"([["SET","potion.count",-1]])",
                            R"([["SET","potion.count","two"]])", R"([["PUSH","bag",{"count":1}]])",
                            R"([["SET","/format","opera"]])", R"([["DELETE","health"]])"}) {
    const auto refused = state.apply(wrong, check);
    ASSERT_FALSE(refused.ok()) << wrong;
    EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(refused.error().message.find("does not match the schema at <root>"), std::string::npos)
        << refused.error().message;
    EXPECT_EQ(state.json(), before) << wrong;
  }
  EXPECT_TRUE(state.apply(R"([["SET","health",0],["SET","potion.count",5]])", check).ok());
}

TEST(StateSchema, HC_7_what_is_no_schema_or_could_hang_is_refused) {
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += R"({"not":)";
  deep += "{}" + std::string(100, '}');
  const std::string large = R"({"description":")" + std::string(300'000, 'x') + R"("})";
  for (const char* wrong :
       {"[]", "no", R"({"type":7})", R"({"$ref":"#"})", R"({"$ref":"http://example.com/schema"})",
        R"({"$ref":"#/definitions/none"})",
        R"({"$ref":"#/definitions/a","definitions":{"a":{"$ref":"#/definitions/b"},"b":{"$ref":"#/definitions/a"}}})",
        R"({"properties":{"name":{"pattern":"(a+)+$"}}})", R"({"items":[{"allOf":[{"format":"date"}]}]})",
        R"({"patternProperties":{"x":{}}})", R"({"allOf":[{"$ref":"#"}]})", R"({"multipleOf":0})",
        R"({"multipleOf":-1})", R"({"properties":{"in":{"$ref":"#"}}})", R"({"items":{"uniqueItems":true}})",
        deep.c_str(), large.c_str()}) {
    EXPECT_FALSE(StateSchema::compile(wrong).ok()) << std::string(wrong).substr(0, 80);
  }
}

TEST(StateSchema, HC_7_references_that_grow_without_bounds_are_refused) {
  std::string doubling = R"({"$ref":"#/definitions/d0","definitions":{"d40":{}})";
  doubling.pop_back();
  for (int i = 0; i < 40; ++i) {
    const std::string next = "{\"$ref\":\"#/definitions/d" + std::to_string(i + 1) + "\"}";
    doubling += ",\"d" + std::to_string(i) + "\":{\"allOf\":[" + next + "," + next + "]}";
  }
  const auto refused = StateSchema::compile(doubling + "}}");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kTooLarge) << refused.error().message;
  // One part that is used in many places is no such thing.
  const auto shared = StateSchema::compile(
      R"({"definitions":{"n":{"type":"integer"}},"properties":{"a":{"$ref":"#/definitions/n"},"b":{"$ref":"#/definitions/n"}}})");
  ASSERT_TRUE(shared.ok()) << shared.error().message;
  const auto wrong = StateTree::parse(R"({"a": 1, "b": "2"})");
  EXPECT_FALSE(shared->check(wrong->root()).ok());
}

}  // namespace
}  // namespace weft
