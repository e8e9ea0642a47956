#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "surface/http/exchange.h"
#include "weft/result.h"

namespace weft::http {

/// How many connections there may be, in all and of one caller. None may be zero but `spare`.
struct PlaceLimits {
  std::size_t connections = 1024;
  std::size_t spare = 16;       ///< further ones, for whoever looks after the server
  std::size_t per_caller = 512;
  std::size_t streams_per_caller = 64;  ///< connections that only listen
};

/// What is said to whom no connection can be given.
Refusal no_place();

/// Who has a connection, so that one caller cannot have them all. Whoever has sent no request yet, or waits for the
/// next one, makes room for others where it is tight, the longest first: only requests at work hold a place for good,
/// and those are counted for whoever asks. Safe from many threads.
class Places {
 public:
  using Id = const void*;  ///< names a connection
  using Clock = std::chrono::steady_clock;

  /// What becomes of a connection that has come.
  struct Arrival {
    bool taken = false;  ///< false: there is no place, not even a spare one
    Id leaves = nullptr;  ///< who is to be closed instead, unless a request of it has come meanwhile (`has_to_leave`)
  };
  /// A request whose head has been read.
  struct Asking {
    std::string caller;  ///< the key, or the address
    bool vital = false;  ///< health and metrics: answered also where the caller finds no place
    bool administrator = false;  ///< served on a spare place, too
  };
  struct Seat {
    std::optional<Refusal> refusal;
    bool once = false;  ///< the connection ends with the answer
  };

  explicit Places(PlaceLimits limits) : limits_(limits) {}

  Arrival arrive(Id id, Clock::time_point now = Clock::now());
  /// 429 where the caller has too many connections, 503 where the server is full.
  Seat serve(Id id, const Asking& asking);
  /// The request that is served only listens from now on, until `rest`. 429 where its caller has too many of those.
  std::optional<Refusal> listen(Id id);
  /// The request is answered: the connection waits for the next one.
  void rest(Id id, Clock::time_point now = Clock::now());
  bool has_to_leave(Id id) const;
  void leave(Id id);

  /// Connections that listen, for metrics and tests.
  std::size_t listening() const;

 private:
  struct Held {
    Clock::time_point since;
    std::string caller;
    bool resting = true, spare = false, listening = false, leaving = false;
  };
  struct Counts {
    std::size_t connections = 0, streams = 0;
  };

  Id longest_resting() const;
  std::size_t present() const { return held_.size() - leaving_; }
  void belong_to(Held& held, const std::string& caller);
  void stop_listening(Held& held);
  void forget_if_gone(const std::string& caller);
  void stay(Held& held);

  const PlaceLimits limits_;
  mutable std::mutex mutex_;
  std::unordered_map<Id, Held> held_;
  std::unordered_map<std::string, Counts> callers_;
  std::size_t leaving_ = 0, spare_ = 0, listening_ = 0;
};

/// Bounds and places of a server.
struct ServerOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;  ///< 0: a free one
  std::size_t io_threads = 2;
  std::size_t workers = 8;  ///< handlers at work at the same time
  std::size_t max_workers = 1024;  ///< with those that wait
  std::size_t max_header_bytes = 64 * 1024;
  std::size_t max_body_bytes = 16 * 1024 * 1024;
  PlaceLimits places = {};  ///< connections; who finds none is answered 503
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
