#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "surface/mcp/pending.h"
#include "surface/mcp/revision.h"

namespace weft::mcp {

/// Messages that wait for a stream to carry them. Safe from many threads.
class Mailbox {
 public:
  /// Of what nobody fetches the oldest goes.
  static constexpr std::size_t kMost = 1000;

  void put(std::string message);
  /// All there are; waits for one, at most so long, or until `wake`.
  std::vector<std::string> take(std::chrono::milliseconds patience);
  void wake();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> messages_;
  bool woken_ = false;
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

  /// A request that is at work, until `finished`; the token tells when it was cancelled.
  std::stop_token begin(const std::string& request);
  void finished(const std::string& request);
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

/// The conversations of one server. Those that nobody has used for long are forgotten, and the longest unused where
/// there are too many. Safe from many threads.
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
  std::vector<std::shared_ptr<HttpSession>> take_old();

  const std::function<void(HttpSession&)> gone_;
  std::mutex mutex_;
  std::map<std::string, Held, std::less<>> held_;
};

}  // namespace weft::mcp
