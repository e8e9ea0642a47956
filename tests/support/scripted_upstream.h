#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace weft {

/// A request that the scripted server received.
struct SeenRequest {
  std::string method, path;
  std::vector<std::pair<std::string, std::string>> headers;  ///< names in lower case
  std::string body;

  /// A header's value, empty where it was not sent. `name` in lower case.
  std::string header(std::string_view name) const;
};

/// One answer of the script.
struct ScriptedAnswer {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers;
  std::vector<std::string> parts;             ///< of the body, in order
  std::chrono::milliseconds pause{0};         ///< before each part but the first
  bool chunked = false;                       ///< chunked transfer instead of a content length
  bool hang = false;  ///< answers nothing more after the parts until the client goes or the server ends
  bool silent = false;  ///< with `hang`: not even a head
  bool cut = false;  ///< closes after the parts although more is promised
  bool refuse = false;  ///< closes at once

  static ScriptedAnswer json(std::string body, int status = 200);
  /// A stream of events, one part each; `data: [DONE]` comes last where `done`.
  static ScriptedAnswer sse(const std::vector<std::string>& data, bool done = true,
                            std::chrono::milliseconds pause = {});
  static ScriptedAnswer hanging();  ///< takes the request and stays silent
  static ScriptedAnswer closing();  ///< takes the request and closes
  static ScriptedAnswer half(std::string body);  ///< sends this part of a longer body and closes
  ScriptedAnswer with(std::string name, std::string value) &&;  ///< the same with a further header
};

/// An HTTP server on a free port of this machine, in threads of its own, that answers by script and records what it was
/// asked. The answers queued with `then` come first, one a request; after them `always`, else 500. Safe from any
/// thread.
class ScriptedUpstream {
 public:
  ScriptedUpstream();
  ~ScriptedUpstream();
  ScriptedUpstream(const ScriptedUpstream&) = delete;
  ScriptedUpstream& operator=(const ScriptedUpstream&) = delete;

  std::string root() const { return "http://127.0.0.1:" + std::to_string(port_); }
  std::string url() const { return root() + "/v1"; }  ///< as OpenAI-compatible clients want it
  std::uint16_t port() const { return port_; }

  ScriptedUpstream& then(ScriptedAnswer answer);
  ScriptedUpstream& always(ScriptedAnswer answer);
  /// Answers by code, called on the server's threads, after the queued answers.
  ScriptedUpstream& always(std::function<ScriptedAnswer(const SeenRequest&)> handler);

  std::vector<SeenRequest> requests() const;
  bool wait_for_requests(std::size_t count, std::chrono::milliseconds limit = std::chrono::seconds(10)) const;
  int connections() const { return connections_; }

  /// How many clients went away before their answer was complete.
  int disconnects() const { return disconnects_; }
  bool wait_for_disconnects(int count, std::chrono::milliseconds limit = std::chrono::seconds(10)) const;

 private:
  void accept_loop();
  void serve(int socket);
  bool read_request(int socket, std::string& buffer, SeenRequest& request) const;
  ScriptedAnswer next_answer(const SeenRequest& request);
  bool write_answer(int socket, const ScriptedAnswer& answer);
  bool write_all(int socket, std::string_view bytes);
  bool idle(int socket, std::chrono::milliseconds time);

  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<bool> ending_ = false;
  std::atomic<int> connections_ = 0, disconnects_ = 0;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::deque<ScriptedAnswer> queue_;
  std::function<ScriptedAnswer(const SeenRequest&)> handler_;
  std::vector<SeenRequest> requests_;
  std::vector<std::thread> workers_;
  std::thread acceptor_;
};

}  // namespace weft
