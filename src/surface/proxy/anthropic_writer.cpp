#include "surface/proxy/anthropic_writer.h"

#include <atomic>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/request_mark.h"
#include "text/json.h"
#include "text/json_lookup.h"

namespace weft::proxy {
namespace {

using Json = nlohmann::ordered_json;

std::int64_t number_of(const Json& value) { return value.is_number_integer() ? value.get<std::int64_t>() : 0; }

std::string_view error_type(int status) {
  switch (status) {
    case 400: return "invalid_request_error";
    case 401: return "authentication_error";
    case 403: return "permission_error";
    case 404: return "not_found_error";
    case 413: return "request_too_large";
    case 429: return "rate_limit_error";
    case 503: return "overloaded_error";
    case 504: return "timeout_error";
    default: return status < 500 ? "invalid_request_error" : "api_error";
  }
}

std::string reason_of(const std::string& finish) {
  if (finish == "length") return "max_tokens";
  if (finish == "tool_calls" || finish == "function_call") return "tool_use";
  return finish == "content_filter" ? "refusal" : "end_turn";
}

std::string fresh_id() {
  static std::atomic<std::uint64_t> counter{0};
  return "msg_weft_" + std::to_string(++counter);
}

// Arguments as the model wrote them; what is no object stands as one all the same.
Json input_of(const std::string& arguments) {
  Json read = lenient_json<Json>(arguments.empty() ? "{}" : arguments);
  return read.is_object() ? read : Json{{"arguments", arguments}};
}

std::string thought_of(const Json& said) {
  const std::string usual = text_of(member(said, "reasoning_content"));
  return usual.empty() ? text_of(member(said, "reasoning")) : usual;
}

Json blocks_of(const Json& said) {
  Json blocks = Json::array();
  if (const auto thought = thought_of(said); !thought.empty())
    blocks.push_back({{"type", "thinking"}, {"thinking", thought}, {"signature", ""}});
  const std::string text = text_of(member(said, "content")) + text_of(member(said, "refusal"));
  if (!text.empty()) blocks.push_back({{"type", "text"}, {"text", text}});
  const Json& calls = member(said, "tool_calls");
  if (!calls.is_array()) return blocks;
  for (const Json& call : calls) {
    const Json& function = member(call, "function");
    blocks.push_back({{"type", "tool_use"},
                      {"id", text_of(member(call, "id"))},
                      {"name", text_of(member(function, "name"))},
                      {"input", input_of(text_of(member(function, "arguments")))}});
  }
  return blocks;
}

std::string message_json(const Json& answer, const std::string& model) {
  const Json& choices = member(answer, "choices");
  const Json choice = choices.is_array() && !choices.empty() ? choices.front() : Json();
  const Json& usage = member(answer, "usage");
  const std::string named = text_of(member(answer, "model"));
  return write_json(Json{{"id", fresh_id()},
                         {"type", "message"},
                         {"role", "assistant"},
                         {"model", named.empty() ? model : named},
                         {"content", blocks_of(member(choice, "message"))},
                         {"stop_reason", reason_of(text_of(member(choice, "finish_reason")))},
                         {"stop_sequence", nullptr},
                         {"usage",
                          {{"input_tokens", number_of(member(usage, "prompt_tokens"))},
                           {"output_tokens", number_of(member(usage, "completion_tokens"))}}}});
}

}  // namespace

std::string anthropic_error_json(int status, std::string_view message) {
  Json told = {{"type", "error"}, {"error", {{"type", error_type(status)}, {"message", message}}}};
  if (auto request = RequestMark::current(); !request.empty()) told["request_id"] = std::move(request);
  return write_json(told);
}

/// The events of a streamed answer, made from OpenAI's pieces as they come.
class AnthropicWriter::Events {
 public:
  explicit Events(std::string model) : model_(std::move(model)) {}

  void take(std::string_view data) {
    if (ended_) return;
    if (data == "[DONE]") return finish();
    const Json chunk = lenient_json<Json>(data);
    if (const Json& error = member(chunk, "error"); !error.is_null()) return fail(text_of(member(error, "message")));
    if (chunk.is_object()) take_chunk(chunk);
  }

  void finish() {
    if (ended_) return;
    ended_ = true;
    if (!begun_) begin(Json());
    close_block();
    event("message_delta", {{"delta", {{"stop_reason", stop_reason_}, {"stop_sequence", nullptr}}},
                            {"usage", {{"input_tokens", input_tokens_}, {"output_tokens", output_tokens_}}}});
    event("message_stop", Json::object());
  }

  /// What is to be sent, which is then forgotten.
  std::string taken() { return std::exchange(text_, {}); }

 private:
  enum class Block { kNone, kText, kThinking, kTool };

  void event(std::string_view type, const Json& rest) {
    Json json = {{"type", type}};
    json.update(rest);
    text_.append("event: ").append(type).append("\ndata: ").append(write_json(json)).append("\n\n");
  }

