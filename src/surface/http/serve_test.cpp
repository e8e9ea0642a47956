#include "surface/http/serve.h"

#include <gtest/gtest.h>

#include <future>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/log.h"
#include "tests/support/raw_client.h"
#include "tests/support/scripted_upstream.h"
#include "tests/support/test_engine.h"

namespace weft {
namespace {

class ServeTest : public testing::Test {
 protected:
  ~ServeTest() override { stop(); }

  void start() {
    config_.server.port = 0;
    config_.proxy.upstream = upstream_.url();
    config_.proxy.ask_models = false;
    engine_ = std::make_unique<TestEngine>(config_);
    std::promise<std::string> listening;
    thread_ = std::thread([&] {
      code_ = run_server(*engine_, config_, nullptr, stop_.get_token(),
                         [&](const std::string& url) { listening.set_value(url); });
    });
    const auto url = listening.get_future().get();
    port_ = static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
  }
  void stop() {
    stop_.request_stop();
    if (thread_.joinable()) thread_.join();
  }
  static std::string chat(int number, bool stream = true) {
    return raw_request("POST", "/v1/chat/completions",
                       R"({"model":"m","stream":)" + std::string(stream ? "true" : "false") +
                           R"(,"messages":[{"role":"user","content":"question )" + std::to_string(number) + R"("}]})",
                       "Content-Type: application/json\r\n");
  }

  Config config_;
  ScriptedUpstream upstream_;
  std::unique_ptr<TestEngine> engine_;
  std::stop_source stop_;
  std::thread thread_;
  std::uint16_t port_ = 0;
  int code_ = -1;
};

ScriptedAnswer half_a_stream() {
  return ScriptedAnswer::sse({R"({"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}]})"}, false);
}
ScriptedAnswer whole_stream(std::chrono::milliseconds pause = {}) {
  return ScriptedAnswer::sse({R"({"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}]})",
                              R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})"},
                             true, pause);
}

TEST_F(ServeTest, serves_health_api_and_proxy_and_ends_with_0) {
  start();
  RawClient client(port_);
  client.send(raw_request("GET", "/healthz"));
  EXPECT_EQ(client.read_answer().status, 200);
  client.send(raw_request("POST", "/v1/sessions/s/messages", R"({"role":"user","content":"a"})"));
  EXPECT_EQ(client.read_answer().status, 200);
  upstream_.then(whole_stream());
  client.send(chat(1));
  EXPECT_TRUE(client.read_answer().body.ends_with("data: [DONE]\n\n"));
  stop();
  EXPECT_EQ(code_, 0);
}

TEST_F(ServeTest, a_client_that_leaves_cancels_the_upstream_and_frees_its_worker) {
  config_.server.threads = 1;
  auto hanging = half_a_stream();
  hanging.hang = true;
  upstream_.then(hanging);
  start();
  RawClient client(port_);
  client.send(chat(1));
  client.read_until("\"a\"");
  client.close();
  EXPECT_TRUE(upstream_.wait_for_disconnects(1));
  RawClient silent(port_);
  upstream_.then(ScriptedAnswer::hanging());
  silent.send(chat(2, false));
  ASSERT_TRUE(upstream_.wait_for_requests(2));
  silent.close();
  EXPECT_TRUE(upstream_.wait_for_disconnects(2));
}

TEST_F(ServeTest, two_hundred_streams_at_once_and_health_in_between) {
  constexpr int kStreams = 200;
  config_.server.threads = 2;
  upstream_.always(whole_stream(std::chrono::milliseconds(300)));
  start();
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < kStreams; ++i) {
    clients.push_back(std::make_unique<RawClient>(port_));
    clients.back()->send(chat(i));
  }
  RawClient health(port_);
  health.send(raw_request("GET", "/healthz"));
  EXPECT_EQ(health.read_answer().status, 200);
  for (auto& client : clients) EXPECT_TRUE(client->read_answer().body.ends_with("data: [DONE]\n\n"));
  stop();
  const auto scope = *Scope::private_of(UserId("default"));
  const auto sessions = engine_->sessions(scope);
  EXPECT_EQ(sessions.size(), 200U);
  for (const auto& session : sessions) EXPECT_EQ(engine_->messages(scope, session).size(), 2U);
}

