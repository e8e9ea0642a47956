#include "surface/proxy/anthropic_writer.h"

#include <atomic>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/request_mark.h"
#include "surface/proxy/chat_answer.h"
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
  if (finish == "tool_calls") return "tool_use";
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

Json blocks_of(const ChatPiece& said) {
  Json blocks = Json::array();
  if (!said.thought.empty()) blocks.push_back({{"type", "thinking"}, {"thinking", said.thought}, {"signature", ""}});
  if (const std::string text = said.text + said.refusal; !text.empty())
    blocks.push_back({{"type", "text"}, {"text", text}});
  for (const CallPiece& call : said.calls)
    blocks.push_back({{"type", "tool_use"}, {"id", call.id}, {"name", call.name}, {"input", input_of(call.arguments)}});
  return blocks;
}

std::string message_json(const Json& answer, const std::string& model) {
  const ChatPiece said = ChatAnswerReader(true).read_whole(answer);
  const Json& usage = member(answer, "usage");
  const std::string named = text_of(member(answer, "model"));
  return write_json(Json{{"id", fresh_id()},
                         {"type", "message"},
                         {"role", "assistant"},
                         {"model", named.empty() ? model : named},
                         {"content", blocks_of(said)},
                         {"stop_reason", reason_of(said.finish)},
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
    for (const CallPiece& call : reader_.rest()) take_call(call);
    close_block();
    const std::string reason = reason_of(finish_word(finish_, reader_.has_calls()));
    event("message_delta", {{"delta", {{"stop_reason", reason}, {"stop_sequence", nullptr}}},
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
    const ChatPiece piece = reader_.read_piece(chunk);
    take_thought(piece.thought);
    take_text(piece.text + piece.refusal);
    for (const CallPiece& call : piece.calls) take_call(call);
    if (!piece.finish.empty()) finish_ = piece.finish;
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

  void take_call(const CallPiece& call) {
    // What comes of a call behind other text has no block any more; it is opened once more rather than lost.
    if (call.begins || open_ != Block::kTool)
      open(Block::kTool, {{"type", "tool_use"}, {"id", call.id}, {"name", call.name}, {"input", Json::object()}});
    if (!call.arguments.empty()) grow("input_json_delta", "partial_json", call.arguments);
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
  ChatAnswerReader reader_{true};
  std::string finish_;
  std::int64_t input_tokens_ = 0, output_tokens_ = 0;
  bool begun_ = false, ended_ = false;
};

AnthropicWriter::AnthropicWriter(http::ResponseWriter& out, std::string model)
    : TranslatingWriter(out), model_(std::move(model)), events_(std::make_unique<Events>(model_)) {}

AnthropicWriter::~AnthropicWriter() = default;

void AnthropicWriter::send(int status, std::string_view, std::string_view body) {
  const Json answer = lenient_json<Json>(body);
  const Json& error = member(answer, "error");
  const Json& choices = member(answer, "choices");
  if (status >= 200 && status < 300 && error.is_null() && choices.is_array() && !choices.empty())
    return out_.send(status, "application/json", message_json(answer, model_));
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
