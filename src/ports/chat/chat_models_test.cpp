#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <thread>

#include "ports/chat/chat_models.h"
#include "ports/net/openai_wire.h"
#include "tests/support/large_text.h"
#include "tests/support/scripted_upstream.h"

namespace weft {
namespace {

using nlohmann::json;

std::unique_ptr<ChatModel> chat_with(const ScriptedUpstream& upstream, std::int64_t retries = 2) {
  OpenAiChatOptions options;
  options.url = upstream.url();
  options.model = "model-1";
  options.api_key = "secret";
  options.retry.retries = retries;
  options.retry.sleep = [](std::chrono::milliseconds, const Deadline&) {};
  return make_openai_chat(options, make_http_client());
}

ChatRequest ask(std::string text) {
  ChatRequest request;
  Message message;
  message.id = MessageId("m1");
  message.content = std::move(text);
  request.messages = {message};
  return request;
}

ScriptedAnswer answer(const std::string& text) {
  const json body = {
      {"choices", {{{"message", {{"role", "assistant"}, {"content", text}}}, {"finish_reason", "stop"}}}},
      {"usage", {{"prompt_tokens", 11}, {"completion_tokens", 3}}}};
  return ScriptedAnswer::json(body.dump());
}

std::string delta(const std::string& fields, const std::string& finish = "null") {
  return R"({"choices":[{"index":0,"delta":{)" + fields + R"(},"finish_reason":)" + finish + "}]}";
}

constexpr const char* kSchema = R"({"type":"object","required":["n"],"properties":{"n":{"type":"integer"}}})";

TEST(OpenAiChat, sends_the_request_and_reads_the_answer) {
  ScriptedUpstream upstream;
  upstream.then(answer("贪吃蛇"));
  const auto chat = chat_with(upstream);
  ChatRequest request = ask("你好");
  Message called, output;
  called.role = Role::kAssistant;
  called.tool_calls = {{"c1", "look", R"({"at":1})"}};
  output.role = Role::kTool;
  output.tool_call_id = "c1";
  output.content = "seen";
  request.messages.push_back(called);
  request.messages.push_back(output);
  request.tools = {R"({"type":"function","function":{"name":"look"}})"};
  request.max_tokens = 77;
  const auto reply = chat->complete(request, {});
  ASSERT_TRUE(reply.ok()) << reply.error().message;
  EXPECT_EQ(reply->message.content, "贪吃蛇");
  EXPECT_EQ(reply->message.role, Role::kAssistant);
  EXPECT_EQ(reply->finish_reason, "stop");
  EXPECT_EQ(reply->prompt_tokens, 11);
  EXPECT_EQ(reply->completion_tokens, 3);
  EXPECT_EQ(reply->attempts, 1);
  const SeenRequest seen = upstream.requests().at(0);
  EXPECT_EQ(seen.path, "/v1/chat/completions");
  EXPECT_EQ(seen.header("authorization"), "Bearer secret");
  const json body = json::parse(seen.body);
  EXPECT_EQ(body["model"], "model-1");
  EXPECT_EQ(body["max_tokens"], 77);
  EXPECT_EQ(body["messages"][0], (json{{"role", "user"}, {"content", "你好"}})) << "no id of ours goes out";
  EXPECT_EQ(body["messages"][1]["tool_calls"][0]["function"]["arguments"], R"({"at":1})");
  EXPECT_EQ(body["messages"][2]["tool_call_id"], "c1");
  EXPECT_EQ(body["tools"][0]["function"]["name"], "look");
  EXPECT_FALSE(body.contains("stream"));
}

TEST(OpenAiChat, puts_a_stream_together) {
  ScriptedUpstream upstream;
  upstream.then(ScriptedAnswer::sse({delta(R"("role":"assistant","reasoning_content":"hm")"),
                                     delta(R"("content":"你")"), delta(R"("content":"好")"), delta("", R"("stop")"),
                                     R"({"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2}})"}));
  std::string told;
  const auto reply = chat_with(upstream)->complete(ask("x"), {}, [&](std::string_view text) {
    told += text;
    told += '|';
    return true;
  });
  ASSERT_TRUE(reply.ok()) << reply.error().message;
  EXPECT_EQ(told, "你|好|");
  EXPECT_EQ(reply->message.content, "你好");
  EXPECT_EQ(reply->message.reasoning, "hm");
  EXPECT_EQ(reply->prompt_tokens, 5);
  EXPECT_EQ(reply->completion_tokens, 2);
  EXPECT_EQ(json::parse(upstream.requests().at(0).body)["stream"], true);
}

TEST(OpenAiChat, puts_tool_calls_together_from_their_pieces) {
  ScriptedUpstream upstream;
  upstream.then(ScriptedAnswer::sse(
      {delta(R"("tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"read","arguments":""}}])"),
       delta(R"("tool_calls":[{"index":0,"function":{"arguments":"{\"p\":"}}])"),
       delta(R"("tool_calls":[{"index":1,"id":"b","function":{"name":"stat","arguments":"{}"}}])"),
       delta(R"("tool_calls":[{"index":0,"function":{"arguments":"1}"}}])"), delta("", R"("tool_calls")")}));
  const auto reply = chat_with(upstream)->complete(ask("x"), {}, [](std::string_view) { return true; });
  ASSERT_TRUE(reply.ok()) << reply.error().message;
  ASSERT_EQ(reply->message.tool_calls.size(), 2U);
  EXPECT_EQ(reply->message.tool_calls[0].id, "a");
  EXPECT_EQ(reply->message.tool_calls[0].name, "read");
  EXPECT_EQ(reply->message.tool_calls[0].arguments, R"({"p":1})");
  EXPECT_EQ(reply->message.tool_calls[1].name, "stat");
  EXPECT_EQ(reply->finish_reason, "tool_calls");
}

