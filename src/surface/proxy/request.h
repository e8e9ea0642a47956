#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "surface/api/scope_of_request.h"
#include "weft/config.h"
#include "weft/message.h"
#include "weft/result.h"

namespace weft::proxy {

/// Whose form calls and answers have.
enum class WireForm { kOpenAi, kAnthropic };

/// A body of POST /chat/completions or of POST /messages, taken apart as far as Weft needs it.
struct ChatCall {
  std::string body;                     ///< as the client sent it
  std::size_t messages_begin = 0;       ///< where the value of "messages" stands in `body`
  std::size_t messages_end = 0;
  std::vector<Message> messages;  ///< one for one; `raw` holds each exactly as sent. Empty where they cannot be read
  std::string unreadable;  ///< why they cannot; such a call is passed on and not remembered
  std::string model;
  bool stream = false;
  bool include_usage = false;  ///< a streamed answer ends with the counts of tokens
  Names names;  ///< whom the body names
  WireForm form = WireForm::kOpenAi;
};

/// Reads a call. Fails only where the body is not JSON, or where what it says about whose memory is meant is wrong: the
/// rest is for the model's server to judge.
Result<ChatCall> parse_call(std::string body, const Config& config);

/// The conversation ends with the user's message "/save".
bool asks_to_save(const ChatCall& call);

/// The messages that belong to memory: without "/save" and the answers that Weft itself gave to it.
std::vector<Message> remembered(const std::vector<Message>& messages);

/// The body, in OpenAI's form, with other messages, every byte outside of them as it was. Messages that came from the
/// client go as they came.
std::string body_with(const ChatCall& call, const std::vector<Message>& messages);

}  // namespace weft::proxy
