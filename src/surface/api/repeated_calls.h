#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "surface/http/exchange.h"

namespace weft {

/// Requests with an `Idempotency-Key` are worked off once: who repeats one, because the answer was lost on its way,
/// gets the first answer again. Answers are kept in memory for a day, the newest ten thousand and at most 64 MB;
/// failures of the server (5xx) are not kept. An answer is kept before its client gets it. Safe from many threads.
class RepeatedCalls {
 public:
  using Clock = std::chrono::steady_clock;
  using Work = std::function<void(http::ResponseWriter& out)>;

  /// Runs `work` or gives its former answer. kConflict, as an answer, where the key came with another request, or the
  /// first one is still at work.
  void answer(const http::Request& request, http::ResponseWriter& out, const Work& work,
              Clock::time_point now = Clock::now());

 private:
  struct Answer {
    std::string key;
    std::uint64_t request = 0;  ///< hash of what was asked
    std::uint64_t number = 0;  ///< of the call that it answers: a key may be used again once it is forgotten
    int status = 0;  ///< 0 while it is at work
    std::string type, body;
    Clock::time_point made;
  };
  using Place = std::list<Answer>::iterator;

  Place at_work(const std::string& key, std::uint64_t number);
  void keep(const std::string& key, std::uint64_t number, int status, std::string_view type, std::string_view body);
  /// A call that is over without a whole answer is as if it had not come.
  void give_up(const std::string& key, std::uint64_t number);
  void forget_old(Clock::time_point now);
  void forget(Place place);

  std::mutex mutex_;
  std::list<Answer> answers_;  // the oldest first
  std::unordered_map<std::string, Place> places_;
  std::size_t bytes_ = 0;
  std::uint64_t number_ = 0;
};

}  // namespace weft
