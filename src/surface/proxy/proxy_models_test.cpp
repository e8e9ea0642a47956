// Who answers: the upstream and its errors and limits, the configured model, a local one, or nobody.
#include <gtest/gtest.h>

#include <thread>

#include "tests/support/proxy_fixture.h"

namespace weft::proxy {
namespace {

TEST_F(ProxyTest, the_upstreams_errors_are_passed_on) {
  const auto body = R"({"error":{"message":"slow down","type":"rate_limit","param":null,"code":"x"}})";
  for (const int status : {400, 401, 429, 500, 503}) {
    upstream_.then(ScriptedAnswer::json(body, status).with("Retry-After", "7"));
    const auto answer = chat(chat_body({user("hi")}, {{"stream", status == 429}}));
    EXPECT_EQ(answer.status, status);
    EXPECT_EQ(answer.body, body);
    EXPECT_EQ(answer.header_named("retry-after"), "7");
    EXPECT_EQ(engine_.said(scope_, answer.header_named("X-Weft-Session")), std::vector<std::string>{"user: hi"});
  }
}

TEST_F(ProxyTest, an_upstream_that_cannot_be_reached_is_a_502_and_one_that_hangs_a_504) {
  config_.proxy.idle_timeout_ms = 100;
  upstream_.then(ScriptedAnswer::closing()).then(ScriptedAnswer::hanging());
  const auto closed = chat(chat_body({user("hi")}));
  EXPECT_EQ(closed.status, 502);
  EXPECT_EQ(Json::parse(closed.body)["error"]["code"], "upstream_unavailable");
  const auto hung = chat(chat_body({user("hi")}));
  EXPECT_EQ(hung.status, 504);
  EXPECT_EQ(Json::parse(hung.body)["error"]["type"], "upstream_error");
}

TEST_F(ProxyTest, a_stream_that_breaks_off_ends_with_an_error_and_is_not_remembered) {
  config_.proxy.idle_timeout_ms = 100;
  const auto half = ScriptedAnswer::sse({piece({{"content", "half of"}})}, false);
  auto cut = half, hung = half, torn = half;
  cut.cut = true;
  hung.hang = true;
  torn.parts.push_back("data: {\"choices\":[{\"del");
  for (const auto& scripted : {half, cut, hung, torn}) {
    upstream_.then(scripted);
    const auto answer = chat(chat_body({user("hi")}, {{"stream", true}}), {{"x-weft-session", "s"}});
    EXPECT_EQ(answer.status, 200);
    EXPECT_TRUE(answer.body.starts_with(half.parts.at(0))) << answer.body;
    EXPECT_EQ(answer.body.find("\"del\n"), std::string::npos);
    const auto at = answer.body.rfind("\n\ndata: ");
    ASSERT_NE(at, std::string::npos);
    EXPECT_TRUE(Json::parse(answer.body.substr(at + 8))["error"].contains("message")) << answer.body;
    EXPECT_TRUE(answer.ended);
  }
  proxy_.reset();
  EXPECT_EQ(engine_.said(scope_, "s"), std::vector<std::string>{"user: hi"});
}

TEST_F(ProxyTest, an_error_within_a_stream_is_the_upstreams_own_and_nothing_is_added) {
  upstream_.then(ScriptedAnswer::sse({piece({{"content", "half"}}), R"({"error":{"message":"overloaded"}})"}, false));
  const auto answer = chat(chat_body({user("hi")}, {{"stream", true}}));
  EXPECT_TRUE(answer.body.ends_with("data: {\"error\":{\"message\":\"overloaded\"}}\n\n"));
  EXPECT_EQ(said(answer), std::vector<std::string>{"user: hi"});
}

TEST_F(ProxyTest, the_upstream_is_cancelled_when_the_client_leaves) {
  auto endless = ScriptedAnswer::sse({piece({{"content", "a"}})}, false);
  endless.hang = true;
  upstream_.then(endless);
  RecordedAnswer out;
  auto request = request_with(chat_body({user("hi")}, {{"stream", true}}), {{"x-weft-session", "s"}});
  std::thread call([&] { proxy().chat_completions(request, out); });
  ASSERT_TRUE(upstream_.wait_for_requests(1));
  out.gone.request_stop();
  call.join();
  EXPECT_TRUE(upstream_.wait_for_disconnects(1));
  proxy_.reset();
  EXPECT_EQ(engine_.said(scope_, "s"), std::vector<std::string>{"user: hi"});
}

TEST_F(ProxyTest, where_the_engine_fails_the_call_goes_through) {
  upstream_.always(ScriptedAnswer::json(whole_answer("hello")));
  engine_.fail_with(unavailable("disk full"));
  const auto body = chat_body({user("hi")});
  const auto answer = chat(body);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(sent(), body);
  EXPECT_EQ(chat(body, {{"x-weft-session", "s"}}).status, 200);
  EXPECT_EQ(sent(), body);
}

TEST_F(ProxyTest, what_is_no_conversation_is_the_upstreams_business) {
  upstream_.always(ScriptedAnswer::json(R"({"error":{"message":"messages missing"}})", 400));
  for (const auto* body : {R"({"model":"m"})", R"({"messages":[{"role":"king"}]})", "[1]"}) {
    EXPECT_EQ(chat(body).status, 400);
    EXPECT_EQ(sent(), body);
  }
  const auto count = upstream_.requests().size();
  const auto broken = chat("{not json");
  EXPECT_EQ(broken.status, 400);
  EXPECT_EQ(Json::parse(broken.body)["error"]["type"], "invalid_request_error");
  EXPECT_EQ(chat(R"({"messages":[{"role":"user","content":"a"}],"user":{"a":1}})").status, 400);
  EXPECT_EQ(upstream_.requests().size(), count);
}

TEST_F(ProxyTest, IC_10_a_refusal_for_length_is_answered_by_one_smaller_call) {
  const auto refusal = ScriptedAnswer::json(
      R"({"error":{"message":"This model's maximum context length is 8192 tokens.","code":"context_length_exceeded"}})",
      400);
  upstream_.then(ScriptedAnswer::json(whole_answer("noted")));
  chat(chat_body({user("tulip is my password")}), {{"x-weft-session", "one"}});
  for (const bool stream : {false, true}) {
    const auto before = upstream_.requests().size();
    upstream_.then(refusal);
    const auto answer = chat(chat_body({user("tulip ?")}, {{"stream", stream}}), {{"x-weft-session", "two"}});
    // The smaller window holds the same prompt: a call that would be the same is not made again.
    EXPECT_EQ(answer.status, 400);
    EXPECT_EQ(upstream_.requests().size(), before + 1);
    EXPECT_EQ(engine_->model_traits("m").window, 8192);
  }
}

TEST_F(ProxyTest, IC_10_limits_come_from_headers_then_the_body_then_what_is_known) {
  upstream_.always(ScriptedAnswer::json(whole_answer("noted")));
  engine_->learn_model("m", {64000, 4000, 0, {}});
  const auto report = [&](std::string text, Json more, http::Headers headers) {
    chat(chat_body({user(std::move(text))}, std::move(more)), std::move(headers));
    const PastContext prompt = engine_.last_prompt(scope_);
    EXPECT_EQ(prompt.model, "m");
    return prompt.report;
  };
  const Json tools = {{{"type", "function"}, {"function", {{"name", "look"}}}}};
  const auto known = report("a", Json::object(), {});
  EXPECT_EQ(known.window, 64000);
  EXPECT_EQ(report("b", {{"max_tokens", 900}}, {}).usable, known.usable + 3100);
  const http::Headers limits = {{"x-weft-window", "20000"}, {"x-weft-output", "15000"}};
  const auto by_headers = report("c", {{"max_tokens", 900}}, limits);
  EXPECT_EQ(by_headers.window, 20000);
  EXPECT_EQ(by_headers.usable,
            report("d", Json::object(), {{"x-weft-window", "20000"}, {"x-weft-output", "10000"}}).usable)
      << "half of the window stays for the prompt";
  EXPECT_LT(report("e", {{"tools", tools}}, limits).usable, by_headers.usable - 5);
  for (const char* wrong : {"0", "-1", "many", "1e5", "1.5"}) {
    const auto answer = chat(chat_body({user("d")}), {{"x-weft-window", wrong}});
    EXPECT_EQ(answer.status, 400) << wrong;
    EXPECT_NE(answer.body.find("X-Weft-Window"), std::string::npos);
  }
}

TEST_F(ProxyTest, the_upstreams_key_replaces_the_clients) {
  ::setenv("WEFT_TEST_UPSTREAM_KEY", "theirs", 1);
  config_.proxy.api_key_env = "WEFT_TEST_UPSTREAM_KEY";
  upstream_.always(ScriptedAnswer::json(whole_answer("hello")));
  chat(chat_body({user("hi")}), {{"authorization", "Bearer mine"}});
  EXPECT_EQ(upstream_.requests().back().header("authorization"), "Bearer theirs");
}

TEST_F(ProxyTest, lists_the_upstreams_models_or_the_configured_ones) {
  upstream_.then(ScriptedAnswer::json(R"({"data":[{"id":"theirs"}]})"));
  http::Request request;
  request.method = "GET";
  request.path = "/v1/models";
  RecordedAnswer theirs, ours;
  proxy().models(request, theirs);
  EXPECT_EQ(theirs.body, R"({"data":[{"id":"theirs"}]})");
  EXPECT_EQ(upstream_.requests().back().method, "GET");
  proxy_.reset();
  config_.proxy.upstream.clear();
  config_.models["small"].model = "qwen";
  EchoModel local;
  local_ = &local;
  proxy().models(request, ours);
  const auto data = Json::parse(ours.body)["data"];
  ASSERT_EQ(data.size(), 2U);
  EXPECT_EQ(data[0]["id"], "echo");
  EXPECT_EQ(data[1]["id"], "qwen");
}

TEST_F(ProxyTest, the_main_model_of_the_configuration_is_the_upstream_where_none_is_named) {
  config_.models["big"].url = upstream_.url() + "/";
  config_.roles["main"] = "big";
  config_.proxy.upstream.clear();
  upstream_.always(ScriptedAnswer::json(whole_answer("hello")));
  EXPECT_EQ(chat(chat_body({user("hi")})).status, 200);
  EXPECT_EQ(upstream_.requests().back().path, "/v1/chat/completions");
}

TEST_F(ProxyTest, a_local_model_answers_where_there_is_no_upstream) {
  config_.proxy.upstream.clear();
  EchoModel local;
  local_ = &local;
  const auto whole =
      chat(chat_body({user("hi")}, {{"max_tokens", 5}, {"seed", 3}, {"tools", {{{"type", "function"}}}}}));
  const auto json = Json::parse(whole.body);
  EXPECT_EQ(json["choices"][0]["message"]["content"], "you said it");
  EXPECT_EQ(json["usage"]["total_tokens"], 10);
  EXPECT_EQ(local.asked.max_tokens, 5);
  EXPECT_EQ(local.asked.tools.size(), 1U);
  EXPECT_EQ(local.asked.messages.at(0).content, "hi");
  const auto streamed =
      chat(chat_body({user("hi there")}, {{"stream", true}, {"stream_options", {{"include_usage", true}}}}));
  EXPECT_NE(streamed.body.find(R"("content":"you said ")"), std::string::npos);
  EXPECT_NE(streamed.body.find(R"("total_tokens":10)"), std::string::npos);
  EXPECT_TRUE(streamed.body.ends_with("data: [DONE]\n\n"));
  local.failure = too_large("longer than the window");
  const auto failed = chat(chat_body({user("hi you")}));
  EXPECT_EQ(failed.status, 400);
  EXPECT_EQ(Json::parse(failed.body)["error"]["code"], "context_length_exceeded");
  EXPECT_EQ(said(streamed), (std::vector<std::string>{"user: hi there", "assistant: you said it"}));
}

TEST_F(ProxyTest, PF_2_without_any_model_it_says_what_to_configure) {
  config_.proxy.upstream.clear();
  const auto answer = chat(chat_body({user("hi")}));
  EXPECT_EQ(answer.status, 503);
  EXPECT_NE(answer.body.find("--upstream"), std::string::npos);
  EXPECT_EQ(said(answer), std::vector<std::string>{"user: hi"});
}

}  // namespace
}  // namespace weft::proxy
