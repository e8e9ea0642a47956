#include "surface/http/guard.h"

#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "base/strings.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

using std::chrono::milliseconds;

TEST(RateLimit, PF_10_no_more_than_the_limit_passes_in_any_minute_after_the_first_burst) {
  std::mt19937 random(7);
  RateLimit limit(60);
  RateLimit::Clock::time_point now{};
  int passed = 0, minutes = 20;
  const auto end = now + std::chrono::minutes(minutes);
  while (now < end) {
    if (limit.take("a", now).count() == 0) ++passed;
    now += milliseconds(random() % 400);
  }
  EXPECT_LE(passed, 60 + 60 * minutes);
  EXPECT_GE(passed, 60 * minutes);
}

TEST(RateLimit, PF_10_who_waits_as_long_as_told_passes) {
  RateLimit limit(30);
  RateLimit::Clock::time_point now{};
  for (int i = 0; i < 30; ++i) ASSERT_EQ(limit.take("a", now).count(), 0);
  for (int i = 0; i < 100; ++i) {
    const auto wait = limit.take("a", now);
    ASSERT_GT(wait.count(), 0);
    now += wait;
    ASSERT_EQ(limit.take("a", now).count(), 0) << i;
  }
}

TEST(RateLimit, PF_10_without_a_limit_and_with_very_many_callers_it_goes_on) {
  RateLimit none(0);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(none.take("a").count(), 0);
  RateLimit limit(1);
  for (int i = 0; i < 50'000; ++i) ASSERT_EQ(limit.take(std::to_string(i)).count(), 0);
}

}  // namespace

}  // namespace weft

