#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "ports/net/http_client.h"
#include "weft/result.h"

namespace weft {

struct ProcessSpec {
  std::vector<std::string> arguments;  ///< the program first; looked up in PATH
  std::vector<std::pair<std::string, std::string>> environment;  ///< beside what this process has
  std::string folder;  ///< to work in; empty: this process's own
};

/// A program that is talked to by lines: what is written goes to its standard input, what it prints comes line by line
/// on a thread of its own. It runs in a process group of its own, and all of that ends with this object. Safe from many
/// threads.
class ChildProcess {
 public:
  struct Listener {
    std::function<void(std::string_view line)> on_line;  ///< of standard output, without the line break
    std::function<void()> on_end;  ///< standard output was closed, or a line was longer than `kLongestLine`
  };

  static constexpr std::size_t kLongestLine = 64 * 1024 * 1024;

  /// kNotFound where there is no such program, kUnavailable where it cannot be started.
  static Result<std::unique_ptr<ChildProcess>> start(const ProcessSpec& spec, Listener listener);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Writes a line; kUnavailable where the program takes nothing any more.
  Status write_line(std::string_view line);

  /// The last of what it said on standard error, for messages.
  std::string last_errors() const;

  /// Closes its input, waits for `patience`, then ends the group: first politely, after the same time for good.
  void stop(std::chrono::milliseconds patience);

 private:
  ChildProcess(int process, int input, Listener listener);
  void read_output(int output);
  void read_errors(int errors);

  int process_;
  Listener listener_;
  std::mutex input_mutex_;
  int input_;
  mutable std::mutex errors_mutex_;
  std::string errors_;
  std::mutex stop_mutex_;
  bool stopped_ = false;
  std::thread output_reader_, error_reader_;
};

/// One JSON-RPC message on its way to a server of the Model Context Protocol.
struct McpMessage {
  std::string json;
  std::string id;  ///< JSON of its id; empty: a notification, nothing comes back
  std::vector<std::pair<std::string, std::string>> headers;  ///< that go with it over HTTP
};

/// A way to a server. Safe from many threads: answers find their request by its id.
class McpTransport {
 public:
  /// What a server sends by itself, requests and notifications; gives the JSON to answer with, or nothing.
  using OnMessage = std::function<std::string(std::string_view json)>;

  virtual ~McpTransport() = default;

  /// Sends a request and waits for the answer's JSON. kTimeout and kCancelled as the deadline has it, kUnavailable
  /// where the server is gone, with what it said last. kNotFound: it has forgotten the conversation, which is to begin
  /// anew.
  virtual Result<std::string> ask(const McpMessage& message, const Deadline& deadline) = 0;

  virtual Status tell(const McpMessage& message, const Deadline& deadline) = 0;

  /// Forgets what it knows of the conversation, so that it can begin anew; starts the program again where it has ended.
  virtual Status restart() = 0;
};

/// The server is a program that is talked to on its standard input and output, a message a line.
Result<std::unique_ptr<McpTransport>> open_stdio_transport(std::vector<std::string> command,
                                                           std::vector<std::pair<std::string, std::string>> environment,
                                                           McpTransport::OnMessage on_message);

/// The server is reached by streamable HTTP: each message is a POST, answered by JSON or by a stream of events.
std::unique_ptr<McpTransport> open_http_transport(HttpClient& http, std::string url, HttpHeaders headers,
                                                  McpTransport::OnMessage on_message);

}  // namespace weft
