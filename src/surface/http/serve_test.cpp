#include "surface/http/serve.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "tests/support/fake_engine.h"
#include "tests/support/raw_client.h"
#include "tests/support/scripted_upstream.h"

namespace weft {
namespace {

class ServeTest : public testing::Test {
 protected:
  ~ServeTest() override { stop(); }

  void start() {
    config_.server.port = 0;
    config_.proxy.upstream = upstream_.url();
    config_.proxy.ask_models = false;
    engine_ = std::make_unique<FakeEngine>(config_);
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
  std::unique_ptr<FakeEngine> engine_;
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
  EXPECT_EQ(engine_->sessions().size(), 200U);
  const auto scope = *Scope::private_of(UserId("default"));
  for (const auto& place : engine_->sessions()) {
    EXPECT_EQ(engine_->messages(scope, place.substr(place.find('/') + 1)).size(), 2U);
  }
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

TEST(Serve, gives_1_where_the_place_is_taken) {
  ScriptedUpstream other;
  Config config;
  config.server.port = other.port();
  FakeEngine engine(config);
  EXPECT_EQ(run_server(engine, config, nullptr, {}, [](const std::string&) { FAIL(); }), 1);
}

}  // namespace
}  // namespace weft
