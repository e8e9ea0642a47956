#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "surface/access/access.h"
#include "surface/access/key_ring.h"
#include "surface/http/exchange.h"

namespace weft {

/// A bucket of tokens for each caller: so many requests a minute on average, and as many at once. Safe from many
/// threads. At most some ten thousand callers are remembered; those that were quiet the longest are forgotten, whose
/// buckets are full anyway.
class RateLimit {
 public:
  using Clock = std::chrono::steady_clock;

  /// 0: no limit.
  explicit RateLimit(std::size_t per_minute) : per_minute_(static_cast<double>(per_minute)) {}

  /// Zero where the request may go on, else how long its caller should wait.
  std::chrono::milliseconds take(std::string_view caller, Clock::time_point now = Clock::now());

 private:
  struct Bucket {
    double left = 0;
    Clock::time_point filled;
  };
  void forget_full(Clock::time_point now);

  const double per_minute_;
  std::mutex mutex_;
  std::unordered_map<std::string, Bucket> buckets_;
};

}  // namespace weft

namespace weft::http {

/// Who may ask.
struct GuardRules {
  std::string api_key = {};   ///< one key that opens all, besides those of the ring
  bool loopback = true;  ///< the server is reachable from this machine only; else every caller needs a key
  std::vector<std::string> origins = {};  ///< of pages of other sites that may ask: "https://app.example"
  std::size_t requests_per_minute = 0;  ///< of one key, or of one address without a key; 0: no limit
};

/// Decides on a request by its headers, before its body is read. Besides the key it looks at what a browser says: a
/// page of another site must not be able to read or write the memory of whoever looks at it. Therefore requests with a
/// foreign Origin are refused unless it is allowed, and on the loopback address without keys those with a foreign Host
/// (a name that was made to point here). Safe from many threads.
class Guard {
 public:
  /// `keys`, `audit` and `clock` may be null: then there are no further keys, and nothing is noted.
  Guard(GuardRules rules, KeyRing* keys = nullptr, const AuditLog* audit = nullptr, const Clock* clock = nullptr);

  /// Nothing where the request may go on: then `head.access` says what its key allows and `head.caller` for whom it is
  /// counted. Headers and parameters of the query that hold a key of ours are taken out of it, whatever their names, so
  /// that no key is handed on to anybody.
  std::optional<Refusal> admit(Request& head);

  /// Adds what every answer says to browsers: nothing is guessed, kept, or shown to other sites.
  void mark(const Request& head, ResponseWriter& out) const;

  /// Answers a browser that asks whether a page of another site may ask. True where it did.
  bool answer_preflight(const Request& head, ResponseWriter& out) const;

 private:
  bool allowed_origin(std::string_view origin) const;
  std::optional<Refusal> check_browser(const Request& head, bool keyed) const;
  Result<Access> access_of(const Request& head);
  bool holds_our_key(std::string_view text) const;
  void take_out_keys(Request& head) const;
  std::optional<Refusal> refused(const Request& head, Refusal refusal);

  const GuardRules rules_;
  KeyRing* keys_;
  const AuditLog* audit_;
  const Clock* clock_;
  RateLimit limit_;
  RateLimit noted_;  // of refusals: a flood of them must not fill the disk
};

}  // namespace weft::http
