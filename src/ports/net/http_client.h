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

/// Where a streamed answer goes. Called on the thread that called `stream`, in order. Returning false ends the call
/// with kCancelled.
struct HttpSink {
  std::function<bool(const HttpResponse& head)> on_head;
  std::function<bool(std::string_view bytes)> on_bytes;
};

/// Calls other servers. All functions may be called from many threads at once; connections are kept and reused.
class HttpClient {
 public:
  virtual ~HttpClient() = default;

  /// Sends the request and gives the whole answer, whatever its status. kUnavailable when the server cannot be reached
  /// or closes half-way, kTimeout and kCancelled as said, kTooLarge when the answer exceeds 256 MiB.
  virtual Result<HttpResponse> send(const HttpRequest& request, const Deadline& deadline) = 0;

  /// The same, handing the body on as it arrives. The result holds status and headers.
  virtual Result<HttpResponse> stream(const HttpRequest& request, const Deadline& deadline, const HttpSink& sink) = 0;
};

/// The client on libcurl.
std::unique_ptr<HttpClient> make_http_client();

}  // namespace weft