TEST(OpenAiChat, broken_streams_are_errors) {
  const auto ignore = [](std::string_view) { return true; };
  ScriptedAnswer half = ScriptedAnswer::sse({delta(R"("content":"a")")}, false);
  half.cut = true;
  ScriptedAnswer unfinished = ScriptedAnswer::sse({delta(R"("content":"a")")}, false);
  const std::vector<std::pair<ScriptedAnswer, std::string>> cases = {
      {half, "half-way"},
      {unfinished, "before the answer was complete"},
      {ScriptedAnswer::sse({"{broken"}), "broken"},
      {ScriptedAnswer::sse({delta(R"("content":"a")"), R"({"error":{"message":"overloaded"}})"}), "overloaded"},
      {ScriptedAnswer::sse({delta(R"("tool_calls":[{"index":4000000000,"id":"a"}])")}), "too many tools"}};
  for (const auto& [script, words] : cases) {
    ScriptedUpstream upstream;
    upstream.then(script);
    const auto reply = chat_with(upstream)->complete(ask("x"), {}, ignore);
    ASSERT_FALSE(reply.ok()) << words;
    EXPECT_EQ(reply.error().code, ErrorCode::kUnavailable);
    EXPECT_NE(reply.error().message.find(words), std::string::npos) << reply.error().message;
    EXPECT_EQ(upstream.requests().size(), 1U) << "text may have been told";
  }
}

TEST(OpenAiChat, odd_but_readable_answers_are_taken) {
  ScriptedUpstream upstream;
  upstream.then(answer("whole")).then(ScriptedAnswer::json(R"({"choices":[{"message":{"content":null,"tool_calls":[
      {"id":"a","function":{"name":"f","arguments":{"x":1}}},{"id":"b","function":{"name":"g"}}]}}]})"));
  const auto chat = chat_with(upstream);
  std::string told;
  const auto whole = chat->complete(ask("x"), {}, [&](std::string_view text) { return told += text, true; });
  ASSERT_TRUE(whole.ok()) << whole.error().message;
  EXPECT_EQ(told, "whole") << "an endpoint that does not stream";
  const auto calls = chat->complete(ask("x"), {});
  ASSERT_TRUE(calls.ok()) << calls.error().message;
  ASSERT_EQ(calls->message.tool_calls.size(), 2U);
  EXPECT_EQ(calls->message.tool_calls[0].arguments, R"({"x":1})");
}