namespace weft::http {
namespace {

int verdict(const GuardRules& rules, const Headers& headers, std::string path = "/v1/search") {
  Request head;
  head.path = std::move(path);
  head.headers = headers;
  const auto refusal = Guard(rules).admit(head);
  return refusal ? refusal->status : 200;
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
  EXPECT_EQ(
      verdict({.api_key = "k", .loopback = false}, {{"host", "weft.company.example"}, {"authorization", "Bearer k"}}),
      200);
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
  for (const auto* path : {"/healthz", "/livez", "/readyz"}) EXPECT_EQ(verdict(rules, {}, path), 200) << path;
  EXPECT_EQ(verdict(rules, {}, "/metrics"), 401);
  EXPECT_EQ(verdict(rules, {}, "/ui"), 200);
  EXPECT_EQ(verdict(rules, {}, "/ui/app.js"), 200);
  EXPECT_EQ(verdict(rules, {}, "/uix"), 401);
}

TEST(Guard, PF_10_a_key_stands_where_clients_put_it_and_is_handed_on_to_nobody) {
  for (const auto* name : {"x-weft-key", "x-api-key"}) {
    Request head;
    head.path = "/v1/search";
    head.headers = {{name, "secret"}, {"authorization", "Bearer of-the-upstream"}};
    ASSERT_FALSE(Guard({.api_key = "secret"}).admit(head)) << name;
    EXPECT_EQ(head.header(name), "");
    EXPECT_EQ(head.header("authorization"), "Bearer of-the-upstream");
    EXPECT_EQ(head.access.name, "server.api_key");
  }
  Request head;
  head.headers = {{"authorization", "Bearer secret"}};
  ASSERT_FALSE(Guard({.api_key = "secret"}).admit(head));
  EXPECT_EQ(head.header("authorization"), "");
}

TEST(Guard, PF_22_whoever_comes_from_elsewhere_needs_a_key_also_where_there_is_none) {
  for (const auto* path : {"/v1/search", "/v1/jobs", "/metrics", "/mcp", "/openapi.json", "/v1/chat/completions"})
    EXPECT_EQ(verdict({.api_key = {}, .loopback = false}, {{"host", "weft.company.example"}}, path), 401) << path;
  test::TemporaryFolder folder;
  std::ofstream(KeyRing::file_of(folder.path())).close();
  KeyRing emptied(KeyRing::file_of(folder.path()));
  for (const bool loopback : {true, false}) {
    Request head;
    head.path = "/v1/jobs";
    head.headers = {{"host", "localhost"}};
    const auto refusal = Guard({.api_key = {}, .loopback = loopback}, &emptied).admit(head);
    ASSERT_TRUE(refusal) << loopback;
    EXPECT_EQ(refusal->status, 401);
    EXPECT_NE(refusal->error.hint.find("weft key add"), std::string::npos) << refusal->error.message;
  }
}

TEST(Guard, PF_22_keys_of_ours_are_taken_out_wherever_they_stand) {
  test::TemporaryFolder folder;
  KeyRing ring(KeyRing::file_of(folder.path()));
  ApiKey about;
  about.name = "ci";
  const std::string key = ring.add(about, {1, 0})->key;
  const std::string secret = "s3cret+of/the=server";
  Guard guard({.api_key = secret}, &ring);
  const auto left = [&](Headers headers, std::string query = {}) {
    Request head;
    head.path = "/v1/chat/completions";
    head.headers = std::move(headers);
    head.query_text = std::move(query);
    head.query = parse_query(head.query_text);
    const auto refusal = guard.admit(head);
    EXPECT_FALSE(refusal) << (refusal ? refusal->error.message : "");
    std::string all = head.query_text + "\n";
    for (const auto& [name, value] : head.query) all += name + "=" + value + "\n";
    for (const auto& [name, value] : head.headers) all += name + ": " + value + "\n";
    return all;
  };
  for (const std::string& ours : {key, secret}) {
    const Headers known = {{"x-weft-key", ours}};
    EXPECT_EQ(left({{"authorization", "Bearer " + ours}, {"x-api-key", ours}}), "\n");
    EXPECT_EQ(left({{"x-api-key", ours}, {"authorization", "Bearer of-the-upstream"}}),
              "\nauthorization: Bearer of-the-upstream\n");
    for (const std::string& value : {ours, "Token " + ours, "a=1; weft_key=" + ours, percent_encode(ours), "k=" + ours})
      for (const char* name : {"cookie", "api-key", "x-goog-api-key", "proxy-authorization", "x-forwarded-key"})
        EXPECT_EQ(left({known[0], {name, value}, {"x-other", "stays"}}), "\nx-other: stays\n") << name << value;
    EXPECT_EQ(left({known[0], {lowered(ours), "x"}, {"x-other", "stays"}}), "\nx-other: stays\n");
    EXPECT_EQ(left(known, "limit=2&key=" + percent_encode(ours) + "&after=x"), "limit=2&after=x\nafter=x\nlimit=2\n");
    EXPECT_EQ(left(known, "limit=2&&after=x"), "limit=2&&after=x\nafter=x\nlimit=2\n");
  }
  // "ann:" and the key of the server, as clients send what stands in an address.
  EXPECT_EQ(left({{"x-weft-key", secret}, {"authorization", "Basic YW5uOnMzY3JldCtvZi90aGU9c2VydmVy"}}), "\n");
  EXPECT_EQ(left({{"x-weft-key", secret}, {"authorization", "Basic YW5uOnBhc3N3b3Jk"}}),
            "\nauthorization: Basic YW5uOnBhc3N3b3Jk\n");
  ASSERT_TRUE(ring.revoke("ci").ok());
  EXPECT_EQ(left({{"x-weft-key", secret}, {"authorization", "Bearer " + key}}), "\n") << "a revoked one neither";
}

TEST(Guard, PF_10_pages_of_named_sites_may_ask_and_are_told_so) {
  const GuardRules rules{.api_key = "k", .origins = {"https://app.example"}};
  const Headers from_app = {{"origin", "https://app.example"}, {"host", "localhost"}};
  EXPECT_EQ(verdict(rules, from_app), 401);
  Headers with_key = from_app;
  with_key.emplace_back("authorization", "Bearer k");
  EXPECT_EQ(verdict(rules, with_key), 200);
  EXPECT_EQ(verdict(rules, {{"origin", "https://evil.example"}, {"host", "localhost"}, {"authorization", "Bearer k"}}),
            403);
  Request head;
  head.method = "OPTIONS";
  head.headers = from_app;
  head.headers.emplace_back("access-control-request-method", "POST");
  EXPECT_FALSE(Guard(rules).admit(head)) << "a browser asks without the key";
  head.headers.front().second = "https://evil.example";
  EXPECT_EQ(Guard(rules).admit(head)->status, 403);
}

TEST(Guard, PF_10_one_caller_may_not_take_all_the_time_of_a_server) {
  Guard guard({.api_key = {}, .requests_per_minute = 3});
  const auto ask = [&](const char* client) {
    Request head;
    head.headers = {{"host", "localhost"}};
    head.client = client;
    return guard.admit(head);
  };
  for (int i = 0; i < 3; ++i) ASSERT_FALSE(ask("10.0.0.1")) << i;
  const auto refusal = ask("10.0.0.1");
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->status, 429);
  EXPECT_EQ(refusal->headers.at(0).first, "retry-after");
  EXPECT_FALSE(ask("10.0.0.2"));
}

}  // namespace

}  // namespace weft::http
