#include "surface/api/body_schemas.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace weft {
namespace {

Value reference(const char* name) { return ValueObject{{"$ref", std::string("#/components/schemas/") + name}}; }

Value closed(ValueObject properties, ValueList required = {}) {
  return ValueObject{{"type", "object"},
                     {"properties", std::move(properties)},
                     {"required", std::move(required)},
                     {"additionalProperties", false}};
}

Value body(Value schema) {
  return ValueObject{
      {"post",
       ValueObject{
           {"requestBody",
            ValueObject{{"content", ValueObject{{"application/json", ValueObject{{"schema", std::move(schema)}}}}}}}}}};
}

const Value* at(const Value& value, std::initializer_list<const char*> path) {
  const Value* found = &value;
  for (const char* name : path) found = found == nullptr ? nullptr : found->find(name);
  return found;
}

class BodySchemas : public testing::Test {
 protected:
  const Value& schema(const char* name) const {
    for (const auto& [known, one] : schemas_)
      if (known == name) return one;
    ADD_FAILURE() << name;
    return nothing_;
  }
  bool has(const char* name) const {
    return std::any_of(schemas_.begin(), schemas_.end(), [&](const auto& one) { return one.first == name; });
  }

  Value nothing_;
  ValueObject schemas_{{"Task", closed({{"text", ValueObject{{"type", "string"}}}}, {"text"})},
                       {"Outer", closed({{"task", reference("Task")}, {"count", ValueObject{{"type", "integer"}}}})}};
};

TEST_F(BodySchemas, PF_10_names_stand_beside_the_fields_of_a_body_and_nowhere_deeper) {
  Value paths = ValueObject{{"/outer", body(reference("Outer"))}, {"/task", body(reference("Task"))}};
  describe_bodies(paths, schemas_);
  EXPECT_NE(at(schema("Outer"), {"properties", "user"}), nullptr);
  EXPECT_EQ(at(schema("Task"), {"properties", "user"}), nullptr);
  ASSERT_TRUE(has("TaskBody"));
  EXPECT_NE(at(schema("TaskBody"), {"properties", "metadata", "properties", "weft_user"}), nullptr);
  EXPECT_EQ(*at(paths, {"/task", "post", "requestBody", "content", "application/json", "schema"}),
            reference("TaskBody"));
  EXPECT_EQ(*at(paths, {"/outer", "post", "requestBody", "content", "application/json", "schema"}), reference("Outer"));
}

TEST_F(BodySchemas, PF_10_what_may_be_left_out_may_be_null) {
  Value paths = ValueObject{{"/outer", body(reference("Outer"))}};
  describe_bodies(paths, schemas_);
  EXPECT_EQ(*at(schema("Outer"), {"properties", "count", "type"}), Value(ValueList{"integer", "null"}));
  EXPECT_EQ(at(schema("Outer"), {"properties", "task", "anyOf"})->list()->size(), 2U);
  EXPECT_EQ(*at(schema("Task"), {"properties", "text", "type"}), Value("string"));
}

TEST_F(BodySchemas, PF_10_one_of_several_forms_is_a_body_too) {
  Value paths = ValueObject{
      {"/task", body(ValueObject{{"anyOf", ValueList{reference("Task"), ValueObject{{"type", "string"}}}}})}};
  schemas_.pop_back();
  describe_bodies(paths, schemas_);
  EXPECT_NE(at(schema("Task"), {"properties", "world"}), nullptr);
  EXPECT_FALSE(has("TaskBody"));
}

}  // namespace
}  // namespace weft
