#include "surface/proxy/local_answer.h"

#include <atomic>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "surface/http/exchange.h"
#include "text/json.h"

namespace weft::proxy {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kModelName = "weft";

/// The envelope of one answer: the same id, time and model on every piece.
class Completion {
 public:
  Completion(const ChatCall& call, const Clock& clock) : call_(call), created_(clock.now().ms / 1000) {
    static std::atomic<std::uint64_t> counter{0};
    id_ = fmt::format("chatcmpl-weft-{}-{}", created_, ++counter);
  }

  std::string whole(const ChatReply& reply) const {
    auto json = envelope("chat.completion");
    json["choices"] = {{{"index", 0}, {"message", message_of(reply.message)}, {"finish_reason", reply.finish_reason}}};
    json["usage"] = usage_of(reply);
    return write_json(json);
  }

  std::string piece(const Json& delta, const Json& finish = nullptr) const {
    auto json = envelope("chat.completion.chunk");
    json["choices"] = {{{"index", 0}, {"delta", delta}, {"finish_reason", finish}}};
    return "data: " + write_json(json) + "\n\n";
  }

  /// Everything after the text: tool calls, the end, the counts where they were asked for, and the mark of the end.
  std::string tail(const ChatReply& reply) const {
    std::string out;
    if (!reply.message.tool_calls.empty()) {
      auto calls = calls_of(reply.message);
      for (std::size_t i = 0; i < calls.size(); ++i) calls[i]["index"] = i;
      out += piece({{"tool_calls", std::move(calls)}});
    }
    out += piece(Json::object(), reply.finish_reason);
    if (call_.include_usage) {
      auto json = envelope("chat.completion.chunk");
      json["choices"] = Json::array();
      json["usage"] = usage_of(reply);
      out += "data: " + write_json(json) + "\n\n";
    }
    return out + "data: [DONE]\n\n";
  }

 private:
  Json envelope(const char* object) const {
    return {{"id", id_},
            {"object", object},
            {"created", created_},
            {"model", call_.model.empty() ? kModelName : std::string_view(call_.model)}};
  }

  static Json usage_of(const ChatReply& reply) {
    return {{"prompt_tokens", reply.prompt_tokens},
            {"completion_tokens", reply.completion_tokens},
            {"total_tokens", reply.prompt_tokens + reply.completion_tokens}};
  }

  static Json calls_of(const Message& message) {
    auto out = Json::array();
    for (const auto& call : message.tool_calls) {
      out.push_back(
          {{"id", call.id}, {"type", "function"}, {"function", {{"name", call.name}, {"arguments", call.arguments}}}});
    }
    return out;
  }

  static Json message_of(const Message& message) {
    Json out = {{"role", "assistant"}};
    out["content"] = message.content.empty() && !message.tool_calls.empty() ? Json(nullptr) : Json(message.content);
    if (!message.reasoning.empty()) out["reasoning_content"] = message.reasoning;
    if (!message.tool_calls.empty()) out["tool_calls"] = calls_of(message);
    return out;
  }

  const ChatCall& call_;
  std::int64_t created_;
  std::string id_;
};

bool begin_stream(http::ResponseWriter& out) {
  out.header("Cache-Control", "no-cache");
  return out.begin(200, "text/event-stream; charset=utf-8");
}

bool has_chinese(std::string_view text) {
  // U+4E00–U+9FFF in UTF-8 begin with E4 to E9.
  return text.find_first_of("\xE4\xE5\xE6\xE7\xE8\xE9") != std::string_view::npos;
}

/// What the call asks of a model, as far as the local one knows it.
ChatRequest chat_request_of(const ChatCall& call, std::vector<Message> messages) {
  ChatRequest out;
  out.messages = std::move(messages);
  const auto body = nlohmann::json::parse(call.body);
  const auto number = [&](const char* name, auto fallback) {
    const auto found = body.find(name);
    return found != body.end() && found->is_number() ? found->get<decltype(fallback)>() : fallback;
  };
  out.temperature = number("temperature", out.temperature);
  out.max_tokens = number("max_completion_tokens", number("max_tokens", out.max_tokens));
  out.seed = number("seed", out.seed);
  if (const auto tools = json_member(call.body, "tools"); tools.starts_with('[')) {
    for (const auto tool : json_elements(tools)) out.tools.emplace_back(tool);
  }
  const auto format = json_member(call.body, "response_format");
  const auto schema = format.starts_with('{') ? json_member(format, "json_schema") : std::string_view();
  if (schema.starts_with('{')) out.json_schema = std::string(json_member(schema, "schema"));
  return out;
}

void report_failure(const Error& error, http::ResponseWriter& out) {
  const int status = http::status_of(error.code) == 413 ? 400 : http::status_of(error.code);
  const auto code = error.code == ErrorCode::kTooLarge ? "context_length_exceeded" : to_string(error.code);
  if (!out.started()) return http::send_openai_error(out, status, error, code);
  out.write("data: " + http::openai_error_json(status, error, code) + "\n\n");
  out.end();
}

}  // namespace

