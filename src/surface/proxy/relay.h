#pragma once

#include <functional>

#include "ports/net/http_client.h"
#include "surface/http/exchange.h"
#include "weft/message.h"

namespace weft::proxy {

/// Sends a request to the upstream and passes its answer on: status, headers and every byte as they come, a stream of
/// events line by line. `on_reply`, if given, gets the assistant's message of a complete answer before the client sees
/// the answer's end; an answer that breaks off has none. Failures are answered in OpenAI's form: 502 where the upstream
/// cannot be reached, 504 where it hangs; within a stream by an event with the error. When the client leaves, the
/// upstream is cancelled.
void relay(HttpClient& client, const HttpRequest& request, http::ResponseWriter& out,
           const std::function<void(Message)>& on_reply);

}  // namespace weft::proxy
