#pragma once

#include <string>
#include <vector>

#include "surface/proxy/request.h"

namespace weft::proxy {

/// Reads a body of Anthropic's POST /v1/messages: its system prompt stands as the first message, outputs of tools as
/// messages of their own. It names nobody: `metadata.user_id` tells sessions of a client apart and no people.
Result<ChatCall> parse_anthropic_call(std::string body, const Config& config);

/// The body with other messages, every byte outside of system prompt and messages as it was. Messages that came from
/// the client go as they came; outputs and what the user said with them make one message again.
std::string anthropic_body_with(const ChatCall& call, const std::vector<Message>& messages);

}  // namespace weft::proxy
