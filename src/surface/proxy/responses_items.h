#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace weft::proxy
