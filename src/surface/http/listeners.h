#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "surface/http/exchange.h"
#include "surface/http/outbox.h"
#include "weft/result.h"

namespace weft::http {

/// The way from a stream to its connection.
struct StreamEnd {
  std::shared_ptr<Outbox> outbox;
  bool chunked = true;
  std::function<void()> wake;  ///< there is something to send
  std::function<void()> cut;   ///< the client takes too little: its connection is to end now
};

/// The streams of one server whose handlers have returned. One thread for all of them, from the first on: it says the
/// heartbeats, and tells those who feed a stream that it is over. Safe from many threads.
class Listeners {
 public:
  explicit Listeners(std::chrono::milliseconds heartbeat);
  ~Listeners();  ///< as `end`
  Listeners(const Listeners&) = delete;
  Listeners& operator=(const Listeners&) = delete;

  /// Sees to it that there is the thread; kUnavailable where the system gives none. To be called before `add`.
  Status prepare();

  /// Keeps a stream that has begun. After `end` it is over at once.
  std::shared_ptr<OpenStream> add(StreamEnd end, Listening how);

  /// Says farewell on all streams and ends them, and from now on each that comes.
  void end();

  /// Streams that are open.
  std::size_t count() const;

 private:
  class Stream;
  struct Bell;

  void run(std::stop_token stop);
  void look(const std::vector<std::shared_ptr<Stream>>& all, std::chrono::steady_clock::time_point now);

  const std::chrono::milliseconds heartbeat_;
  const std::shared_ptr<Bell> bell_;  // outlives this where a client leaves last
  std::jthread thread_;
};

}  // namespace weft::http
