#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "surface/http/errors.h"
#include "surface/http/exchange.h"
#include "surface/http/places.h"
#include "weft/result.h"

namespace weft::http {

/// Bounds and places of a server.
struct ServerOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;                             ///< 0: a free one
  std::size_t io_threads = 2;
  std::size_t workers = 8;                            ///< handlers at work at the same time
  std::size_t max_workers = 1024;                     ///< with those that wait
  std::size_t max_header_bytes = 64 * 1024;
  std::size_t max_body_bytes = 16 * 1024 * 1024;
  PlaceLimits places = {};                            ///< connections; who finds none is answered 503
  std::size_t max_unsent_bytes = 256 * 1024;  ///< of one answer; then `write` waits, and listeners are cut off
  std::chrono::milliseconds header_timeout{30000};  ///< from the beginning of a request to the end of its headers
  std::chrono::milliseconds read_timeout{30000};  ///< nothing received in the middle of a body
  std::chrono::milliseconds keep_alive{30000};  ///< nothing received between two requests
  std::chrono::milliseconds heartbeat{15000};  ///< nothing told on a stream that listens; then a heartbeat is
  std::chrono::milliseconds write_timeout{60000};  ///< nothing taken of an answer
  std::chrono::milliseconds request_timeout{300000};  ///< a whole request, from its first byte to its last
  std::string tls_certificate = {}, tls_key = {};  ///< PEM files; with both the server speaks TLS and nothing else
  /// Decides before a body is read whether the request may go on, and says in it what its key allows.
  std::function<std::optional<Refusal>(Request& head)> admit = {};
  /// Is told of each request that goes no further: with its head as far as it is known, and the bytes of the answer's
  /// body. Called on the socket's threads.
  std::function<void(const Request& head, const Refusal& refusal, std::size_t sent)> refused = {};
};

struct ServerState;

/// An HTTP/1.1 server: a few threads for all sockets, a pool of workers for the handlers.
/// `start` and `stop` are called from one thread; the rest from any.
class Server {
 public:
  /// `handler` must outlive the server.
  Server(ServerOptions options, Handler handler);
  ~Server();  ///< stops at once
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Binds and listens. kUnavailable where the address is taken, kPermission where it may not be bound.
  Status start();

  /// The port that is listened on.
  std::uint16_t port() const;

  /// Takes no more requests, ends the streams that only listen, lets requests in work finish for at most `grace`,
  /// cancels the rest, and ends all connections.
  void stop(std::chrono::milliseconds grace);

  std::size_t connections() const;
  /// Connections that only listen.
  std::size_t listening() const;

 private:
  std::shared_ptr<ServerState> state_;
};

}  // namespace weft::http
