#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "surface/proxy/request.h"
#include "weft/message.h"
#include "weft/result.h"

namespace weft::proxy {

/// Reads the "input" of a call of OpenAI's Responses API, a string or a list of items. What the model gave in one go
/// (thoughts, text, calls) makes one message, as `reply_of_output` makes one of an answer, so that an answer is
/// recognised when it is sent again; outputs of tools are messages by the id of their call. `raw` of a message holds
/// its items exactly as sent, with commas between; of a string it is an item that says the same. Ids of items are left
/// out: servers give the same to different ones. `input` must have passed `check_json`. kInvalidArgument names the item
/// that cannot be read.
Result<std::vector<Message>> read_items(std::string_view input, const MessageLimits& limits);

/// The assistant's message that the "output" of a response is; nothing where it says nothing.
std::optional<Message> reply_of_output(std::string_view output);

/// The items of a message that came in no such form.
std::string items_of(const Message& message);

/// An output of a tool with more text at its end. One that is a picture or a structure stays as it is, and an item of
/// the developer with the text follows it. `raw` is the item.
std::string output_with(std::string_view raw, std::string_view text);

/// What a tool that stands in a namespace is called in chat completions, which know none.
std::string name_in_chat(std::string_view space, std::string_view name);

/// An item of the developer that says this.
std::string developer_item(std::string_view text);

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

/// A call of the Responses API, with what led to it put before, as one of chat completions: instructions, messages with
/// images and files, calls and their outputs, tools on offer, what is asked of the answer. Tools in a namespace and
/// such that take free text become functions (see `ToolNames`). What has no place there is left out: thoughts, what
/// concerns only who keeps the answer (`include`, `truncation`, `metadata`), and, counted in `left_out`, tools that run
/// at the server, what they did, and parts of other kinds. kInvalidArgument, naming the field, for conversations and
/// prompts that the server keeps, and for answers in the background that nobody keeps.
Result<ChatCall> chat_call_of(const ChatCall& call, const Config& config);

/// What a function of a chat completion is in the Responses API, where it is not a function of the same name.
struct ToolName {
  std::string name, space;  ///< with the namespace that it stands in; empty: none
  bool custom = false;  ///< it takes free text, which the function has as its "input"
};
/// Those that a call of the Responses API offers, by the function's name.
using ToolNames = std::map<std::string, ToolName>;
ToolNames tool_names_of(std::string_view body);

}  // namespace weft::proxy
