#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include "surface/http/answer.h"
#include "surface/http/server.h"
#include "surface/http/worker_pool.h"
#include "weft/result.h"

namespace weft::http {

/// The certificate that a server shows, from PEM files. Changed files are taken up within some seconds, so that a
/// renewed certificate needs no restart; ones that cannot be used leave the old in place and are logged. TLS 1.2 at
/// least. Safe from many threads.
class TlsContext {
 public:
  /// kInvalidArgument names the file that cannot be used, and why.
  static Result<std::unique_ptr<TlsContext>> load(std::string certificate, std::string key);

  /// For a connection that begins now, which keeps it.
  std::shared_ptr<boost::asio::ssl::context> current();

 private:
  using Stamp = std::pair<std::filesystem::file_time_type, std::filesystem::file_time_type>;
  TlsContext(std::string certificate, std::string key) : certificate_(std::move(certificate)), key_(std::move(key)) {}
  Result<std::shared_ptr<boost::asio::ssl::context>> read() const;
  Stamp stamp() const;

  const std::string certificate_, key_;
  std::mutex mutex_;
  std::shared_ptr<boost::asio::ssl::context> context_;
  Stamp stamp_;
  std::chrono::steady_clock::time_point looked_;
};

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

/// A client's socket, plain or under TLS, as a stream of Asio's kind: its time limits are those of the socket. One read
/// and one write may be under way; on the socket's strand only.
class ClientStream {
 public:
  using executor_type = boost::beast::tcp_stream::executor_type;
  using ErrorCode = boost::beast::error_code;

  /// With a context the stream speaks TLS, after `async_handshake`.
  ClientStream(boost::asio::ip::tcp::socket socket, std::shared_ptr<boost::asio::ssl::context> tls)
      : tcp_(std::move(socket)), context_(std::move(tls)) {
    if (context_) tls_.emplace(tcp_, *context_);
  }

  executor_type get_executor() { return tcp_.get_executor(); }
  boost::asio::ip::tcp::socket& socket() { return tcp_.socket(); }
  bool encrypted() const { return tls_.has_value(); }

  void expires_after(std::chrono::milliseconds limit) { tcp_.expires_after(limit); }
  void expires_never() { tcp_.expires_never(); }
  void cancel() { tcp_.cancel(); }
  void close() { tcp_.close(); }

  template <class Handler>
  void async_handshake(Handler&& handler) {
    tls_->async_handshake(boost::asio::ssl::stream_base::server, std::forward<Handler>(handler));
  }

  /// Tells the client that nothing more comes.
  template <class Handler>
  void async_shutdown(Handler&& handler) {
    tls_->async_shutdown(std::forward<Handler>(handler));
  }

  template <class Buffers, class Handler>
  void async_read_some(const Buffers& into, Handler&& handler) {
    if (tls_)
      tls_->async_read_some(into, std::forward<Handler>(handler));
    else
      tcp_.async_read_some(into, std::forward<Handler>(handler));
  }

  template <class Buffers, class Handler>
  void async_write_some(const Buffers& from, Handler&& handler) {
    if (tls_)
      tls_->async_write_some(from, std::forward<Handler>(handler));
    else
      tcp_.async_write_some(from, std::forward<Handler>(handler));
  }

 private:
  boost::beast::tcp_stream tcp_;
  std::shared_ptr<boost::asio::ssl::context> context_;
  std::optional<boost::asio::ssl::stream<boost::beast::tcp_stream&>> tls_;
};

/// One client's socket: reads a request, has it answered by a worker, sends the answer, and begins again. Everything
/// but the public functions runs on the strand of its socket. While a request is being answered the socket is read on,
/// to see at once when the client leaves; what a client sends ahead is kept for the next request, within a limit.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(std::shared_ptr<ServerState> server, boost::asio::ip::tcp::socket socket);
  ~Connection();

  void start();

  /// Instead of `start`: says that there is no place, and ends.
  void turn_away();

  /// Ends the connection if it still has to make room for another. From any thread.
  void make_room();

  /// Ends the connection now if it waits for a request, else after the answer. From any thread.
  void drain();

  /// Ends the connection now; who answers is told that the client is gone. From any thread.
  void kill();

 private:
  using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;
  using ErrorCode = boost::beast::error_code;

  void wait_for_request();
  void read_head();
  void on_head(const ErrorCode& error);
  bool admit();
  void send_continue();
  void read_body();
  void refuse_read(const ErrorCode& error);
  void refuse(const Refusal& refusal);

  void answer(Request request);
  void watch_client();
  void on_watched(const ErrorCode& error, std::size_t bytes);

  void pump();
  void write_some();
  void on_written(const ErrorCode& error, std::size_t bytes);
  void answered(Outbox::End end);
  void linger();
  void close();
  void drop();

  std::shared_ptr<ServerState> server_;
  ClientStream stream_;
  boost::beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  Request head_;  // as it was admitted
  std::chrono::steady_clock::time_point read_until_;  // for the whole of a request
  std::shared_ptr<Outbox> outbox_;
  std::string writing_;
  std::size_t written_ = 0;
  std::size_t discarded_ = 0;
  std::shared_ptr<Connection> held_;  // itself, while a request is answered and no read or write may be under way
  bool keep_alive_ = true;
  bool busy_ = false;  // a request is being answered
  bool watching_ = false;  // a read is under way while answering
  bool resume_ = false;  // the answer is out, the next request waits for that read to end
  bool refusing_ = false;  // the rest of the request is not wanted
  bool secured_ = false;  // the TLS handshake is done
  bool closed_ = false;
};

}  // namespace weft::http
