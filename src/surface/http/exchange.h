#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/percent.h"
#include "surface/access/access.h"

namespace weft::http {

using Headers = std::vector<std::pair<std::string, std::string>>;

/// One request, read completely.
struct Request {
  std::string method;
  std::string path;                           ///< without the query, still percent-encoded
  std::map<std::string, std::string> params;  ///< from the path's pattern, decoded
  std::map<std::string, std::string> query;   ///< decoded; the last of several wins
  std::string query_text;  ///< the query as it came, without its mark, for who passes the request on
  std::string route;       ///< the pattern of the path, once a handler is found ("/v1/sessions/{id}/messages")
  Headers headers;                            ///< names in lower case, in the order they came
  std::string body;
  std::string client;  ///< the address that it came from; empty where it came otherwise
  Access access;       ///< what its key allows
  bool vital = false;  ///< of health or metrics: answered also where the server is full
  std::string caller;  ///< who is counted for it: "key NAME", or "from ADDRESS" where no key was asked for
  std::string id;  ///< by which log and answers name it: the client's (X-Request-Id), else one of the server's

  /// The header's value, or an empty view. `name` in lower case.
  std::string_view header(std::string_view name) const;
};

/// A streamed answer that goes on after its handler has returned: nobody waits for anything on it, whoever has
/// something to tell offers it. All functions may be called from any thread.
class OpenStream {
 public:
  virtual ~OpenStream() = default;

  /// Hands on bytes without waiting. False when the client is gone; one that takes its bytes too slowly is cut off.
  virtual bool offer(std::string_view bytes) = 0;

  /// Ends it behind what was offered.
  virtual void end() = 0;

  /// `tell` is called once, when nothing more can be offered, or at once where that is so already. It may wait.
  virtual void when_over(std::function<void()> tell) = 0;
};

/// How an answer goes on that only tells what happens.
struct Listening {
  std::string content_type;
  std::string heartbeat;      ///< said where nothing else was said for a while
  std::string farewell = {};  ///< the last words, where the server ends it
};

/// The way back to the client: either `send`, or `begin`, any number of `write` and `end`. Used from the handler's
/// thread only. Headers set before `send` or `begin` go with the head.
class ResponseWriter {
 public:
  virtual ~ResponseWriter() = default;

  /// Adds a header. Content-Length, Transfer-Encoding and Connection are the server's business and are ignored here, as
  /// are names and values that cannot stand in a header.
  virtual void header(std::string_view name, std::string_view value) = 0;

  /// Sends a whole answer.
  virtual void send(int status, std::string_view content_type, std::string_view body) = 0;

  /// Begins a streamed answer. False when the client is gone.
  virtual bool begin(int status, std::string_view content_type) = 0;

  /// Hands on bytes of a streamed answer; waits while the client takes them slower than they come. False when the
  /// client is gone or took nothing for too long.
  virtual bool write(std::string_view bytes) = 0;

  /// Ends a streamed answer.
  virtual void end() = 0;

  /// Begins a streamed answer that goes on without this handler, and without a thread. The handler may still `write`,
  /// and does not `end`. Null where that is refused, which then has been answered, or where there is no connection.
  virtual std::shared_ptr<OpenStream> stay_open(Listening) { return nullptr; }

  /// Something has been sent.
  virtual bool started() const = 0;

  /// Is stopped when the client disconnects, or when the server stops and cannot wait any longer.
  virtual std::stop_token cancel() const = 0;
  bool client_gone() const { return cancel().stop_requested(); }

  /// Runs `wait`, which waits for somebody else and needs no processor. Meanwhile another request may take this one's
  /// place among the working threads.
  virtual void while_waiting(const std::function<void()>& wait) { wait(); }
};

/// Answers a request, which is its own to take apart, and may block. Runs on a worker thread; an exception becomes a
/// 500.
using Handler = std::function<void(Request&, ResponseWriter&)>;

using weft::percent_decode;

/// Encodes everything but letters, digits and "-._~".
std::string percent_encode(std::string_view text);

/// Splits "a=1&b=2".
std::map<std::string, std::string> parse_query(std::string_view text);

/// The first name that stands in a query a second time.
std::optional<std::string> repeated_name(std::string_view query);

}  // namespace weft::http
