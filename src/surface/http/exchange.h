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

#include "base/strings.h"
#include "surface/access/access.h"
#include "weft/result.h"

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

/// Hands an answer on as it is; who looks at it or changes it on its way derives from this. `out` must outlive it.
class PassingWriter : public ResponseWriter {
 public:
  explicit PassingWriter(ResponseWriter& out) : out_(out) {}

  void header(std::string_view name, std::string_view value) override { out_.header(name, value); }
  void send(int status, std::string_view content_type, std::string_view body) override {
    out_.send(status, content_type, body);
  }
  bool begin(int status, std::string_view content_type) override { return out_.begin(status, content_type); }
  bool write(std::string_view bytes) override { return out_.write(bytes); }
  void end() override { out_.end(); }
  std::shared_ptr<OpenStream> stay_open(Listening how) override { return out_.stay_open(std::move(how)); }
  bool started() const override { return out_.started(); }
  std::stop_token cancel() const override { return out_.cancel(); }
  void while_waiting(const std::function<void()>& wait) override { out_.while_waiting(wait); }

 protected:
  ResponseWriter& out_;
};

/// What a client was answered that asked for a stream which stays open; 0: nothing.
inline int status_of_stream(const std::shared_ptr<OpenStream>& stream, const ResponseWriter& out) {
  constexpr int kOk = 200, kTooMany = 429;
  return stream != nullptr ? kOk : out.started() ? kTooMany : 0;
}

/// Keeps an answer, whole or streamed, instead of sending it: for who runs an operation within the program.
class KeptAnswer final : public ResponseWriter {
 public:
  /// `cancel` stands for the client that goes away.
  explicit KeptAnswer(std::stop_token cancel = {}) : cancel_(std::move(cancel)) {}

  void header(std::string_view, std::string_view) override {}
  void send(int code, std::string_view, std::string_view text) override {
    status = code;
    body = text;
  }
  bool begin(int code, std::string_view) override {
    status = code;
    return !client_gone();
  }
  bool write(std::string_view bytes) override {
    body += bytes;
    return !client_gone();
  }
  void end() override {}
  bool started() const override { return status != 0; }
  std::stop_token cancel() const override { return cancel_; }

  int status = 0;  ///< 0: nothing was answered
  std::string body;

 private:
  std::stop_token cancel_;
};

/// The head of a request as handlers get it. `Message` is a request of Beast, which stays out of this header; its body
/// is left where it is.
template <class Message>
Request request_of(const Message& message) {
  Request out;
  out.method = std::string(message.method_string());
  const std::string_view target(message.target().data(), message.target().size());
  const auto mark = target.find('?');
  out.path = std::string(target.substr(0, mark));
  if (mark != std::string_view::npos) out.query_text = std::string(target.substr(mark + 1));
  out.query = parse_query(out.query_text);
  for (const auto& field : message) {
    out.headers.emplace_back(lowered({field.name_string().data(), field.name_string().size()}),
                             std::string(field.value()));
  }
  return out;
}

/// The HTTP status that a failure is answered with.
int status_of(ErrorCode code);

/// {"error":{"code","message","hint"}}, with "request_id" where the thread works for a request, see `CallContext`.
std::string error_json(const Error& error);

/// {"error":{"message","type","param","code"}}, as OpenAI's clients read it, with "request_id" likewise. `code` stands
/// for the error's own name.
std::string openai_error_json(int status, const Error& error, std::string_view code = {});

/// Sends the error with its status.
void send_error(ResponseWriter& out, const Error& error);

/// Sends the error in OpenAI's form.
void send_openai_error(ResponseWriter& out, int status, const Error& error, std::string_view code = {});

/// Which of the two forms a path answers with.
bool speaks_openai(std::string_view path);

/// Why a request goes no further.
struct Refusal {
  int status = 403;
  Error error;
  Headers headers = {};  ///< of the answer
  std::string_view reason = "malformed";  ///< one of few words, for metrics
};

/// Finds the handler of a request by method and path. Filled before the server starts, then only read.
class Router {
 public:
  /// `pattern` is a path whose segments may be parameters: "/v1/sessions/{id}/messages".
  void add(std::string_view method, std::string_view pattern, Handler handler);

  /// Every path as "METHOD /pattern", in the order they were added.
  std::vector<std::string> paths() const;

  /// The pattern of a request's path; empty where no path is like it.
  std::string pattern_of(const Request& request) const;

  /// Calls the handler, with the path's parameters in `request.params`. Answers 404 for an unknown path and 405, with
  /// Allow, for a known one with another method. HEAD is answered as GET is.
  void dispatch(Request& request, ResponseWriter& out) const;

 private:
  struct Route {
    std::string method, pattern;
    std::vector<std::string> segments;
    Handler handler;
  };

  std::vector<Route> routes_;
};

}  // namespace weft::http