void answer_with_text(const ChatCall& call, std::string_view text, const Clock& clock, http::ResponseWriter& out) {
  const Completion completion(call, clock);
  ChatReply reply;
  reply.message.role = Role::kAssistant;
  reply.message.content = std::string(text);
  reply.finish_reason = "stop";
  if (!call.stream) return out.send(200, "application/json", completion.whole(reply));
  if (!begin_stream(out)) return;
  out.write(completion.piece({{"role", "assistant"}, {"content", text}}) + completion.tail(reply));
  out.end();
}

std::string describe_save(const ChatCall& call, const ObserveReport& report) {
  bool chinese = false;
  for (const auto& message : call.messages)
    chinese = chinese || (message.role == Role::kUser && has_chinese(message.content));
  std::size_t blocks = 0;
  std::int64_t tokens = 0;
  for (const auto& flushed : report.flushed) {
    blocks += flushed.blocks;
    tokens += flushed.tokens;
  }
  const auto topics = report.flushed.size();
  if (topics == 0) return chinese ? "没有新的内容需要保存。" : "There was nothing new to save.";
  if (chinese) return fmt::format("已保存：{} 个话题，{} 轮对话（{} 个词元）。", topics, blocks, tokens);
  return fmt::format("Saved: {} {} with {} {} ({} tokens).", topics, topics == 1 ? "topic" : "topics", blocks,
                     blocks == 1 ? "exchange" : "exchanges", tokens);
}

void answer_with_model(const ChatCall& call, std::vector<Message> messages, ChatModel& model, const Clock& clock,
                       http::ResponseWriter& out, const std::function<void(Message)>& on_reply) {
  const Completion completion(call, clock);
  const auto request = chat_request_of(call, std::move(messages));
  const Deadline deadline(std::nullopt, out.cancel());
  std::function<bool(std::string_view)> on_text = [&](std::string_view text) {
    if (!call.stream) return !out.client_gone();
    if (!out.started() && !(begin_stream(out) && out.write(completion.piece({{"role", "assistant"}, {"content", ""}}))))
      return false;
    return out.write(completion.piece({{"content", text}}));
  };
  const auto reply = model.complete(request, deadline, on_text);
  if (out.client_gone()) return;
  if (!reply.ok()) return report_failure(reply.error(), out);
  on_reply(reply->message);
  if (!call.stream) return out.send(200, "application/json", completion.whole(*reply));
  if (!out.started()) on_text("");
  out.write(completion.tail(*reply));
  out.end();
}

std::string list_models(const Config& config, const ChatModel* local) {
  std::set<std::string> names;
  for (const auto& [name, settings] : config.models) names.insert(settings.model.empty() ? name : settings.model);
  if (local != nullptr) names.insert(local->name());
  auto data = Json::array();
  for (const auto& name : names)
    data.push_back({{"id", name}, {"object", "model"}, {"created", 0}, {"owned_by", "weft"}});
  return write_json(Json{{"object", "list"}, {"data", std::move(data)}});
}

}  // namespace weft::proxy
