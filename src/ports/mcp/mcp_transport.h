#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "ports/net/http_client.h"
#include "weft/result.h"

namespace weft {

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
