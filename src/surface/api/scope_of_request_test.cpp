#include "surface/api/scope_of_request.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

std::string scope_key(const http::Headers& headers, std::string body, std::string method = "POST",
                      std::map<std::string, std::string> query = {}) {
  http::Request request;
  request.method = std::move(method);
  request.headers = headers;
  request.body = std::move(body);
  request.query = std::move(query);
  const auto scope = scope_of_request(request, "default");
  return scope.ok() ? scope->key().str() : "error";
}

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

TEST(ScopeOfRequest, PF_3_a_name_that_is_none_is_refused_and_not_ignored) {
  EXPECT_EQ(scope_key({}, R"({"user":{"name":"ann"}})"), "error");
  EXPECT_EQ(scope_key({}, R"({"metadata":{"weft_user":["ann"]}})"), "error");
  EXPECT_EQ(scope_key({}, R"({"metadata":{"weft_user":"ann","user_id":["bob"]}})"), "error") << "behind one that is";
  EXPECT_EQ(scope_key({}, R"({"metadata":{"weft_session":"s","session":{}}})"), "error");
  EXPECT_EQ(scope_key({}, R"({"user":"a\nb"})"), "error");
  EXPECT_EQ(scope_key({{"x-weft-user", "%00"}}, "{}"), "error");
  EXPECT_EQ(scope_key({}, R"({"user":17})"), "user:17");
  EXPECT_EQ(scope_key({}, R"({"user":null,"metadata":null})"), "user:default");
}

TEST(ScopeOfRequest, PF_18_what_looks_like_a_name_and_is_none_is_refused) {
  for (const char* field : {"groupId", "weft_grup", "weft-user", "USER_ID", "sesion_id", "weft_team"})
    EXPECT_EQ(scope_key({}, std::string(R"({"metadata":{")") + field + R"(":"x"}})"), "error") << field;
  for (const char* field : {"conversation_id", "tag", "team", "trace", "user_name_shown"})
    EXPECT_EQ(scope_key({}, std::string(R"({"metadata":{")") + field + R"(":"x"}})"), "user:default") << field;
  EXPECT_EQ(scope_key({}, R"({"metadata":{"group":"g"}})"), "group:g");
  EXPECT_EQ(scope_key({}, R"({"metadata":{"user":"bob"}})"), "user:bob");
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

}  // namespace
}  // namespace weft
