#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "ports/net/http_client.h"
#include "surface/http/exchange.h"
#include "surface/proxy/chat_answer.h"
#include "surface/proxy/request.h"
#include "weft/message.h"

namespace weft::proxy {

/// What became of a call of the upstream.
struct RelayEnd {
  int status = 0;       ///< the upstream's; 0: none came
  std::string outcome;  ///< "answered", or how it failed, by a stable word: see `outcome_of`
  ReplyCounts counts;   ///< what the upstream said of its answer
  std::string_view text = {};       ///< of the answer, as far as it came, where nobody told its tokens; only during
                                    ///< the call
  double seconds = 0;               ///< from the call to the end
  double first_token_seconds = -1;  ///< to the first piece of a streamed answer; -1: none came
};

/// How a call of the upstream ended, for metrics: by its status, 0 where there is none, and by what went wrong on the
/// line.
std::string outcome_of(int status, const Status& line);

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
  /// Called once, when all is over.
  std::function<void(const RelayEnd& end)> on_end = {};
};

/// Sends a request to the upstream and passes its answer on: status, headers and every byte as they come, a stream of
/// events line by line. Failures are answered in the client's form: 502 where the upstream cannot be reached, 504 where
/// it hangs; within a stream by an event with the error. When the client leaves, the upstream is cancelled.
void relay(HttpClient& client, HttpRequest request, http::ResponseWriter& out, const RelayHooks& hooks);

}  // namespace weft::proxy
