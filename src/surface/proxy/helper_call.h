#pragma once

#include <string_view>

#include "surface/proxy/request.h"

namespace weft::proxy {

/// What a chat client wants where it makes a call for itself, which nobody said and nobody will read in the chat:
/// "title", "tags", "follow_ups", "search", "emoji", "image", "completion", "tools", "command", "page", "speaker",
/// "merge", "topic", "prompt", "summary", or "probe" for a call that only asks whether the model is there. Empty where
/// somebody said what the call holds.
///
/// A helper call is known by its shape, in English and Chinese (`lexicon/*/client_calls.txt`): it asks for one of these
/// of a conversation, in the way programs do: with bounds on the answer ("5 words or less", "nothing else", JSON), in a
/// template with headings or elements, over a history with the roles of an API, or with a system prompt that is the
/// order itself. Several of these signs must come together, and what a person says of themselves ("for me", 帮我)
/// speaks against it. A message with which a chat goes on, after a helper call or any other, is none.
std::string_view helper_kind(const ChatCall& call);

}  // namespace weft::proxy