TEST(OpenAiChat, refusals_quote_the_endpoint) {
  ScriptedUpstream upstream;
  upstream.then(ScriptedAnswer::json(R"({"error":{"message":"context length exceeded"}})", 400))
      .then(ScriptedAnswer::json("{}", 401))
      .then(ScriptedAnswer::json(R"({"detail":"no such model"})", 404))
      .then(ScriptedAnswer::json("<html>gone", 200));
  const auto chat = chat_with(upstream);
  const auto bad = chat->complete(ask("x"), {});
  EXPECT_EQ(bad.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(bad.error().message.find("context length exceeded"), std::string::npos);
  EXPECT_EQ(chat->complete(ask("x"), {}).error().code, ErrorCode::kPermission);
  const auto missing = chat->complete(ask("x"), {}, [](std::string_view) { return true; });
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_NE(missing.error().message.find("no such model"), std::string::npos);
  EXPECT_EQ(chat->complete(ask("x"), {}).error().code, ErrorCode::kUnavailable);
}

TEST(OpenAiChat, a_busy_endpoint_is_asked_again) {
  ScriptedUpstream upstream;
  upstream.then(ScriptedAnswer::json("", 429).with("Retry-After", "1"))
      .then(ScriptedAnswer::json("", 500))
      .then(answer("ok"));
  const auto reply = chat_with(upstream)->complete(ask("x"), {});
  ASSERT_TRUE(reply.ok()) << reply.error().message;
  EXPECT_EQ(reply->attempts, 3);
  upstream.always(ScriptedAnswer::json(R"({"error":"overloaded"})", 503));
  const auto failed = chat_with(upstream)->complete(ask("x"), {});
  EXPECT_EQ(failed.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(failed.error().message.find("overloaded"), std::string::npos);
}

TEST(OpenAiChat, an_answer_that_breaks_the_schema_is_asked_for_again_and_then_an_error) {
  ScriptedUpstream upstream;
  upstream.then(answer("not json")).then(answer(R"({"n":"x"})")).then(answer(R"({"n":7})"));
  ChatRequest request = ask("x");
  request.json_schema = kSchema;
  const auto reply = chat_with(upstream)->complete(request, {});
  ASSERT_TRUE(reply.ok()) << reply.error().message;
  EXPECT_EQ(reply->message.content, R"({"n":7})");
  EXPECT_EQ(reply->attempts, 3);
  const json format = json::parse(upstream.requests().at(0).body)["response_format"];
  EXPECT_EQ(format["type"], "json_schema");
  EXPECT_EQ(format["json_schema"]["strict"], true);
  EXPECT_EQ(format["json_schema"]["schema"], json::parse(kSchema));

  upstream.always(answer(R"({"n":"x"})"));
  const auto failed = chat_with(upstream)->complete(request, {});
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(failed.error().message.find("[n]"), std::string::npos) << failed.error().message;
}

TEST(OpenAiChat, an_endpoint_without_schemas_gets_them_in_the_prompt) {
  ScriptedUpstream upstream;
  upstream.then(ScriptedAnswer::json(R"({"error":{"message":"This response_format type is unavailable now"}})", 400))
      .always(answer(R"({"n":1})"));
  ChatRequest request = ask("x");
  request.json_schema = kSchema;
  const auto chat = chat_with(upstream);
  ASSERT_TRUE(chat->complete(request, {}).ok());
  ASSERT_TRUE(chat->complete(request, {}).ok());
  const auto seen = upstream.requests();
  ASSERT_EQ(seen.size(), 3U) << "the second call knows";
  for (const std::size_t i : {1U, 2U}) {
    const json body = json::parse(seen[i].body);
    EXPECT_EQ(body["response_format"]["type"], "json_object");
    EXPECT_NE(body["messages"].back()["content"].get<std::string>().find(R"("required")"), std::string::npos);
  }
}

TEST(OpenAiChat, ends_with_the_deadline_and_when_cancelled) {
  ScriptedUpstream upstream;
  upstream.always(ScriptedAnswer::hanging());
  const auto chat = chat_with(upstream);
  EXPECT_EQ(chat->complete(ask("x"), Deadline::after(std::chrono::milliseconds(30))).error().code, ErrorCode::kTimeout);
  std::stop_source stop;
  const std::jthread canceller([&] {
    upstream.wait_for_requests(2);
    stop.request_stop();
  });
  EXPECT_EQ(chat->complete(ask("x"), Deadline(std::nullopt, stop.get_token())).error().code, ErrorCode::kCancelled);
  ScriptedAnswer endless = ScriptedAnswer::sse({delta(R"("content":"a")")}, false);
  endless.hang = true;
  upstream.always(endless);
  EXPECT_EQ(chat->complete(ask("x"), {}, [](std::string_view) { return false; }).error().code, ErrorCode::kCancelled);
}

TEST(OpenAiChat, models_that_think_first_get_the_fields_they_know) {
  ScriptedUpstream upstream;
  upstream.always(answer("a"));
  OpenAiChatOptions options;
  options.url = upstream.url();
  options.model = "o4-mini";
  ASSERT_TRUE(make_openai_chat(options, make_http_client())->complete(ask("x"), {}).ok());
  const json body = json::parse(upstream.requests().at(0).body);
  EXPECT_FALSE(body.contains("temperature"));
  EXPECT_FALSE(body.contains("max_tokens"));
  EXPECT_EQ(body["max_completion_tokens"], 1024);
}

TEST(OpenAiWire, PF_21_what_nests_too_deeply_is_refused) {
  const std::string deep = test::nested("[", "", "]");
  EXPECT_LT(openai::error_text(test::nested(R"({"error":)", R"("no")", "}")).size(), 3000U);
  EXPECT_FALSE(openai::read_chat_answer(R"({"choices":[{"message":{"content":"x","tool_calls":)" + deep + "}}]}").ok());
  EXPECT_FALSE(openai::read_chat_answer(
                   R"({"choices":[{"message":{"tool_calls":[{"function":{"name":"x","arguments":)" + deep + "}}]}}]}")
                   .ok());
  ChatRequest request;
  request.tools = {R"({"type":"function","function":{"parameters":)" + deep + "}}"};
  EXPECT_FALSE(openai::chat_body(request, "m", false, openai::SchemaForm::kJsonSchema).ok());
}

}  // namespace
}  // namespace weft
