#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "surface/proxy/proxy.h"
#include "tests/support/recorded_answer.h"
#include "tests/support/scripted_upstream.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_engine.h"

namespace weft::proxy {

using Json = nlohmann::json;

/// A clock that a test sets.
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

/// The body of a call of model "m".
inline std::string chat_body(std::vector<Json> messages, Json more = Json::object()) {
  more["model"] = "m";
  more["messages"] = std::move(messages);
  return more.dump();
}
inline Json user(std::string text) { return {{"role", "user"}, {"content", std::move(text)}}; }
inline Json assistant(std::string text) { return {{"role", "assistant"}, {"content", std::move(text)}}; }

/// A message as the client sent it: without the memories that were added to its text.
inline Json without_memory(Json message) {
  const auto strip = [](Json& text) {
    const std::string with = text, end = "</memory>\n\n";
    const std::size_t from = with.find("<memory>"), to = with.find(end);
    if (from != std::string::npos && to != std::string::npos)
      text = with.substr(0, from) + with.substr(to + end.size());
  };
  Json& content = message["content"];
  if (content.is_string()) strip(content);
  if (content.is_array())
    for (Json& part : content)
      if (part.contains("text")) strip(part["text"]);
  return message;
}

/// An answer of the upstream, whole or a piece of its stream.
inline std::string whole_answer(std::string text) {
  return Json{{"id", "x"},
              {"choices", {{{"index", 0}, {"message", assistant(std::move(text))}, {"finish_reason", "stop"}}}}}
      .dump();
}
inline std::string piece(Json delta, Json finish = nullptr) {
  return Json{{"choices", {{{"index", 0}, {"delta", std::move(delta)}, {"finish_reason", std::move(finish)}}}}}.dump();
}

/// A proxy before a scripted upstream and an engine that keeps what it is told.
class ProxyTest : public testing::Test {
 protected:
  ProxyTest() {
    config_.workspace = folder_.path();
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
  const test::TemporaryFolder folder_;
  ScriptedUpstream upstream_;
  Config config_;
  TestEngine engine_;
  FixedClock clock_;
  ChatModel* local_ = nullptr;
  std::unique_ptr<HttpClient> client_ = make_http_client();
  std::mutex making_;
  std::unique_ptr<Proxy> proxy_;
};

}  // namespace weft::proxy
