#include "surface/proxy/model_span.h"

#include <charconv>
#include <nlohmann/json.hpp>
#include <string_view>

#include "ports/net/http_client.h"
#include "text/json.h"

namespace weft::proxy {
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
