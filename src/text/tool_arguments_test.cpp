#include <gtest/gtest.h>

#include "text/tool_arguments.h"

namespace weft {
namespace {

const Value& schema() {
  static const Value made = parse_value(R"({
    "type": "object", "required": ["query"],
    "properties": {
      "query": {"type": "string"}, "top_k": {"type": "integer"}, "share": {"type": "number"},
      "compact": {"type": "boolean"}, "from": {"type": "string"},
      "kinds": {"type": "array", "items": {"type": "string", "enum": ["message", "event"]}},
      "people": {"type": "array", "items": {"type": "string"}},
      "messages": {"type": "array", "items": {"$ref": "#/$defs/Message"}},
      "where": {"$ref": "#/$defs/Where"},
      "either": {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"type": "integer"}}]},
      "operations": {"type": "array", "items": {"type": "array", "items": {}}},
      "any": {}},
    "$defs": {
      "Message": {"type": "object", "required": ["role"], "properties": {
        "role": {"type": "string"}, "content": {"type": "string"},
        "time": {"anyOf": [{"type": "number"}, {"type": "string", "format": "date-time"}]},
        "kind": {"type": "string", "enum": ["a", "b"]}, "id": {"type": "string", "minLength": 1},
        "share": {"type": "number"}, "failed": {"type": ["boolean", "null"]},
        "parts": {"type": "array", "items": {"$ref": "#/$defs/Message"}}}},
      "Where": {"type": "object", "properties": {"importance": {"type": "number"}, "tag": {"type": "string"}}}}})")
                                .value();
  return made;
}

std::string meant(const char* given) { return to_json(arguments_as_meant(parse_value(given).value(), schema())); }

TEST(ToolArguments, PF_10_empty_optional_arguments_count_as_left_out) {
  EXPECT_EQ(
      meant(R"({"query":"badge code","top_k":"","from":"","kinds":"","where":null,"compact":" ","share":"null"})"),
      R"({"query":"badge code"})");
  EXPECT_EQ(meant(R"({"query":"","where":{"tag":"","importance":"0.5"}})"),
            R"({"query":"","where":{"importance":0.5}})");
  EXPECT_EQ(meant(R"({"query":"null"})"), R"({"query":"null"})");
  for (const char* none : {"null", "\"\"", "[]", "{}"}) EXPECT_EQ(meant(none), "{}") << none;
}

TEST(ToolArguments, PF_10_numbers_and_flags_as_texts) {
  EXPECT_EQ(meant(R"({"query":42,"top_k":"3","share":" 0.25 ","compact":"true","people":7})"),
            R"({"query":42,"top_k":3,"share":0.25,"compact":true,"people":7})");
  EXPECT_EQ(meant(R"({"top_k":3.0,"compact":"False"})"), R"({"top_k":3,"compact":false})");
  EXPECT_EQ(meant(R"({"top_k":"three","share":"1/2","compact":"maybe"})"),
            R"({"top_k":"three","share":"1/2","compact":"maybe"})");
  EXPECT_EQ(meant(R"({"top_k":2.5,"any":"3"})"), R"({"top_k":2.5,"any":"3"})");
}

TEST(ToolArguments, PF_10_lists_as_text_and_single_values) {
  EXPECT_EQ(meant(R"({"kinds":"[\"message\"]"})"), R"({"kinds":["message"]})");
  EXPECT_EQ(meant(R"({"kinds":"message, event"})"), R"({"kinds":["message","event"]})");
  EXPECT_EQ(meant(R"({"people":"Ann, 李雷"})"), R"({"people":["Ann, 李雷"]})");
  EXPECT_EQ(meant(R"({"people":["Ann",""]})"), R"({"people":["Ann",""]})");
  EXPECT_EQ(meant(R"({"messages":{"role":"user","content":""}})"), R"({"messages":[{"role":"user","content":""}]})");
  EXPECT_EQ(meant(R"({"messages":"[{\"role\":\"user\",\"content\":\"hi\"}]"})"),
            R"({"messages":[{"role":"user","content":"hi"}]})");
  EXPECT_EQ(meant(R"({"where":"{\"importance\":\"1\"}"})"), R"({"where":{"importance":1}})");
  EXPECT_EQ(meant(R"({"either":"7"})"), R"({"either":7})");
  EXPECT_EQ(meant(R"({"either":"[7]"})"), R"({"either":[7]})");
  EXPECT_EQ(meant(R"({"operations":"[[\"ADD\",\"hp\",\"5\"]]"})"), R"({"operations":[["ADD","hp","5"]]})");
  EXPECT_EQ(arguments_as_meant(Value(R"({"query":"x","top_k":"2"})"), schema()),
            parse_value(R"({"query":"x","top_k":2})").value());
}

TEST(ToolArguments, PF_10_fields_of_objects_in_lists_are_read_as_those_of_the_whole) {
  EXPECT_EQ(meant(R"({"messages":[{"role":"user","content":"","time":"","kind":"","id":" ","share":"","failed":""}]})"),
            R"({"messages":[{"role":"user","content":""}]})");
  EXPECT_EQ(meant(R"({"messages":[{"role":"user","share":"0.5","failed":"true","time":"1700000000"}]})"),
            R"({"messages":[{"role":"user","share":0.5,"failed":true,"time":1700000000}]})");
  EXPECT_EQ(meant(R"({"messages":[{"role":"","parts":[{"role":"x","parts":[{"role":"y","time":"","share":"3"}]}]}]})"),
            R"({"messages":[{"role":"","parts":[{"role":"x","parts":[{"role":"y","share":3}]}]}]})");
  EXPECT_EQ(meant(R"({"messages":[{"role":"user","failed":null,"time":null,"share":null}]})"),
            R"({"messages":[{"role":"user","failed":null}]})");
  EXPECT_EQ(meant(R"({"messages":[{"role":"user","time":"2026-03-01T09:30:00Z"}]})"),
            R"({"messages":[{"role":"user","time":"2026-03-01T09:30:00Z"}]})");
}

TEST(ToolArguments, PF_10_what_fits_no_rule_stays_for_the_reader_to_refuse) {
  EXPECT_EQ(meant(R"({"quary":"","top_k":[3],"where":"x","messages":"hello"})"),
            R"({"quary":"","top_k":[3],"where":"x","messages":"hello"})");
  EXPECT_EQ(to_json(arguments_as_meant(Value("not json"), schema())), "\"not json\"");
}

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
