#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>

namespace weft::http {

/// The bytes of one answer on their way from the handler's thread to the socket's, bounded: who writes faster than the
/// client reads waits, or is told so. Safe for many threads, of which one reads.
class Outbox {
 public:
  enum class End { kOpen, kDone, kAborted };

  explicit Outbox(std::size_t limit) : limit_(limit) {}

  /// There is room, or waiting is pointless.
  bool has_room() const;

  /// Waits for room. False when the client is gone.
  bool wait_for_room();

  /// Adds bytes, unless it is closed. True when the socket's side has to be woken.
  bool put(std::string_view bytes);

  /// What became of bytes for which nobody waits.
  enum class Offer { kTaken, kTakenByASleeper, kFull };
  /// Adds bytes if there is room, or nothing at all; kTakenByASleeper: the socket's side has to be woken.
  Offer offer(std::string_view bytes);

  /// No more bytes follow. True when the socket's side has to be woken.
  bool close(End end);

  /// Takes all there is into `into`, which is emptied first, and makes room. False when there is nothing: the next
  /// `put` or `close` then says to wake.
  bool take(std::string& into);

  /// How the answer ended, once everything has been taken.
  End ended() const;

  /// The client is gone: nobody waits any longer, and the token is stopped.
  void give_up();
  bool given_up() const { return gone_.stop_requested(); }
  std::stop_token token() const { return gone_.get_token(); }

 private:
  const std::size_t limit_;
  mutable std::mutex mutex_;
  std::condition_variable room_;
  std::string bytes_;
  End end_ = End::kOpen;
  bool asleep_ = true;  // the socket's side waits to be woken
  std::stop_source gone_;
};

}  // namespace weft::http
