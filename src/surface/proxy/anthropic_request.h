#pragma once

#include <string>
#include <string_view>

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

}  // namespace weft::proxy
