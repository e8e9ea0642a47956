#include "surface/api/scope_of_request.h"

#include <gtest/gtest.h>

#include "surface/api/bodies.h"

namespace weft {
namespace {

std::string scope_key(const http::Headers& headers, std::string body, std::string method = "POST",
                      std::map<std::string, std::string> query = {}) {
  http::Request request;
  request.method = std::move(method);
  request.headers = headers;
  request.body = std::move(body);
  request.query = std::move(query);
  const auto scope = scope_of_request(request, Config{}, BodyKind::kJson);
  return scope.ok() ? scope->key().str() : "error";
}

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(ScopeOfRequest, PF_3_headers_then_body_then_default) {
  EXPECT_EQ(scope_key({}, "{}"), "user:default");
  EXPECT_EQ(scope_key({}, R"({"user":"ann"})"), "user:ann");
  EXPECT_EQ(scope_key({}, R"({"user":"ann","metadata":{"weft_user":"bob"}})"), "user:bob");
  EXPECT_EQ(scope_key({}, R"({"metadata":{"user_id":"eve"}})"), "user:eve");
  EXPECT_EQ(scope_key({}, R"({"metadata":{"weft_group":"g","weft_user":"bob"}})"), "group:g");
  EXPECT_EQ(scope_key({{"x-weft-user", "carl"}}, R"({"user":"ann"})"), "user:carl");
  EXPECT_EQ(scope_key({{"x-weft-group", "g2"}}, R"({"user":"ann"})"), "group:g2");
}

TEST(ScopeOfRequest, PF_3_a_body_cannot_widen_what_the_headers_say) {
  EXPECT_EQ(scope_key({{"x-weft-user", "carl"}}, R"({"metadata":{"weft_group":"secret"}})"), "user:carl");
}

TEST(ScopeOfRequest, PF_22_a_body_may_say_who_speaks_in_a_group_of_the_headers) {
  http::Request request;
  request.method = "POST";
  request.path = "/v1/chat/completions";
  request.headers = {{"x-weft-group", "g"}};
  request.body = R"({"user":"101","metadata":{"weft_group":"other"}})";
  const auto scope = scope_of_request(request, Config{}, BodyKind::kJson);
  ASSERT_TRUE(scope.ok()) << scope.error().message;
  EXPECT_EQ(scope->key().str(), "group:g");
  EXPECT_EQ(scope->user().str(), "101");
}

TEST(ScopeOfRequest, PF_3_a_name_that_is_none_is_refused_and_not_ignored) {
  EXPECT_EQ(scope_key({}, R"({"user":{"name":"ann"}})"), "error");
  EXPECT_EQ(scope_key({}, R"({"metadata":{"weft_user":["ann"]}})"), "error");
  EXPECT_EQ(scope_key({}, R"({"metadata":{"weft_user":"ann","user_id":["bob"]}})"), "error") << "behind one that is";
  EXPECT_EQ(scope_key({}, R"({"metadata":{"weft_session":"s","session":{}}})"), "error");
  EXPECT_EQ(scope_key({}, R"({"user":"a\nb"})"), "error");
  EXPECT_EQ(scope_key({{"x-weft-user", "%00"}}, "{}"), "error");
  EXPECT_EQ(scope_key({}, R"({"user":17})"), "user:17");
  EXPECT_EQ(scope_key({}, R"({"user":-66256275658208830291968})"), "user:-66256275658208830291968");
  EXPECT_EQ(scope_key({}, R"({"user":1e3})"), "error");
  EXPECT_EQ(scope_key({}, R"({"user":null,"metadata":null})"), "user:default");
}

TEST(ScopeOfRequest, PF_22_what_names_somebody_comes_once) {
  EXPECT_EQ(scope_key({}, R"({"user":"bob","user":null})"), "error");
  EXPECT_EQ(scope_key({}, R"({"metadata":{"weft_user":"bob"},"metadata":{"a":"b"}})"), "error");
  EXPECT_EQ(scope_key({}, R"({"metadata":{"weft_user":"bob","weft_user":"eve"}})"), "error");
  EXPECT_EQ(scope_key({}, R"({"user":"bob","a":1,"a":2})"), "user:bob");
}

TEST(Bodies, PF_22_a_message_in_a_list_does_not_name_whose_memory_is_meant) {
  const auto read = [](std::string_view body) { return BodyForm<Observed>::read(body, Config{}); };
  for (const char* body : {R"([{"role":"user","user_id":"bob","content":"x"}])",
                           R"({"messages":[{"role":"user","user":"bob","content":"x"}]})",
                           R"({"messages":[{"role":"user","metadata":{"user_id":"bob"},"content":"x"}]})",
                           R"({"messages":[{"role":"user","metadata":{"weft_user":"bob"},"content":"x"}]})",
                           R"([{"role":"user","metadata":{"user":"bob"},"content":"x"}])"})
    EXPECT_FALSE(read(body).ok()) << body;
  for (const char* body :
       {R"({"user":"bob","messages":[{"role":"user","content":"x"}]})", R"({"role":"user","user":"bob","content":"x"})",
        R"([{"role":"user","metadata":{"trace":"t"},"content":"x"}])"})
    EXPECT_TRUE(read(body).ok()) << body;
}

TEST(ScopeOfRequest, PF_18_what_looks_like_a_name_and_is_none_is_refused) {
  for (const char* field : {"groupId", "weft_grup", "weft-user", "USER_ID", "sesion_id", "weft_team"})
    EXPECT_EQ(scope_key({}, std::string(R"({"metadata":{")") + field + R"(":"x"}})"), "error") << field;
  for (const char* field : {"conversation_id", "tag", "team", "trace", "user_name_shown"})
    EXPECT_EQ(scope_key({}, std::string(R"({"metadata":{")") + field + R"(":"x"}})"), "user:default") << field;
  EXPECT_EQ(scope_key({}, R"({"metadata":{"group":"g"}})"), "group:g");
  EXPECT_EQ(scope_key({}, R"({"metadata":{"user":"bob"}})"), "user:bob");
}

TEST(ScopeOfRequest, PF_22_whoever_is_named_in_a_deep_body_is_meant_or_it_is_refused) {
  for (const std::size_t depth : {1U, 58U, 62U, 64U, 65U, 100U, 100'000U}) {
    const std::string scope = scope_key({}, R"({"user":"bob","messages":[{"raw":)" + nested(depth) + "}]}");
    EXPECT_TRUE(scope == "user:bob" || scope == "error") << depth << " " << scope;
    EXPECT_TRUE(depth > 62 || scope == "user:bob") << depth;
  }
  Config deeper;
  deeper.limits.max_depth = 500;
  http::Request request;
  request.method = "POST";
  request.body = R"({"user":"bob","x":)" + nested(400) + "}";
  EXPECT_EQ(scope_of_request(request, deeper, BodyKind::kJson)->key().str(), "user:bob");
}

TEST(ScopeOfRequest, PF_22_a_body_that_cannot_be_read_for_names_is_refused) {
  for (const char* body : {R"({"user":"bob")", R"({"user":"bob"}})", R"({"user":"bob",})", "{user: bob}",
                           "{\"user\":\"bob\",\"x\":\"\xff\"}", R"({"user":"bob","x":1e999})"})
    EXPECT_EQ(scope_key({}, body), "error") << body;
  EXPECT_EQ(scope_key({}, "\xEF\xBB\xBF{\"user\":\"bob\"}"), "user:bob") << "behind a byte order mark";
  EXPECT_EQ(scope_key({}, " \r\n\t{\"us\\u0065r\":\"bob\"}"), "user:bob");
  for (const char* body : {"", "  ", "[]", "3", R"([{"user":"bob"}])"})
    EXPECT_EQ(scope_key({}, body), "user:default") << body;
  // A file may be of any format; where it is JSON, it names whom it names.
  http::Request request;
  request.method = "POST";
  const auto of_file = [&](std::string body) {
    request.body = std::move(body);
    const auto scope = scope_of_request(request, Config{}, BodyKind::kFile);
    return scope.ok() ? scope->key().str() : "error";
  };
  EXPECT_EQ(of_file("{title: The mill}"), "user:default");
  EXPECT_EQ(of_file(R"({"user":"bob"})"), "user:bob");
  EXPECT_EQ(of_file(R"({"user":"bob","x":)" + nested(1000) + "}"), "error");
}

TEST(ScopeOfRequest, PF_22_what_names_somebody_twice_must_name_the_same) {
  EXPECT_EQ(scope_key({{"x-weft-user", "ann"}, {"x-weft-user", "bob"}}, "{}"), "error");
  EXPECT_EQ(scope_key({{"x-weft-user", "ann"}, {"x-weft-user", "ann"}}, "{}"), "user:ann");
  EXPECT_EQ(scope_key({}, R"({"user":"bob"})", "DELETE"), "user:bob");
  EXPECT_EQ(scope_key({}, R"({"user":"bob"})", "GET", {{"user", "bob"}}), "user:bob");
  EXPECT_EQ(scope_key({}, R"({"user":"bob"})", "DELETE", {{"user", "ann"}}), "error");
  EXPECT_EQ(scope_key({}, R"({"user":"bob"})", "DELETE", {{"group", "g"}}), "error");
}

TEST(ScopeOfRequest, PF_22_a_name_with_our_prefix_is_read_where_it_stands_or_refused) {
  for (const char* field : {"weft_user", "weftUser", "X-Weft-User", "weft_group"})
    EXPECT_EQ(scope_key({}, std::string(R"({")") + field + R"(":"bob"})"), "error") << field;
  EXPECT_EQ(scope_key({}, R"({"weft_user":null})"), "user:default");
  EXPECT_FALSE(check_names_left_to_headers(R"({"metadata":{"weft_user":"bob"}})").ok());
  EXPECT_FALSE(check_names_left_to_headers(R"({"weft_user":"bob"})").ok());
  EXPECT_TRUE(check_names_left_to_headers(R"({"metadata":{"user_id":"a hash"},"user":"bob"})").ok());
}

TEST(ScopeOfRequest, PF_22_the_world_is_read_with_the_other_names) {
  const auto world = [](const http::Headers& headers, std::string body) {
    http::Request request;
    request.method = "POST";
    request.headers = headers;
    request.body = std::move(body);
    const auto names = names_of_request(request, Config{}, BodyKind::kJson);
    return names.ok() ? names->world : "error";
  };
  EXPECT_EQ(world({}, R"({"world":"w"})"), "w");
  EXPECT_EQ(world({}, R"({"metadata":{"weft_world":"w"},"x":)" + nested(60) + "}"), "w");
  EXPECT_EQ(world({{"x-weft-world", "h"}}, R"({"world":"w"})"), "h");
  EXPECT_EQ(world({}, R"({"world":3})"), "error");
  EXPECT_EQ(world({}, R"({"world":"w","x":)" + nested(1000) + "}"), "error");
}

TEST(ScopeOfRequest, PF_4_names_may_be_chinese) {
  EXPECT_EQ(scope_key({{"x-weft-user", "%E5%B0%8F%E6%98%8E"}}, ""), "user:小明");
  EXPECT_EQ(scope_key({{"x-weft-user", "小明"}}, ""), "user:小明");
  EXPECT_EQ(scope_key({{"x-weft-user", "100%"}}, ""), "user:100%");
}

TEST(ScopeOfRequest, questions_without_a_body_name_it_in_the_query) {
  EXPECT_EQ(scope_key({}, "", "GET", {{"user", "ann"}}), "user:ann");
  EXPECT_EQ(scope_key({{"x-weft-user", "bob"}}, "", "GET", {{"group", "g"}}), "user:bob");
}

TEST(ScopeOfRequest, PF_22_a_header_of_ours_that_is_not_known_is_refused) {
  for (const char* name :
       {"x-weft-userid", "x_weft_user", "x-weft-user-id", "weft-user", "x-weft-groupid", "xweftuser"})
    EXPECT_EQ(scope_key({{name, "bob"}}, "{}"), "error") << name;
  http::Request request;
  request.headers = {{"x-weft-userid", "bob"}};
  const auto names = names_in_headers(request);
  ASSERT_FALSE(names.ok());
  EXPECT_NE(names.error().hint.find("did you mean X-Weft-User?"), std::string::npos) << names.error().hint;
  for (const char* name : {"x-user", "x-user-id", "user", "weaver", "x-werft", "x-openwebui-user-name"})
    EXPECT_EQ(scope_key({{name, "bob"}}, "{}"), "user:default") << name;
  for (const char* name :
       {"x-weft-key", "x-weft-memory", "x-weft-window", "x-weft-output", "x-weft-session", "x-weft-world"})
    EXPECT_EQ(scope_key({{name, "1"}}, "{}"), "user:default") << name;
}

TEST(ScopeOfRequest, PF_22_a_field_that_is_written_otherwise_is_refused) {
  for (const char* field : {"User", "USER", "_user", "World"})
    EXPECT_EQ(scope_key({}, std::string(R"({")") + field + R"(":"bob"})"), "error") << field;
  EXPECT_EQ(scope_key({}, R"({"User":{"hp":3},"users":"x","user_id":"y"})"), "user:default");
  http::Request request;
  request.method = "POST";
  request.body = R"({"User":"a word of a glossary"})";
  EXPECT_TRUE(scope_of_request(request, Config{}, BodyKind::kFile).ok());
}

}  // namespace
}  // namespace weft
