#include "surface/proxy/proxy.h"

#include <gtest/gtest.h>

#include <future>
#include <mutex>
#include <thread>

#include <nlohmann/json.hpp>

#include "tests/support/fake_engine.h"
#include "tests/support/recorded_answer.h"
#include "tests/support/scripted_upstream.h"

namespace weft::proxy {
namespace {

using Json = nlohmann::json;

class FixedClock final : public Clock {
 public:
  Time now() const override { return time; }
  Time time{1'000'000, 0};
};

/// A local model that answers what it is told to.
class EchoModel final : public ChatModel {
 public:
  std::string name() const override { return "echo"; }
  std::int64_t window() const override { return 4096; }
  std::int64_t count_tokens(std::string_view) const override { return -1; }
  Result<ChatReply> complete(const ChatRequest& request, const Deadline&,
                             const std::function<bool(std::string_view)>& on_text) override {
    asked = request;
    if (failure) return *failure;
    for (const std::string_view part : {"you said ", "it"}) {
      if (on_text && !on_text(part)) return cancelled("no");
    }
    ChatReply reply;
    reply.message.role = Role::kAssistant;
    reply.message.content = "you said it";
    reply.finish_reason = "stop";
    reply.prompt_tokens = 7;
    reply.completion_tokens = 3;
    return reply;
  }
  ChatRequest asked;
  std::optional<Error> failure;
};

std::string chat_body(std::vector<Json> messages, Json more = Json::object()) {
  more["model"] = "m";
  more["messages"] = std::move(messages);
  return more.dump();
}
Json user(std::string text) { return {{"role", "user"}, {"content", std::move(text)}}; }
Json assistant(std::string text) { return {{"role", "assistant"}, {"content", std::move(text)}}; }

std::string whole_answer(std::string text) {
  return Json{{"id", "x"},
              {"choices", {{{"index", 0}, {"message", assistant(std::move(text))}, {"finish_reason", "stop"}}}}}
      .dump();
}
std::string piece(Json delta, Json finish = nullptr) {
  return Json{{"choices", {{{"index", 0}, {"delta", std::move(delta)}, {"finish_reason", std::move(finish)}}}}}.dump();
}

class ProxyTest : public testing::Test {
 protected:
  ProxyTest() {
    config_.proxy.upstream = upstream_.url();
    config_.proxy.ask_models = false;  // every request that the upstream sees is one of the test's
  }

  /// Made by the first call, which may come from several threads at once.
  Proxy& proxy() {
    const std::lock_guard lock(making_);
    if (!proxy_) proxy_ = std::make_unique<Proxy>(engine_, config_, *client_, local_, clock_);
    return *proxy_;
  }

  RecordedAnswer chat(std::string body, http::Headers headers = {}) {
    RecordedAnswer out;
    auto request = request_with(std::move(body), std::move(headers));
    proxy().chat_completions(request, out);
    return out;
  }
  static http::Request request_with(std::string body, http::Headers headers) {
    http::Request request;
    request.method = "POST";
    request.path = "/v1/chat/completions";
    request.body = std::move(body);
    request.headers = std::move(headers);
    return request;
  }

  /// What the last request brought to the upstream.
  std::string sent() const { return upstream_.requests().back().body; }
  std::vector<std::string> said(const RecordedAnswer& answer) {
    proxy_.reset();  // everything has been handed over then
    return engine_.said(scope_, answer.header_named("X-Weft-Session"));
  }

