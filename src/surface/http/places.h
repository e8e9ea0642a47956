#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "surface/http/errors.h"

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

}  // namespace weft::http
