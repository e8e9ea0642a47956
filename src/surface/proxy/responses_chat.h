#pragma once

#include "surface/proxy/request.h"

namespace weft::proxy {

/// A call of the Responses API, with what led to it put before, as one of chat completions: instructions, messages with
/// images and files, function calls and their outputs, functions on offer, what is asked of the answer. Thoughts of the
/// model have no place there and are left out, and so is what concerns only who keeps the answer (`include`,
/// `truncation`, `metadata`). kInvalidArgument, naming the field, for what only a server of the Responses API can do:
/// its own tools, conversations and prompts that it keeps, answers in the background.
Result<ChatCall> chat_call_of(const ChatCall& call, const Config& config);

}  // namespace weft::proxy
