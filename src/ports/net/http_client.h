#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "weft/result.h"

namespace weft {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
  std::string method = "POST";
  std::string url;
  HttpHeaders headers;
  std::string body;
  std::chrono::milliseconds connect_timeout{10000};
  std::chrono::milliseconds idle_timeout{60000};  ///< with nothing received for so long the call fails with kTimeout
};

struct HttpResponse {
  int status = 0;
  HttpHeaders headers;  ///< names in lower case
  std::string body;     ///< empty where it was streamed
};

/// Where a streamed answer goes. Called on the thread that called `stream`, in order; must not throw. Returning false
/// ends the call with kCancelled.
struct HttpSink {
  std::function<bool(const HttpResponse& head)> on_head;
  std::function<bool(std::string_view bytes)> on_bytes;
};

/// Calls other servers. All functions may be called from many threads at once; connections are kept and reused.
class HttpClient {
 public:
  virtual ~HttpClient() = default;

  /// Sends the request and gives the whole answer, whatever its status; redirects are not followed. kUnavailable when
  /// the server cannot be reached (also within `connect_timeout`) or closes half-way, kTimeout when the deadline passes
  /// or the server falls silent, kCancelled when the caller gives up (at once, also with nothing arriving), kTooLarge
  /// when the answer exceeds 256 MiB, kInvalidArgument for a URL or header that cannot be sent. Messages name the
  /// server, never a key.
  virtual Result<HttpResponse> send(const HttpRequest& request, const Deadline& deadline) = 0;

  /// The same, handing the body on as it arrives. The result holds status and headers.
  virtual Result<HttpResponse> stream(const HttpRequest& request, const Deadline& deadline, const HttpSink& sink) = 0;
};

/// Scheme, host and port of a URL, for messages: without user, password, path and query. "the server" for what is no
/// URL.
std::string server_of(const std::string& url);

/// The client on libcurl. A proxy named in the environment is used, but not for addresses of this machine. Must outlive
/// its calls.
std::unique_ptr<HttpClient> make_http_client();

/// How often and after what wait a call is repeated.
struct RetryPolicy {
  std::int64_t retries = 2;  ///< further attempts after the first
  std::chrono::milliseconds first_wait{500};  ///< before the second attempt; doubled at each further one
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

/// One event of a text/event-stream.
struct SseEvent {
  std::string type;  ///< "message" where the stream names none
  std::string data;  ///< the data lines, joined by LF
  std::string id;  ///< the last id that the stream named, also by an earlier event
};

/// Reads a stream of server-sent events as the HTML standard defines it: lines may end in CR, LF or CRLF, a leading
/// byte order mark is skipped, chunks may be cut anywhere, and an event that the stream ends in the middle of is
/// dropped. Not safe for several threads.
class SseReader {
 public:
  explicit SseReader(std::size_t max_event_bytes = 16 * 1024 * 1024) : max_event_bytes_(max_event_bytes) {}

  /// Takes the next bytes and calls `on_event` for each event they complete. Returns false when an event grows past the
  /// limit: the stream is then unusable, and every further call returns false.
  bool feed(std::string_view bytes, const std::function<void(const SseEvent&)>& on_event);

 private:
  void take_line(std::string_view line, const std::function<void(const SseEvent&)>& on_event);
  void dispatch(const std::function<void(const SseEvent&)>& on_event);
  bool within_limit() { return usable_ = line_.size() + event_.data.size() <= max_event_bytes_; }

  std::size_t max_event_bytes_;
  std::string line_;  // what has come of the current line
  SseEvent event_;
  bool has_data_ = false;
  bool last_was_cr_ = false;  // a LF that follows belongs to the same line end
  bool at_start_ = true;
  bool usable_ = true;
};

}  // namespace weft