TEST_F(ServeTest, a_stream_at_work_is_finished_when_it_stops) {
  upstream_.then(whole_stream(std::chrono::milliseconds(200)));
  start();
  RawClient client(port_);
  client.send(chat(1));
  client.read_until("\r\n\r\n");
  stop_.request_stop();
  EXPECT_NE(client.read_all().find("[DONE]"), std::string::npos);
  stop();
  EXPECT_EQ(code_, 0);
}

TEST_F(ServeTest, refuses_a_body_above_the_limit_in_the_form_of_the_path) {
  config_.server.max_body_bytes = 1000;
  start();
  for (const auto& [path, form] : {std::pair{"/v1/search", "\"hint\""}, {"/v1/chat/completions", "\"param\""}}) {
    RawClient client(port_);
    client.send(raw_request("POST", path, std::string(100000, 'x')));
    const auto answer = client.read_answer();
    EXPECT_EQ(answer.status, 413);
    EXPECT_NE(answer.body.find(form), std::string::npos);
  }
}

TEST_F(ServeTest, wants_the_key_where_one_is_set) {
  config_.server.api_key = "k";
  start();
  RawClient client(port_);
  client.send(raw_request("GET", "/v1/models"));
  const auto answer = client.read_answer();
  EXPECT_EQ(answer.status, 401);
  EXPECT_NE(answer.body.find("authentication_error"), std::string::npos);
}

std::string header_in(const RawClient::Answer& answer, const std::string& name) {
  const auto at = answer.head.find("\r\n" + name + ": ");
  if (at == std::string::npos) return {};
  const auto begin = at + name.size() + 4;
  return answer.head.substr(begin, answer.head.find("\r\n", begin) - begin);
}

TEST_F(ServeTest, CM_15_a_request_keeps_its_id_in_answer_and_error) {
  start();
  RawClient client(port_);
  client.send(raw_request("GET", "/v1/nowhere", "", "X-Request-Id: mine-1\r\n"));
  const auto mine = client.read_answer();
  EXPECT_EQ(header_in(mine, "X-Request-Id"), "mine-1");
  EXPECT_NE(mine.body.find(R"("request_id":"mine-1")"), std::string::npos) << mine.body;
  client.send(raw_request("GET", "/v1/nowhere", "", "X-Request-Id: no good\r\n"));
  const auto made = client.read_answer();
  const std::string id = header_in(made, "X-Request-Id");
  EXPECT_EQ(id.size(), 32U);
  EXPECT_NE(made.body.find("\"request_id\":\"" + id + "\""), std::string::npos) << made.body;
  client.send(raw_request("POST", "/v1/messages", "{", "X-Request-Id: mine-2\r\n"));
  EXPECT_NE(client.read_answer().body.find(R"("request_id":"mine-2")"), std::string::npos);
}

TEST_F(ServeTest, CM_15_what_is_refused_at_the_door_has_an_id_too) {
  config_.server.api_key = "k";
  start();
  RawClient client(port_);
  client.send(raw_request("GET", "/v1/models", "", "X-Request-Id: mine-3\r\n"));
  const auto answer = client.read_answer();
  EXPECT_EQ(answer.status, 401);
  EXPECT_EQ(header_in(answer, "X-Request-Id"), "mine-3");
  EXPECT_NE(answer.body.find(R"("request_id":"mine-3")"), std::string::npos) << answer.body;
}

TEST_F(ServeTest, CM_15_the_id_of_the_models_server_is_passed_on_beside_ours) {
  upstream_.then(ScriptedAnswer::json(R"({"error":{"message":"no"}})", 400).with("X-Request-Id", "theirs"));
  start();
  RawClient client(port_);
  client.send(chat(1, false));
  const auto answer = client.read_answer();
  EXPECT_EQ(header_in(answer, "X-Upstream-Request-Id"), "theirs");
  EXPECT_EQ(header_in(answer, "X-Request-Id").size(), 32U);
  EXPECT_EQ(answer.body, R"({"error":{"message":"no"}})") << "it is the upstream's own";
}

