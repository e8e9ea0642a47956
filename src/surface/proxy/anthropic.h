#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "surface/proxy/chat_answer.h"
#include "surface/proxy/request.h"
#include "weft/message.h"
#include "weft/result.h"

namespace weft::proxy {

/// A body of Anthropic's POST /v1/messages as one of POST /v1/chat/completions: system prompt, messages with images and
/// documents, tool calls and outputs, tools, what is asked of the answer. What has no place there is left out: cache
/// marks, thinking budgets, `metadata`, whose user_id tells sessions apart and no people, and, counted in `left_out`,
/// tools that run at Anthropic's, what they did, and files that are kept there. Outputs of tools may hold images: see
/// `with_media_behind`. kInvalidArgument names the field that cannot be read.
Result<std::string> chat_body_of(std::string_view body, const MessageLimits& limits, LeftOut& left_out);

/// A body of POST /v1/chat/completions as servers take it, where outputs of tools are text alone: images and files of
/// outputs stand in a message of the user behind them, before what the user says next.
std::string with_media_behind(std::string body);

/// Reads a body of Anthropic's POST /v1/messages: its system prompt stands as the first message, outputs of tools as
/// messages of their own. It names nobody: `metadata.user_id` tells sessions of a client apart and no people.
Result<ChatCall> parse_anthropic_call(std::string body, const Config& config);

/// The body with other messages, every byte outside of system prompt and messages as it was. Messages that came from
/// the client go as they came; outputs and what the user said with them make one message again.
std::string anthropic_body_with(const ChatCall& call, const std::vector<Message>& messages);

/// {"type":"error","error":{"type","message"}}, as Anthropic's clients read it.
std::string anthropic_error_json(int status, std::string_view message);

/// Takes an answer of POST /v1/chat/completions, whole or streamed, or an error of it, and hands it on as one of
/// Anthropic's POST /v1/messages. `out` must outlive it. For one thread.
class AnthropicWriter final : public TranslatingWriter {
 public:
  /// `model` stands in the answer where the server names none.
  AnthropicWriter(http::ResponseWriter& out, std::string model);
  ~AnthropicWriter() override;

  void send(int status, std::string_view content_type, std::string_view body) override;

 private:
  class Events;

  void take(std::string_view data) override;
  void finish() override;
  std::string taken() override;

  std::string model_;
  std::unique_ptr<Events> events_;
};

}  // namespace weft::proxy
