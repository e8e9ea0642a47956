#pragma once

#include <string>
#include <vector>

#include "surface/proxy/request.h"

namespace weft::proxy {

/// Reads a body of OpenAI's POST /v1/responses: its "instructions" stand as the first message, its "input" behind them
/// (see `read_items`). Fails where the body is no JSON object or names whose memory is meant wrongly.
Result<ChatCall> parse_responses_call(std::string body, const Config& config);

/// Puts what led to a call behind its system prompt: what its server has and the client did not send again.
void put_before(std::vector<Message> held, ChatCall& call);

/// The body with other messages, every byte outside of "instructions" and "input" as it was. What was added to the
/// system prompt goes into the instructions, and where a prompt kept at the server might be replaced by them, into an
/// item of the developer. Items of the client go as they came. What the server has already is not sent.
std::string responses_body_with(const ChatCall& call, const std::vector<Message>& messages);

/// The same for a server that shall not go on from what it has, since that is too long: everything is sent, as items.
std::string detached_body_with(const ChatCall& call, const std::vector<Message>& messages);

}  // namespace weft::proxy