TEST_F(ServeTest, CM_15_requests_are_counted_by_the_pattern_of_their_path) {
  upstream_.always(whole_stream());
  start();
  RawClient client(port_);
  for (const char* session : {"ann-secret", "bob-secret"}) {
    client.send(
        raw_request("POST", std::string("/v1/sessions/") + session + "/messages", R"({"role":"user","content":"a"})"));
    EXPECT_EQ(client.read_answer().status, 200);
  }
  client.send(raw_request("BREW", "/pot/of/ann-secret"));
  EXPECT_EQ(client.read_answer().status, 404);
  client.send(chat(1));
  const std::string streamed = client.read_answer().body;
  client.send(raw_request("GET", "/metrics"));
  const std::string text = client.read_answer().body;
  EXPECT_NE(
      text.find("weft_http_requests_total{method=\"POST\",route=\"/v1/sessions/{id}/messages\",status=\"2xx\"} 2\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("weft_http_requests_total{method=\"other\",route=\"unmatched\",status=\"4xx\"} 1\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("weft_http_request_seconds_count{method=\"POST\",route=\"/v1/chat/completions\"} 1\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("weft_http_connections 1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("weft_http_streams_open 0\n"), std::string::npos) << text;
  EXPECT_NE(text.find("weft_http_requests_open 1\n"), std::string::npos) << "the question itself";
  EXPECT_EQ(text.find("secret"), std::string::npos) << text;
}

TEST_F(ServeTest, CM_15_refusals_are_counted_by_their_reason) {
  config_.server.api_key = "k";
  config_.server.max_body_bytes = 1000;
  start();
  for (int i = 0; i < 3; ++i) {
    RawClient client(port_);
    client.send(raw_request("GET", "/v1/models"));
    EXPECT_EQ(client.read_answer().status, 401);
  }
  {
    RawClient client(port_);
    client.send(raw_request("GET", "/v1/models", "", "Authorization: Bearer k\r\nOrigin: https://evil.example\r\n"));
    EXPECT_EQ(client.read_answer().status, 403);
  }
  {
    RawClient client(port_);
    client.send(raw_request("POST", "/v1/search", std::string(5000, 'x'), "Authorization: Bearer k\r\n"));
    EXPECT_EQ(client.read_answer().status, 413);
  }
  RawClient client(port_);
  client.send(raw_request("GET", "/metrics", "", "Authorization: Bearer k\r\n"));
  const std::string text = client.read_answer().body;
  for (const char* line :
       {"weft_http_refused_total{reason=\"key\"} 3\n", "weft_http_refused_total{reason=\"origin\"} 1\n",
        "weft_http_refused_total{reason=\"too_large\"} 1\n",
        "weft_http_requests_total{method=\"GET\",route=\"/v1/models\",status=\"401\"} 3\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
}

TEST_F(ServeTest, CM_15_a_line_of_the_log_tells_of_each_request_and_of_nobodys_words) {
  config_.server.api_key = "kkk-secret";
  configure_log(LogLevel::kInfo, true);
  testing::internal::CaptureStderr();
  upstream_.then(whole_stream());
  start();
  RawClient client(port_);
  const std::string key = "Authorization: Bearer kkk-secret\r\n";
  client.send(raw_request("GET", "/v1/sessions/ann-secret/messages?limit=2&user=eve-secret", "",
                          key + "X-Request-Id: r-7\r\n"));
  client.read_answer();
  client.send(raw_request("GET", "/v1/models"));
  client.read_answer();
  stop();
  const std::string log = testing::internal::GetCapturedStderr();
  configure_log(LogLevel::kWarning, false);
  EXPECT_EQ(log.find("secret"), std::string::npos) << log;
  const auto at = log.find(R"("request":"r-7")");
  ASSERT_NE(at, std::string::npos) << log;
  const auto begin = log.rfind('\n', at) + 1;
  const auto line = nlohmann::json::parse(log.substr(begin, log.find('\n', at) - begin));
  EXPECT_EQ(line["event"], "http.request");
  EXPECT_EQ(line["key"], "server.api_key");
  EXPECT_EQ(line["method"], "GET");
  EXPECT_EQ(line["route"], "/v1/sessions/{id}/messages");
  EXPECT_TRUE(line["status"].is_number() && line["ms"].is_number() && line["sent"].is_number());
  EXPECT_NE(log.find(R"("status":401)"), std::string::npos) << log;
}

TEST(Serve, gives_1_where_the_place_is_taken) {
  ScriptedUpstream other;
  Config config;
  config.server.port = other.port();
  TestEngine engine(config);
  EXPECT_EQ(run_server(engine, config, nullptr, {}, [](const std::string&) { FAIL(); }), 1);
}

}  // namespace
}  // namespace weft