  const Scope scope_ = *Scope::private_of(UserId("default"));
  ScriptedUpstream upstream_;
  Config config_;
  FakeEngine engine_;
  FixedClock clock_;
  ChatModel* local_ = nullptr;
  std::unique_ptr<HttpClient> client_ = make_http_client();
  std::mutex making_;
  std::unique_ptr<Proxy> proxy_;
};

TEST_F(ProxyTest, passes_a_call_and_its_answer_on_unchanged) {
  const auto body =
      R"({"model":"m", "temperature": 0.70, "messages":[{"role":"user","content":"hi", "odd":1}], "tools":[], "n":2})";
  upstream_.then(ScriptedAnswer::json(whole_answer("hello")).with("X-Request-Id", "r1"));
  const auto answer = chat(body, {{"authorization", "Bearer mine"},
                                  {"openai-organization", "o"},
                                  {"x-weft-user", "default"},
                                  {"connection", "keep-alive, X-Hop"},
                                  {"x-hop", "1"},
                                  {"accept-encoding", "gzip"}});
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, whole_answer("hello"));
  EXPECT_EQ(answer.header_named("x-request-id"), "r1");
  EXPECT_EQ(answer.header_named("X-Weft-Context-Tokens"), "1");
  EXPECT_EQ(sent(), body);
  const auto seen = upstream_.requests().back();
  EXPECT_EQ(seen.path, "/v1/chat/completions");
  EXPECT_EQ(seen.header("authorization"), "Bearer mine");
  EXPECT_EQ(seen.header("openai-organization"), "o");
  EXPECT_EQ(seen.header("x-weft-user") + seen.header("x-hop") + seen.header("accept-encoding"), "");
  EXPECT_EQ(said(answer), (std::vector<std::string>{"user: hi", "assistant: hello"}));
}

TEST_F(ProxyTest, a_stream_is_passed_on_byte_for_byte_and_remembered_like_a_whole_answer) {
  std::string text = ": a comment\r\n\r\n";
  for (const auto& event : {piece({{"role", "assistant"}}), piece({{"content", "hel"}}), piece({{"content", "lo"}}),
                            piece(Json::object(), "stop"), std::string(R"({"choices":[],"usage":{}})")}) {
    text += "event: message\ndata:" + event + "\r\n\n";
  }
  text += "data: [DONE]\n\n";
  ScriptedAnswer scripted;
  scripted.headers = {{"Content-Type", "text/event-stream"}};
  scripted.chunked = true;
  for (std::size_t at = 0; at < text.size(); at += 5) scripted.parts.push_back(text.substr(at, 5));
  upstream_.then(scripted);
  const auto answer = chat(chat_body({user("hi")}, {{"stream", true}}));
  EXPECT_EQ(answer.body, text);
  EXPECT_TRUE(answer.streamed && answer.ended);
  EXPECT_EQ(said(answer), (std::vector<std::string>{"user: hi", "assistant: hello"}));
}

TEST_F(ProxyTest, a_stream_with_rubbish_in_it_is_passed_on_and_not_remembered) {
  upstream_.then(ScriptedAnswer::sse({piece({{"content", "hel"}}), "{broken", piece(Json{{"content", "lo"}}, "stop")}));
  const auto answer = chat(chat_body({user("hi")}, {{"stream", true}}));
  EXPECT_TRUE(answer.body.ends_with("data: [DONE]\n\n"));
  EXPECT_NE(answer.body.find("data: {broken\n\n"), std::string::npos);
  EXPECT_EQ(said(answer), std::vector<std::string>{"user: hi"});
}

TEST_F(ProxyTest, what_was_said_in_one_session_reaches_the_model_in_the_next) {
  upstream_.always(ScriptedAnswer::json(whole_answer("noted")));
  chat(chat_body({user("tulip is my password")}), {{"x-weft-session", "one"}});
  const auto original =
      R"({"role":"system","content":"be kind"},{"role":"user","content":[{"type":"text","text":"tulip ?"},{"type":"image_url","image_url":{"url":"data:x"}}]})";
  chat(std::string(R"({"seed":1,"messages":[)") + original + "]}", {{"x-weft-session", "two"}});
  EXPECT_NE(sent().find("tulip is my password"), std::string::npos);
  // Nothing but the memory has been added.
  auto messages = Json::parse(sent())["messages"];
  ASSERT_EQ(messages.size(), 3U);
  messages.erase(1);
  EXPECT_EQ(messages, Json::parse("[" + std::string(original) + "]"));
  EXPECT_NE(
      sent().find(
          R"({"role":"user","content":[{"type":"text","text":"tulip ?"},{"type":"image_url","image_url":{"url":"data:x"}}]})"),
      std::string::npos);
}

TEST_F(ProxyTest, PF_6_the_clients_messages_keep_their_order_and_only_one_is_added) {
  upstream_.always(ScriptedAnswer::json(whole_answer("noted")));
  chat(chat_body({user("tulip is my password")}), {{"x-weft-session", "one"}});
  const Json system = {{"role", "developer"}, {"content", {{{"type", "text"}, {"text", "be kind"}}}}};
  const Json note = {{"role", "system"}, {"content", "speak slowly"}};
  const std::vector<Json> client = {system,    user("a"),      assistant("b"), note,
                                    user("a"), assistant("b"), note,           user("tulip ?")};
  chat(chat_body(client), {{"x-weft-session", "two"}});
  auto messages = Json::parse(sent())["messages"];
  ASSERT_EQ(messages.size(), client.size() + 1);
  EXPECT_NE(messages[7].dump().find("tulip is my password"), std::string::npos);
  messages.erase(7);
  EXPECT_EQ(messages, Json(client));
}

TEST_F(ProxyTest, PF_3_memory_of_another_user_never_reaches_the_model) {
  upstream_.always(ScriptedAnswer::json(whole_answer("noted")));
  chat(chat_body({user("tulip is my password")}), {{"x-weft-user", "ann"}});
  chat(chat_body({user("tulip ?")}), {{"x-weft-user", "bob"}});
  EXPECT_EQ(sent().find("password"), std::string::npos);
  chat(chat_body({user("tulip ?")}, {{"metadata", {{"weft_group", "ann"}}}}));
  EXPECT_EQ(sent().find("password"), std::string::npos);
  chat(chat_body({user("tulip ?")}, {{"user", "ann"}}));
  EXPECT_NE(sent().find("password"), std::string::npos);
}

TEST_F(ProxyTest, tool_calls_go_round) {
  const Json call = {
      {"index", 0}, {"id", "c1"}, {"type", "function"}, {"function", {{"name", "find"}, {"arguments", "{\"q\":"}}}};
  upstream_.then(ScriptedAnswer::sse({piece({{"tool_calls", {call}}}),
                                      piece({{"tool_calls", {{{"index", 0}, {"function", {{"arguments", "1}"}}}}}}}),
                                      piece(Json::object(), "tool_calls")}));
  upstream_.then(ScriptedAnswer::json(whole_answer("found")));
  const auto first = chat(chat_body({user("find it")}, {{"stream", true}}));
  const Json replied = {
      {"role", "assistant"},
      {"content", nullptr},
      {"tool_calls",
       {{{"id", "c1"}, {"type", "function"}, {"function", {{"name", "find"}, {"arguments", "{\"q\":1}"}}}}}}};
  const Json output = {{"role", "tool"}, {"tool_call_id", "c1"}, {"content", "42"}};
  const auto second = chat(chat_body({user("find it"), replied, output}));
  EXPECT_EQ(Json::parse(sent())["messages"], Json({user("find it"), replied, output}));
  EXPECT_EQ(first.header_named("X-Weft-Session"), second.header_named("X-Weft-Session"));
  EXPECT_EQ(said(second), (std::vector<std::string>{"user: find it", "assistant: ", "tool: 42", "assistant: found"}));
}

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

TEST_F(ProxyTest, ST_10_save_is_answered_here_and_not_remembered) {
  for (const bool stream : {false, true}) {
    upstream_.then(ScriptedAnswer::json(whole_answer("hello")));
    chat(chat_body({user("hi")}), {{"x-weft-session", "s"}});
    const auto answer = chat(chat_body({user("hi"), assistant("hello"), user("/save")}, {{"stream", stream}}),
                             {{"x-weft-session", "s"}});
    EXPECT_EQ(answer.status, 200);
    EXPECT_NE(answer.body.find("Saved: 1 topic with 1 exchange (40 tokens)."), std::string::npos) << answer.body;
    EXPECT_EQ(answer.body.ends_with("data: [DONE]\n\n"), stream);
    EXPECT_EQ(engine_.said(scope_, "s"), (std::vector<std::string>{"user: hi", "assistant: hello"}));
  }
  EXPECT_EQ(engine_.saves(), 2U);
  EXPECT_EQ(upstream_.requests().size(), 2U);
  upstream_.then(ScriptedAnswer::json(whole_answer("fine")));
  chat(chat_body({user("hi"), assistant("hello"), user("/save"), assistant("Saved: 1 topic."), user("and?")}),
       {{"x-weft-session", "s"}});
  EXPECT_EQ(Json::parse(sent())["messages"].size(), 5U);  // the model sees what the client sent
  proxy_.reset();
  EXPECT_EQ(engine_.said(scope_, "s"),
            (std::vector<std::string>{"user: hi", "assistant: hello", "user: and?", "assistant: fine"}));
}

TEST_F(ProxyTest, PF_4_save_answers_in_chinese) {
  const auto answer = chat(chat_body({user("你好"), assistant("你好！"), user("/save")}));
  EXPECT_NE(answer.body.find("已保存"), std::string::npos);
}

TEST_F(ProxyTest, the_answer_is_with_the_engine_before_the_next_call_of_its_session) {
  upstream_.always(ScriptedAnswer::json(whole_answer("hello")));
  std::promise<void> go;
  const auto signal = go.get_future().share();
  std::atomic<int> observed = 0;
  engine_.before_observe = [&] {
    if (++observed == 2) signal.wait();  // the first answer is slow to be kept
  };
  chat(chat_body({user("hi")}), {{"x-weft-session", "s"}});  // returns although the answer is not kept yet
  std::thread next([&] { chat(chat_body({user("hi"), assistant("hello"), user("more")}), {{"x-weft-session", "s"}}); });
  go.set_value();
  next.join();
  proxy_.reset();
  EXPECT_EQ(engine_.said(scope_, "s"),
            (std::vector<std::string>{"user: hi", "assistant: hello", "user: more", "assistant: hello"}));
}

TEST_F(ProxyTest, PF_12_the_same_conversation_is_the_same_session_and_another_one_is_not) {
  upstream_.always(ScriptedAnswer::json(whole_answer("hello")));
  const auto session_of = [&](std::vector<Json> messages) {
    return chat(chat_body(std::move(messages))).header_named("X-Weft-Session");
  };
  const auto first = session_of({user("hi")});
  EXPECT_EQ(session_of({user("hi"), assistant("hello"), user("more")}), first);
  EXPECT_EQ(session_of({Json{{"role", "system"}, {"content", "s"}}, user("hi"), assistant("hello"), user("more")}),
            first);
  EXPECT_NE(session_of({user("good morning")}), first);
  // A conversation that went on is not begun anew by another "hi".
  upstream_.always(ScriptedAnswer::json(whole_answer("hello again")));
  const auto second = session_of({user("hi")});
  EXPECT_NE(second, first);
  EXPECT_EQ(session_of({user("hi"), assistant("hello again"), user("x")}), second);
  EXPECT_EQ(session_of({user("hi"), assistant("hello"), user("more"), assistant("hello"), user("y")}), first);
  proxy_.reset();  // after a restart, too
  EXPECT_EQ(session_of({user("hi"), assistant("hello again"), user("x")}), second);
}

TEST_F(ProxyTest, PF_12_chats_that_are_answered_at_the_same_time_are_two) {
  std::promise<void> go;
  const auto signal = go.get_future().share();
  upstream_.always([signal](const SeenRequest&) {
    signal.wait();
    return ScriptedAnswer::json(whole_answer("hello"));
  });
  std::string one, two;
  std::thread first([&] { one = chat(chat_body({user("hi")})).header_named("X-Weft-Session"); });
  std::thread second([&] { two = chat(chat_body({user("hi")})).header_named("X-Weft-Session"); });
  EXPECT_TRUE(upstream_.wait_for_requests(2));
  go.set_value();
  first.join();
  second.join();
  EXPECT_NE(one, two);
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
    // The fake engine weaves the same for every window: a call that would be the same is not made again.
    EXPECT_EQ(answer.status, 400);
    EXPECT_EQ(upstream_.requests().size(), before + 1);
    EXPECT_EQ(engine_.model_traits("m").window, 8192);
  }
}

