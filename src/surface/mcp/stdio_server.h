#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "surface/http/worker_pool.h"
#include "surface/mcp/protocol.h"
#include "surface/mcp/rpc.h"
#include "surface/mcp/watcher.h"

namespace weft::mcp {

/// How a server on a pair of streams is set up.
struct StdioOptions {
  RequestContext context;  ///< whose memory
  SessionId session;
  ToolChoice tools;
  JsonLimits limits;
  Asker asker = {};  ///< whoever runs the program; its log must outlive the server
};

/// A client on standard input and output, a message a line. Requests are worked off side by side; answers come in the
/// order in which they are ready. Which revision is spoken each message says: one with `_meta` of the stateless
/// revision speaks for itself, `initialize` begins a conversation.
class StdioServer {
 public:
  /// `write` takes whole lines without their end, from one thread at a time.
  StdioServer(Protocol& protocol, StdioOptions options, std::function<void(const std::string&)> write);
  ~StdioServer();  ///< see `end`

  /// Takes one line. Called from one thread.
  void take(std::string_view line);

  /// The input has ended: what is at work has a moment to finish, then it is cancelled.
  void end();

 private:
  class Way;
  struct Conversation {
    Client client;
    std::optional<std::uint64_t> listener;  ///< its number with the watcher, of subscriptions
  };

  void send(const std::string& message);
  void reply(const std::string& id, const Reply& reply);
  void take_request(RpcMessage message);
  void take_one(std::string_view line);
  void take_notification(const RpcMessage& message);
  bool answered_at_once(const RpcMessage& message);
  Reply set_level(const Value& params);
  Reply subscribe(const std::string& method, const Value& params);
  void listen(const RpcMessage& message);
  void work_off(const RpcMessage& message, const Client& client, std::stop_token cancel);
  void finished(const std::string& id);
  void cancel(const std::string& id);
  Client conversation() const;

  Protocol& protocol_;
  const StdioOptions options_;
  const std::function<void(const std::string&)> write_;
  std::mutex write_mutex_;
  mutable std::mutex mutex_;  ///< of what follows
  Conversation conversation_;
  std::map<std::string, std::stop_source> at_work_;         ///< by the JSON of the id
  std::map<std::string, std::uint64_t> streams_;            ///< subscriptions/listen, likewise
  std::condition_variable idle_;
  bool ended_ = false;
  Pending pending_;
  Watcher watcher_;
  std::unique_ptr<http::WorkerPool> pool_;
};

}  // namespace weft::mcp
