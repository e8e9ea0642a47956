#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "ports/chat/chat_model.h"
#include "surface/http/exchange.h"
#include "surface/proxy/request.h"
#include "weft/engine.h"

namespace weft::proxy {

/// Answers the call with this text as a model would, streamed or not as the call asks.
void answer_with_text(const ChatCall& call, std::string_view text, const Clock& clock, http::ResponseWriter& out);

/// What is told after /save, in Chinese where the conversation is.
std::string describe_save(const ChatCall& call, const ObserveReport& report);

/// Has a local model answer `messages`, streamed or not as the call asks. `on_reply` gets a complete answer before the
/// client sees its end.
void answer_with_model(const ChatCall& call, std::vector<Message> messages, ChatModel& model, const Clock& clock,
                       http::ResponseWriter& out, const std::function<void(Message)>& on_reply);

/// {"object":"list","data":[…]} of the models that the configuration names, and the local one.
std::string list_models(const Config& config, const ChatModel* local);

}  // namespace weft::proxy
