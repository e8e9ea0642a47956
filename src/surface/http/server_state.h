#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_set>
#include <vector>

#include "surface/http/answer.h"
#include "surface/http/places.h"
#include "surface/http/server.h"
#include "surface/http/tls_context.h"
#include "surface/http/worker_pool.h"

namespace weft::http {

class Connection;

/// What the connections of one server share.
struct ServerState : std::enable_shared_from_this<ServerState> {
  ServerState(ServerOptions o, Handler h) : options(std::move(o)), handler(std::move(h)), places(options.places) {}

  Status listen();
  void accept_next();
  void accepted(const boost::system::error_code& error, boost::asio::ip::tcp::socket socket);
  void take(boost::asio::ip::tcp::socket socket);
  /// Closes a connection to make room for another, unless it has a request meanwhile.
  void make_room(Places::Id connection);
  void leave(Connection* connection);  ///< called by a connection when it ends
  std::vector<std::shared_ptr<Connection>> living();
  /// Waits until no connection is left. False when the time was up before.
  bool wait_for_end(std::chrono::milliseconds limit);
  /// Ends what was cancelled when the threads stopped: a handler that never runs would hold this state for ever, which
  /// owns the queue in which that handler stands.
  void run_what_is_left();

  const ServerOptions options;
  const Handler handler;
  std::unique_ptr<TlsContext> tls;  // null: plain HTTP
  boost::asio::io_context io;
  boost::asio::ip::tcp::acceptor acceptor{boost::asio::make_strand(io)};  // its handlers run one after the other
  boost::asio::steady_timer pause{acceptor.get_executor()};
  Places places;
  std::unique_ptr<Listeners> listeners;
  std::unique_ptr<WorkerPool> pool;
  std::vector<std::thread> io_threads;
  std::optional<boost::asio::executor_work_guard<boost::asio::io_context::executor_type>> keep_running;
  std::atomic<bool> draining{false};
  std::atomic<std::uint16_t> port{0};

  std::mutex mutex;
  std::condition_variable changed;
  std::unordered_set<Connection*> connections;  // with those that are only told that there is no place
};

}  // namespace weft::http
