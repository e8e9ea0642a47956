#pragma once

#include <string>
#include <string_view>

#include "weft/message.h"
#include "weft/result.h"

namespace weft::proxy {

/// A body of Anthropic's POST /v1/messages as one of POST /v1/chat/completions: system prompt, messages with images,
/// tool calls and outputs, tools, what is asked of the answer. What has no place there (cache marks, thinking budgets,
/// tools that run at Anthropic's) is left out, and so is `metadata`, whose user_id tells sessions apart and no people.
/// kInvalidArgument names the field that cannot be read.
Result<std::string> chat_body_of(std::string_view body, const MessageLimits& limits);

}  // namespace weft::proxy
