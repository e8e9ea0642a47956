#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/deadline.h"
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

}  // namespace weft
