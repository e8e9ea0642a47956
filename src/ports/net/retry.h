#pragma once

#include <chrono>
#include <functional>

#include "base/deadline.h"
#include "ports/net/http_client.h"
#include "weft/result.h"

namespace weft {

/// How often and after what wait a call is repeated.
struct RetryPolicy {
  std::int64_t retries = 2;                             ///< further attempts after the first
  std::chrono::milliseconds first_wait{500};            ///< before the second attempt; doubled at each further one
  std::chrono::milliseconds longest_wait{20000};
  std::chrono::milliseconds longest_retry_after{
      60000};  ///< a server that asks for more patience has its answer passed on

  /// In [0, 1): spreads the waits between half and all of their length. Called from many threads. Default: random.
  std::function<double()> random;

  /// Waits, and ends early when the deadline passes or is cancelled. Called from many threads. Default: sleeps.
  std::function<void(std::chrono::milliseconds, const Deadline&)> sleep;
};

/// Whether a status says that the same request may work later: 429, 500, 502, 503, 504.
bool is_retryable(int status);

/// The wait before attempt `attempt` + 1 (the first has number 1).
std::chrono::milliseconds backoff(const RetryPolicy& policy, int attempt);

/// Sleeps until the time is over, the deadline passes or it is cancelled.
void sleep_for(std::chrono::milliseconds time, const Deadline& deadline);

/// Waits before attempt `attempt` + 1. False, at once, where attempts are used up or the wait would end behind the
/// deadline.
bool wait_for_retry(const RetryPolicy& policy, int attempt, const Deadline& deadline);

/// `HttpClient::send`, repeated where the server could not be reached or answered with a retryable status;
/// `Retry-After` is honoured. What the last attempt gave is the result. `attempts`, if given, gets their number. Safe
/// from any thread.
Result<HttpResponse> send_with_retry(HttpClient& client, const HttpRequest& request, const Deadline& deadline,
                                     const RetryPolicy& policy, int* attempts = nullptr);

/// `HttpClient::stream`, repeated likewise, but never after the sink was called. An answer of status 400 or more does
/// not reach the sink: it is returned with its body (the first 64 KiB).
Result<HttpResponse> stream_with_retry(HttpClient& client, const HttpRequest& request, const Deadline& deadline,
                                       const RetryPolicy& policy, const HttpSink& sink, int* attempts = nullptr);

}  // namespace weft
