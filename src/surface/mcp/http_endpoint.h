#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "surface/http/exchange.h"
#include "surface/mcp/protocol.h"
#include "surface/mcp/rpc.h"
#include "surface/mcp/watcher.h"

namespace weft::mcp {

/// A message as an event of a stream.
std::string event_of(std::string_view message);

/// Messages on their way to the streams of a session: each goes out on one of them, and waits where there is none. Safe
/// from many threads.
class Mailbox {
 public:
  /// Of what nobody fetches the oldest goes.
  static constexpr std::size_t kMost = 1000;

  void put(std::string message);
  /// One more stream, which gets what waits. After `close` it ends at once.
  void attach(std::shared_ptr<http::OpenStream> stream);
  /// Ends the streams.
  void close();

 private:
  bool deliver(const std::string& message);

  std::mutex mutex_;
  std::deque<std::string> messages_;
  std::vector<std::shared_ptr<http::OpenStream>> streams_;  // the newest last
  bool closed_ = false;
};

/// A conversation over HTTP, in revisions with a handshake.
struct HttpSession {
  std::string id;
  std::string owner;  ///< key of the scope that began it: nobody else's requests belong to it
  Pending pending;
  Mailbox mailbox;

  Client client() const;
  void set(const Client& client);
  void set_level(Severity level);

  /// A request that is at work, until `finished` with what was begun: a client that has its answer may use the id again
  /// before. The token tells when it was cancelled.
  std::stop_token begin(const std::string& request);
  void finished(const std::string& request, const std::stop_token& begun);
  void cancel(const std::string& request);
  void cancel_all();

  /// The watcher's number of its subscriptions.
  std::optional<std::uint64_t> listener() const;
  /// Keeps the number, unless another one is there already: gives the one that counts.
  std::uint64_t listen_as(std::uint64_t number);

 private:
  mutable std::mutex mutex_;
  Client client_;
  std::map<std::string, std::stop_source> at_work_;
  std::optional<std::uint64_t> listener_;
};

/// The conversations of one server. Those that nobody has used for long are forgotten, and where
/// there are too many the longest unused of whoever has most. Safe from many threads.
class HttpSessions {
 public:
  static constexpr std::size_t kMost = 256;
  static constexpr std::chrono::minutes kIdle{60};

  /// `gone` is called for each that is forgotten, on whichever thread.
  explicit HttpSessions(std::function<void(HttpSession&)> gone) : gone_(std::move(gone)) {}

  std::shared_ptr<HttpSession> make(const std::string& owner, const Client& client);
  /// Null where there is none of that id, or it is somebody else's.
  std::shared_ptr<HttpSession> find(std::string_view id, const std::string& owner);
  bool remove(std::string_view id, const std::string& owner);

 private:
  using Clock = std::chrono::steady_clock;
  struct Held {
    std::shared_ptr<HttpSession> session;
    Clock::time_point used;
  };
  using Place = std::map<std::string, Held, std::less<>>::iterator;
  Place oldest_of_most();
  std::vector<std::shared_ptr<HttpSession>> take_old();

  const std::function<void(HttpSession&)> gone_;
  std::mutex mutex_;
  std::map<std::string, Held, std::less<>> held_;
};

/// The Model Context Protocol over streamable HTTP, at /mcp. Requests of the stateless revision stand for themselves;
/// clients with a handshake get a session. Answers are JSON, or a stream where something is to be said before the
/// answer. Whose memory is meant say the same headers as everywhere. Who may come in at all has been decided before.
class HttpEndpoint {
 public:
  /// `tools` is offered where an address does not say "?tools=". What is administrative is noted in `audit`, calls of
  /// tools are counted in `meter`; both may be null. Engine, log and meter must outlive it, and it the server that it
  /// answers for.
  HttpEndpoint(Engine& engine, ToolChoice tools, const AuditLog* audit, ToolMeter* meter = nullptr);

  /// It must outlive the router.
  void add_to(http::Router& router);

 private:
  struct Post;
  class Way;

  void post(http::Request& request, http::ResponseWriter& out);
  void get(http::Request& request, http::ResponseWriter& out);
  void remove(http::Request& request, http::ResponseWriter& out);

  void take_stateless(Post& post);
  void take_with_session(Post& post);
  void begin_session(Post& post);
  void take_request(Post& post, HttpSession& session);
  void answer(Post& post, const Client& client, std::stop_token cancel, HttpSession* session);
  void listen(Post& post);
  Reply subscribe(const Post& post, HttpSession& session);

  Protocol protocol_;
  const ToolChoice tools_;
  const AuditLog* const audit_;
  ToolMeter* const meter_;
  Watcher watcher_;
  HttpSessions sessions_;
};

}  // namespace weft::mcp
