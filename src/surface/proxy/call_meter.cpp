#include "surface/proxy/call_meter.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/strings.h"
#include "model/message_reader.h"
#include "ports/net/http_client.h"
#include "surface/api/bodies.h"
#include "surface/api/scope_of_request.h"
#include "text/json.h"

namespace weft::proxy {

CallMeter::CallMeter(Engine& engine, std::string scope, std::string key, std::string model) : engine_(engine) {
  call_.scope = std::move(scope);
  call_.key = std::move(key);
  call_.role = "proxy";
  call_.model = std::move(model);
}

void CallMeter::end(const RelayEnd& end) const {
  ModelCall call = call_;
  call.outcome = end.outcome;
  call.input_tokens = end.counts.input_tokens;
  call.output_tokens = end.counts.output_tokens;
  // A call that its server has not begun to answer costs nothing.
  const bool answering = end.status >= 200 && end.status < 300;
  const std::string asked = answering && input_ && call.input_tokens < 0 ? input_() : std::string();
  call.input_text = asked;
  call.output_text = end.text;
  call.seconds = end.seconds;
  call.first_token_seconds = end.first_token_seconds;
  engine_.upkeep().note_model_call(call);
}

std::string words_of(const std::vector<Message>& messages) {
  std::string words;
  for (const Message& message : messages) words += counted_text(message) + "\n";
  return words;
}

std::string account_scope(const http::Request& request, const Names& body, const Config& config) {
  const auto headers = names_in_headers(request);
  const auto scope = headers.ok() ? scope_of(request.access, *headers, body, config) : headers.error();
  return scope.ok() ? scope->key().str() : std::string();
}

CallMeter meter_of(Engine& engine, const Config& config, const http::Request& request, const ChatCall& call) {
  CallMeter meter(engine, account_scope(request, call.names, config), request.access.name, call.model);
  if (!call.helper.empty()) meter.set_role("helper");
  meter.asked_with([&call] { return words_of(call.messages); });
  return meter;
}

bool is_metered_unread(const http::Request& request) {
  constexpr std::array<std::string_view, 3> kAsked{"/v1/chat/completions", "/v1/completions", "/v1/embeddings"};
  return request.method == "POST" && std::find(kAsked.begin(), kAsked.end(), request.path) != kAsked.end();
}

CallMeter meter_of_unread(Engine& engine, const Config& config, const http::Request& request) {
  std::string model;
  Result<Names> names = Names{};
  const std::string_view object = object_in(request.body);
  if (!object.empty()) {
    const Status whole = check_json(request.body, body_limits(request.body, config), "the body");
    if (whole.ok()) model = json_text(json_member(object, "model")).value_or({});
    names = whole.ok() ? names_in_body(object) : whole.error();
  }
  // Where the names cannot be read nobody is charged.
  const std::string scope = names.ok() ? account_scope(request, *names, config) : std::string();
  CallMeter meter(engine, scope, request.access.name, std::move(model));
  // Pictures and files are no words.
  meter.asked_with([&request, &config] {
    const auto call = parse_call(request.body, config);
    return call.ok() && !call->messages.empty() ? words_of(call->messages) : request.body;
  });
  return meter;
}

void relay_metered(HttpClient& client, HttpRequest request, const ChatCall& call, const CallMeter& meter,
                   http::ResponseWriter& out) {
  RelayHooks hooks;
  hooks.form = call.form;
  hooks.on_end = [&meter](const RelayEnd& end) { meter.end(end); };
  relay(client, std::move(request), out, hooks);
}

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestName = 200;  // of a model, which the client names

std::string name_of(const ChatCall& call) {
  return TraceSpan::open() == nullptr ? std::string() : "chat " + call.model.substr(0, kLongestName);
}

// "http://host:port" in two.
void set_server(TraceSpan& span, const std::string& url) {
  std::string_view server(url);
  const std::string shown = server_of(std::string(server));
  server = shown;
  const bool secure = server.starts_with("https://");
  if (const auto mark = server.find("://"); mark != std::string_view::npos) server.remove_prefix(mark + 3);
  const auto colon = server.rfind(':');
  const bool has_port = colon != std::string_view::npos && server.find(']', colon) == std::string_view::npos;
  std::int64_t port = secure ? 443 : 80;
  if (has_port) std::from_chars(server.data() + colon + 1, server.data() + server.size(), port);
  span.set("server.address", std::string(server.substr(0, has_port ? colon : server.size())));
  span.set("server.port", port);
}

void set_number(TraceSpan& span, const char* key, std::string_view body, const char* field) {
  const std::string_view text = json_member(body, field);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && !text.empty() && end == text.data() + text.size()) span.set(key, value);
}

Json as_json(const Message& message) {
  Json parts = Json::array();
  if (message.role == Role::kTool)
    parts.push_back({{"type", "tool_call_response"}, {"id", message.tool_call_id}, {"response", message.content}});
  else if (!message.content.empty())
    parts.push_back({{"type", "text"}, {"content", message.content}});
  for (const ToolCall& call : message.tool_calls)
    parts.push_back({{"type", "tool_call"}, {"id", call.id}, {"name", call.name}, {"arguments", call.arguments}});
  return {{"role", to_string(message.role)}, {"parts", std::move(parts)}};
}

}  // namespace

ModelSpan::ModelSpan(const ChatCall& call, const std::string& url) : span_(name_of(call), SpanKind::kClient) {
  if (!span_.on()) return;
  span_.set("gen_ai.operation.name", "chat");
  span_.set("gen_ai.provider.name", call.form == WireForm::kAnthropic ? "anthropic" : "openai");
  span_.set("gen_ai.request.model", call.model.substr(0, kLongestName));
  for (const char* field : {"max_completion_tokens", "max_tokens", "max_output_tokens"})
    set_number(span_, "gen_ai.request.max_tokens", call.body, field);
  span_.set("weft.stream", call.stream);
  set_server(span_, url);
}

void ModelSpan::tell_input(const std::vector<Message>& messages) {
  Json list = Json::array();
  for (const Message& message : messages) list.push_back(as_json(message));
  span_.set("gen_ai.input.messages", write_json(list));
}

void ModelSpan::tell_output(const Message& reply) {
  if (!span_.takes_content()) return;
  Json list = Json::array();
  list.push_back(as_json(reply));
  span_.set("gen_ai.output.messages", write_json(list));
}

void ModelSpan::end(int status, const ReplyCounts& counts) {
  if (!span_.on()) return;
  if (status > 0) span_.set("http.response.status_code", std::int64_t{status});
  if (status == 0 || status >= 400) {
    span_.set("error.type", status == 0 ? std::string("unavailable") : std::to_string(status));
    span_.fail(status == 0 ? "no answer came" : "the server refused the call");
  }
  if (!counts.model.empty()) span_.set("gen_ai.response.model", counts.model);
  if (!counts.finish.empty()) span_.set("gen_ai.response.finish_reasons", std::vector<std::string>{counts.finish});
  if (counts.input_tokens >= 0) span_.set("gen_ai.usage.input_tokens", counts.input_tokens);
  if (counts.output_tokens >= 0) span_.set("gen_ai.usage.output_tokens", counts.output_tokens);
}

}  // namespace weft::proxy