  void fail(const std::string& message) {
    ended_ = true;
    event("error", {{"error", {{"type", "api_error"}, {"message", message}}}});
  }

  void begin(const Json& chunk) {
    begun_ = true;
    const std::string id = text_of(member(chunk, "id")), model = text_of(member(chunk, "model"));
    event("message_start", {{"message",
                             {{"id", id.empty() ? fresh_id() : "msg_" + id},
                              {"type", "message"},
                              {"role", "assistant"},
                              {"model", model.empty() ? model_ : model},
                              {"content", Json::array()},
                              {"stop_reason", nullptr},
                              {"stop_sequence", nullptr},
                              {"usage", {{"input_tokens", 0}, {"output_tokens", 0}}}}}});
  }

  void take_chunk(const Json& chunk) {
    if (!begun_) begin(chunk);
    if (const Json& usage = member(chunk, "usage"); usage.is_object()) {
      input_tokens_ = number_of(member(usage, "prompt_tokens"));
      output_tokens_ = number_of(member(usage, "completion_tokens"));
    }
    const Json& choices = member(chunk, "choices");
    if (!choices.is_array() || choices.empty()) return;
    const Json& delta = member(choices.front(), "delta");
    take_thought(thought_of(delta));
    take_text(text_of(member(delta, "content")) + text_of(member(delta, "refusal")));
    if (const Json& calls = member(delta, "tool_calls"); calls.is_array())
      for (const Json& call : calls) take_call(call);
    if (const auto reason = text_of(member(choices.front(), "finish_reason")); !reason.empty())
      stop_reason_ = reason_of(reason);
  }

  void take_thought(const std::string& thought) {
    if (thought.empty()) return;
    if (open_ != Block::kThinking) open(Block::kThinking, {{"type", "thinking"}, {"thinking", ""}, {"signature", ""}});
    grow("thinking_delta", "thinking", thought);
  }

  void take_text(const std::string& text) {
    if (text.empty()) return;
    if (open_ != Block::kText) open(Block::kText, {{"type", "text"}, {"text", ""}});
    grow("text_delta", "text", text);
  }

  void take_call(const Json& call) {
    const Json& function = member(call, "function");
    const std::string id = text_of(member(call, "id"));
    const Json& place = member(call, "index");
    const std::int64_t number = place.is_number_integer() ? place.get<std::int64_t>() : tool_ + (id.empty() ? 0 : 1);
    if (open_ != Block::kTool || number != tool_) {
      tool_ = number;
      open(Block::kTool,
           {{"type", "tool_use"}, {"id", id}, {"name", text_of(member(function, "name"))}, {"input", Json::object()}});
    }
    if (const auto more = text_of(member(function, "arguments")); !more.empty())
      grow("input_json_delta", "partial_json", more);
  }

  void open(Block kind, const Json& start) {
    close_block();
    open_ = kind;
    event("content_block_start", {{"index", ++index_}, {"content_block", start}});
  }

  void grow(const char* type, const char* field, const std::string& text) {
    event("content_block_delta", {{"index", index_}, {"delta", {{"type", type}, {field, text}}}});
  }

  void close_block() {
    if (open_ == Block::kNone) return;
    event("content_block_stop", {{"index", index_}});
    open_ = Block::kNone;
  }

  std::string model_, text_;
  Block open_ = Block::kNone;
  std::int64_t index_ = -1;  // of the open block
  std::int64_t tool_ = -1;   // of the server's call that stands in it
  std::string stop_reason_ = "end_turn";
  std::int64_t input_tokens_ = 0, output_tokens_ = 0;
  bool begun_ = false, ended_ = false;
};

AnthropicWriter::AnthropicWriter(http::ResponseWriter& out, std::string model)
    : TranslatingWriter(out), model_(std::move(model)), events_(std::make_unique<Events>(model_)) {}

AnthropicWriter::~AnthropicWriter() = default;

void AnthropicWriter::send(int status, std::string_view, std::string_view body) {
  const Json answer = lenient_json<Json>(body);
  if (status >= 200 && status < 300 && member(answer, "choices").is_array())
    return out_.send(status, "application/json", message_json(answer, model_));
  const Json& error = member(answer, "error");
  std::string message = text_of(error.is_object() ? member(error, "message") : error);
  if (message.empty()) message = text_of(member(answer, "message"));
  if (message.empty()) message = "the model's server answered with " + std::to_string(status);
  const int told = status < 400 ? 502 : status;
  out_.send(told, "application/json", anthropic_error_json(told, message));
}

void AnthropicWriter::take(std::string_view data) { events_->take(data); }
void AnthropicWriter::finish() { events_->finish(); }
std::string AnthropicWriter::taken() { return events_->taken(); }

}  // namespace weft::proxy