TEST_F(ProxyTest, IC_10_limits_come_from_headers_then_the_body_then_what_is_known) {
  upstream_.always(ScriptedAnswer::json(whole_answer("noted")));
  engine_.learn_model("m", {64000, 4000, 0, {}});
  chat(chat_body({user("a")}));
  EXPECT_EQ(engine_.asked.back().model, "m");
  EXPECT_EQ(engine_.asked.back().output_tokens, 4000);
  chat(chat_body({user("b")}, {{"max_tokens", 900}}));
  EXPECT_EQ(engine_.asked.back().output_tokens, 900);
  chat(chat_body({user("c")},
                 {{"max_tokens", 900}, {"tools", {{{"type", "function"}, {"function", {{"name", "look"}}}}}}}),
       {{"x-weft-window", "20000"}, {"x-weft-output", "15000"}});
  EXPECT_EQ(engine_.asked.back().window, 20000);
  EXPECT_EQ(engine_.asked.back().output_tokens, 10000);  // half of the window stays for what is asked
  EXPECT_GT(engine_.asked.back().other_tokens, 5);
  EXPECT_EQ(engine_.asked.back().system_messages, "one");
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
  proxy_.reset();
  config_.proxy.api_key_env.clear();
  config_.server.api_key = "ours";  // then the client's key is Weft's and stays here
  chat(chat_body({user("hi")}), {{"authorization", "Bearer ours"}});
  EXPECT_EQ(upstream_.requests().back().header("authorization"), "");
}

TEST_F(ProxyTest, without_weaving_it_only_remembers) {
  config_.proxy.weave = false;
  upstream_.always(ScriptedAnswer::json(whole_answer("noted")));
  chat(chat_body({user("tulip one")}), {{"x-weft-session", "one"}});
  const auto body = chat_body({user("tulip two")});
  const auto answer = chat(body, {{"x-weft-session", "two"}});
  EXPECT_EQ(sent(), body);
  EXPECT_EQ(said(answer).size(), 2U);
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
