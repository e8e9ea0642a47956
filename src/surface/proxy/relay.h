#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "ports/net/http_client.h"
#include "surface/http/exchange.h"
#include "surface/proxy/assemble_reply.h"
#include "surface/proxy/request.h"
#include "weft/message.h"

namespace weft::proxy {

/// What is done about an answer on its way. All may be empty.
struct RelayHooks {
  /// Gets the assistant's message of a complete answer before the client sees the answer's end; an answer that breaks
  /// off has none.
  std::function<void(Message)> on_reply = {};
  /// Gets an answer with an error; a request that it gives is sent instead, and the client sees nothing of the first.
  std::function<std::optional<HttpRequest>(int status, std::string_view body)> on_refusal = {};
  /// Called once before anything goes to the client, for headers.
  std::function<void()> before_answer = {};
  /// Gets the body of a whole answer with status 200.
  std::function<void(std::string_view body)> on_body = {};
  WireForm form = WireForm::kOpenAi;  ///< in which failures are told
  /// Called once, when all is over: with the upstream's status (0: none came) and what it said of its answer.
  std::function<void(int status, const ReplyCounts& counts)> on_end = {};
};

/// Sends a request to the upstream and passes its answer on: status, headers and every byte as they come, a stream of
/// events line by line. Failures are answered in the client's form: 502 where the upstream cannot be reached, 504 where
/// it hangs; within a stream by an event with the error. When the client leaves, the upstream is cancelled.
void relay(HttpClient& client, HttpRequest request, http::ResponseWriter& out, const RelayHooks& hooks);

}  // namespace weft::proxy
