#include "surface/http/guard.h"

#include <gtest/gtest.h>

namespace weft::http {
namespace {

int verdict(const GuardRules& rules, const Headers& headers, std::string path = "/v1/search") {
  Request head;
  head.path = std::move(path);
  head.headers = headers;
  int status = 200;
  return guard(rules, head, &status).ok() ? 200 : status;
}

TEST(Guard, without_a_key_whoever_is_on_the_machine_may_ask) {
  for (const auto* host : {"localhost:7077", "127.0.0.1:7077", "[::1]:7077", "weft.localhost", "192.168.1.4"}) {
    EXPECT_EQ(verdict({}, {{"host", host}}), 200) << host;
  }
}

TEST(Guard, pages_of_other_sites_may_not_ask) {
  EXPECT_EQ(verdict({}, {{"host", "localhost:7077"}, {"origin", "https://evil.example"}}), 403);
  EXPECT_EQ(verdict({}, {{"host", "localhost:7077"}, {"origin", "null"}}), 403);
  EXPECT_EQ(verdict({}, {{"host", "localhost:7077"}, {"origin", "http://localhost:3000"}}), 403);
  EXPECT_EQ(verdict({}, {{"host", "localhost:7077"}, {"origin", "http://localhost:7077"}}), 200);
  EXPECT_EQ(verdict({}, {{"host", "localhost:7077"}, {"origin", "vscode-webview://x"}}), 200);
}

TEST(Guard, a_name_that_was_made_to_point_here_is_refused_on_the_loopback_address) {
  EXPECT_EQ(verdict({}, {{"host", "evil.example:7077"}}), 403);
  EXPECT_EQ(verdict({.api_key = {}, .loopback = false}, {{"host", "weft.company.example"}}), 200);
  EXPECT_EQ(verdict({.api_key = "k"}, {{"host", "evil.example"}, {"authorization", "Bearer k"}}), 200);
}

TEST(Guard, a_key_is_needed_where_one_is_set) {
  const GuardRules rules{.api_key = "secret"};
  EXPECT_EQ(verdict(rules, {}), 401);
  EXPECT_EQ(verdict(rules, {{"authorization", "Bearer secre"}}), 401);
  EXPECT_EQ(verdict(rules, {{"authorization", "Bearer secretsecret"}}), 401);
  EXPECT_EQ(verdict(rules, {{"authorization", "Basic secret"}}), 401);
  EXPECT_EQ(verdict(rules, {{"authorization", "Bearer "}}), 401);
  EXPECT_EQ(verdict(rules, {{"authorization", "Bearer secret"}}), 200);
  EXPECT_EQ(verdict(rules, {}, "/healthz"), 200);
}

}  // namespace
}  // namespace weft::http
