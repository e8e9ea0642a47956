#include "ports/chat/openai_wire_chat.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "ports/net/openai_wire.h"
#include "text/json.h"
#include "text/utf8.h"

namespace weft::openai {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxToolCalls = 256;

json message_json(const Message& message) {
  json out = {{"role", to_string(message.role)}, {"content", message.content}};
  if (!message.name.empty()) out["name"] = message.name;
  if (!message.tool_call_id.empty()) out["tool_call_id"] = message.tool_call_id;
  if (message.tool_calls.empty()) return out;
  if (message.content.empty()) out["content"] = nullptr;
  for (const ToolCall& call : message.tool_calls) {
    out["tool_calls"].push_back(
        {{"id", call.id}, {"type", "function"}, {"function", {{"name", call.name}, {"arguments", call.arguments}}}});
  }
  return out;
}

// The models that think first take neither a temperature nor "max_tokens".
bool is_thinking_model(std::string_view model) {
  for (const std::string_view family : {"o1", "o3", "o4", "gpt-5"}) {
    if (model.starts_with(family) &&
        (model.size() == family.size() || model[family.size()] == '-' || model[family.size()] == '.'))
      return true;
  }
  return false;
}

void ask_for_schema(json& body, const json& schema, SchemaForm form) {
  if (form == SchemaForm::kJsonSchema) {
    body["response_format"] = {{"type", "json_schema"},
                               {"json_schema", {{"name", "answer"}, {"strict", true}, {"schema", schema}}}};
    return;
  }
  body["response_format"] = {{"type", "json_object"}};
  const std::string wish = "Answer only with one JSON object that matches this JSON schema:\n" +
                           schema.dump(-1, ' ', false, json::error_handler_t::replace);
  body["messages"].push_back({{"role", "system"}, {"content", wish}});
}

// A member's text; empty where it is missing, null or something else. Endpoints differ in what they leave out.
std::string text_at(const json& object, const char* key) {
  if (!object.is_object()) return {};
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::int64_t count_at(const json& object, const char* key) {
  if (!object.is_object()) return 0;
  const auto found = object.find(key);
  return found != object.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

std::string reasoning_of(const json& message) {
  std::string text = text_at(message, "reasoning_content");
  return text.empty() ? text_at(message, "reasoning") : text;
}

void read_usage(const json& answer, ChatReply& reply) {
  const auto usage = answer.find("usage");
  if (usage == answer.end() || !usage->is_object()) return;
  reply.prompt_tokens = count_at(*usage, "prompt_tokens");
  reply.completion_tokens = count_at(*usage, "completion_tokens");
}

// The first of "choices", or null.
const json& first_choice(const json& answer) {
  static const json kNone;
  const auto choices = answer.find("choices");
  if (choices == answer.end() || !choices->is_array() || choices->empty() || !(*choices)[0].is_object()) return kNone;
  return (*choices)[0];
}

// Arguments come as a text, from some endpoints as an object.
std::string arguments_of(const json& function) {
  const auto found = function.find("arguments");
  if (found == function.end() || found->is_null()) return {};
  return found->is_string() ? found->get<std::string>() : found->dump(-1, ' ', false, json::error_handler_t::replace);
}

// A piece of a call: the first names it, all bring arguments. Some endpoints leave the index out and send calls whole.
bool add_call(std::vector<ToolCall>& calls, const json& piece) {
  if (!piece.is_object()) return true;
  const std::string id = text_at(piece, "id");
  std::size_t at = calls.empty() || !id.empty() ? calls.size() : calls.size() - 1;
  const auto index = piece.find("index");
  if (index != piece.end() && index->is_number_unsigned()) at = index->get<std::size_t>();
  if (at >= kMaxToolCalls) return false;
  if (at >= calls.size()) calls.resize(at + 1);
  if (!id.empty()) calls[at].id = id;
  const auto function = piece.find("function");
  if (function == piece.end() || !function->is_object()) return true;
  if (calls[at].name.empty()) calls[at].name = text_at(*function, "name");
  calls[at].arguments += arguments_of(*function);
  return true;
}

void drop_empty_calls(ChatReply& reply) {  // an index that was skipped
  std::erase_if(reply.message.tool_calls, [](const ToolCall& call) { return call.name.empty(); });
}

}  // namespace

Result<std::string> chat_body(const ChatRequest& request, const std::string& model, bool streamed, SchemaForm form) {
  json body = {{"model", model}, {"messages", json::array()}};
  for (const Message& message : request.messages) body["messages"].push_back(message_json(message));
  if (is_thinking_model(model)) {
    body["max_completion_tokens"] = request.max_tokens;
  } else {
    body["max_tokens"] = request.max_tokens;
    body["temperature"] = request.temperature;
  }
  if (request.seed != 0) body["seed"] = request.seed;
  for (const std::string& tool : request.tools) {
    json parsed = lenient_json<json>(tool);
    if (!parsed.is_object()) return invalid_argument("a tool of the request is not a JSON object");
    body["tools"].push_back(std::move(parsed));
  }
  if (!request.json_schema.empty()) {
    const json schema = lenient_json<json>(request.json_schema);
    if (!schema.is_object()) return invalid_argument("the answer's schema is not a JSON object");
    ask_for_schema(body, schema, form);
  }
  if (streamed) {
    body["stream"] = true;
    body["stream_options"] = {{"include_usage", true}};
  }
  return body.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<ChatReply> read_chat_answer(std::string_view body) {
  const json answer = lenient_json<json>(body);
  if (!answer.is_object()) return unavailable("the answer is not JSON: " + error_text(body));
  const json& choice = first_choice(answer);
  const auto message = choice.find("message");
  if (!choice.is_object() || message == choice.end() || !message->is_object()) {
    return unavailable("the answer has no message: " + error_text(body));
  }
  ChatReply reply;
  reply.message.role = Role::kAssistant;
  reply.message.content = text_at(*message, "content");
  reply.message.reasoning = reasoning_of(*message);
  reply.finish_reason = text_at(choice, "finish_reason");
  const auto calls = message->find("tool_calls");
  if (calls != message->end() && calls->is_array()) {
    for (json piece : *calls) {
      if (piece.is_object()) piece["index"] = reply.message.tool_calls.size();
      if (!add_call(reply.message.tool_calls, piece)) return unavailable("the answer calls too many tools");
    }
  }
  drop_empty_calls(reply);
  read_usage(answer, reply);
  return reply;
}

bool ChatAnswerBuilder::fail(Error error) {
  status_ = std::move(error);
  return false;
}

bool ChatAnswerBuilder::take(const std::string& data, const std::function<bool(std::string_view)>& on_text) {
  if (done_) return true;
  if (data == "[DONE]") return done_ = true;
  const json event = lenient_json<json>(data);
  if (!event.is_object()) return fail(unavailable("the stream is broken: " + error_text(data)));
  if (const auto error = event.find("error"); error != event.end() && !error->is_null()) {
    return fail(unavailable("the model server broke off: " + error_text(data)));
  }
  read_usage(event, reply_);
  const json& choice = first_choice(event);
  if (!choice.is_object()) return true;  // the last event has only the usage
  if (std::string reason = text_at(choice, "finish_reason"); !reason.empty()) reply_.finish_reason = std::move(reason);
  const auto delta = choice.find("delta");
  if (delta == choice.end() || !delta->is_object()) return true;
  reply_.message.reasoning += reasoning_of(*delta);
  if (const auto calls = delta->find("tool_calls"); calls != delta->end() && calls->is_array()) {
    for (const json& piece : *calls) {
      if (!add_call(reply_.message.tool_calls, piece)) return fail(unavailable("the answer calls too many tools"));
    }
  }
  const std::string text = text_at(*delta, "content");
  reply_.message.content += text;
  if (!text.empty() && on_text && !on_text(text)) return fail(cancelled("the answer was not wanted any more"));
  return true;
}

ChatReply ChatAnswerBuilder::finish() {
  reply_.message.role = Role::kAssistant;
  drop_empty_calls(reply_);
  if (reply_.finish_reason.empty()) reply_.finish_reason = reply_.message.tool_calls.empty() ? "stop" : "tool_calls";
  return std::move(reply_);
}

}  // namespace weft::openai
