#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>

#include "base/clock.h"
#include "ports/net/http_client.h"
#include "surface/api/api.h"
#include "surface/api/openapi.h"
#include "surface/api/operation.h"
#include "surface/proxy/proxy.h"
#include "tests/support/test_engine.h"

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

namespace {

using Json = nlohmann::json;

void find_references(const Json& json, std::set<std::string>& found) {
  if (json.is_object() && json.contains("$ref")) found.insert(json["$ref"].get<std::string>());
  if (json.is_structured())
    for (const Json& inner : json) find_references(inner, found);
}

class OpenApiTest : public testing::Test {
 protected:
  const Json document_ = Json::parse(openapi_json());
};

TEST_F(OpenApiTest, PF_10_tells_every_operation_once) {
  std::set<std::string> ids;
  for (const auto& [path, methods] : document_["paths"].items())
    for (const auto& [method, told] : methods.items()) {
      EXPECT_TRUE(ids.insert(told["operationId"]).second) << told["operationId"];
      EXPECT_FALSE(told["summary"].get<std::string>().empty()) << path;
      EXPECT_TRUE(told["responses"].contains("default")) << path;
    }
  EXPECT_EQ(ids.size(), operations().size() + other_paths().size());
}

TEST_F(OpenApiTest, PF_10_every_door_is_named) {
  std::set<std::string> named;
  for (const auto& [path, methods] : document_["paths"].items())
    for (const auto& [method, told] : methods.items()) {
      std::string line = method + " " + path;
      std::transform(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(method.size()), line.begin(),
                     [](char c) { return static_cast<char>(std::toupper(c)); });
      named.insert(line);
    }
  for (const PathInfo& path : http_paths()) EXPECT_TRUE(named.contains(path.path)) << path.path;
  const Json chat = document_["paths"]["/v1/chat/completions"]["post"];
  EXPECT_TRUE(chat["responses"]["200"]["content"].contains("text/event-stream"));
  EXPECT_TRUE(chat["responses"]["200"]["content"].contains("application/json"));
  EXPECT_EQ(document_["paths"]["/ui"]["get"]["security"], Json::array()) << "the page needs no key";
}

TEST_F(OpenApiTest, PF_10_whatever_it_refers_to_is_there) {
  std::set<std::string> references;
  find_references(document_, references);
  EXPECT_GT(references.size(), 20U);
  for (const std::string& reference : references)
    EXPECT_TRUE(document_.contains(Json::json_pointer(reference.substr(1)))) << reference;
}

TEST_F(OpenApiTest, PF_10_each_name_in_a_path_is_a_parameter) {
  for (const auto& [path, methods] : document_["paths"].items())
    for (const auto& [method, told] : methods.items()) {
      std::size_t in_path = 0;
      for (const Json& parameter : told.value("parameters", Json::array()))
        if (parameter.value("in", "") == "path") ++in_path;
      EXPECT_EQ(in_path, static_cast<std::size_t>(std::count(path.begin(), path.end(), '{'))) << path;
    }
}

TEST_F(OpenApiTest, PF_10_ids_in_paths_and_queries_have_the_bounds_that_are_checked) {
  const std::set<std::string> ids_of_query = {"user", "group", "world", "session", "file"};
  const Json shared = document_["components"]["parameters"];
  std::size_t seen = 0;
  for (const auto& [path, methods] : document_["paths"].items())
    for (const auto& [method, told] : methods.items())
      for (Json one : told.contains("tags") ? Json::array() : told.value("parameters", Json::array())) {
        if (one.contains("$ref")) one = document_[Json::json_pointer(one["$ref"].get<std::string>().substr(1))];
        const std::string name = one["name"];
        const bool of_path = one["in"] == "path" && one["schema"]["type"] == "string" &&
                             !one["schema"].contains("enum") && !one["schema"].contains("format") &&
                             told["operationId"] != "run_tool";
        if (!of_path && !(one["in"] == "query" && ids_of_query.contains(name))) continue;
        ++seen;
        EXPECT_EQ(one["schema"].value("maxLength", 0), 256) << path << " " << name;
        EXPECT_EQ(one["schema"].value("pattern", "").substr(0, 3), "^[^") << path << " " << name;
        EXPECT_EQ(one["schema"].value("minLength", 0), of_path || name == "file" ? 1 : 0) << path << " " << name;
      }
  EXPECT_GT(seen, 30U);
}

// A document that offers a group to an operation which refuses every one sends its readers into an error.
TEST_F(OpenApiTest, PF_3_what_is_asked_of_a_user_in_all_groups_offers_no_group) {
  for (const char* method : {"get", "post"}) {
    const std::string told = document_["paths"]["/v1/erase/groups"][method]["parameters"].dump();
    EXPECT_NE(told.find("X-Weft-User"), std::string::npos);
    EXPECT_EQ(told.find("roup"), std::string::npos) << told;
  }
  EXPECT_NE(document_["paths"]["/v1/items"]["get"]["parameters"].dump().find("X-Weft-Group"), std::string::npos);
}

TEST_F(OpenApiTest, PF_3_every_operation_on_memory_can_be_told_whose_it_is) {
  const Json scope = {{"$ref", "#/components/parameters/X-Weft-User"}};
  for (const Operation& operation : operations()) {
    std::string method = operation.method;
    for (char& c : method) c = static_cast<char>(std::tolower(c));
    const Json told = document_["paths"][operation.path][method].value("parameters", Json::array());
    EXPECT_EQ(std::find(told.begin(), told.end(), scope) != told.end(), operation.whose != Whose::kNobody)
        << operation.id;
  }
}

TEST(Paths, PF_10_every_path_of_the_interface_is_told) {
  TestEngine engine;
  http::Router router;
  add_api(router, engine);
  std::set<std::string> told;
  for (const PathInfo& path : http_paths()) {
    EXPECT_TRUE(told.insert(std::string(path.path)).second) << path.path;
    EXPECT_FALSE(path.text.empty());
  }
  for (const std::string& path : router.paths()) EXPECT_TRUE(told.contains(path)) << path;
  for (const std::string& path : router.paths()) told.erase(path);
  // What is left are the proxy's and the other doors.
  const auto client = make_http_client();
  const Config config;
  const SystemClock clock;
  proxy::Proxy proxy(engine, config, *client, nullptr, clock);
  http::Router of_proxy;
  proxy.add_to(of_proxy);
  for (const std::string& path : of_proxy.paths()) EXPECT_EQ(told.erase(path), 1u) << path;
  for (const char* path : {"POST /mcp", "GET /mcp", "DELETE /mcp", "GET /ui"}) EXPECT_EQ(told.erase(path), 1u) << path;
  EXPECT_TRUE(told.empty()) << *told.begin();
}

}  // namespace
}  // namespace weft
