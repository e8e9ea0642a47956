#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "surface/http/exchange.h"
#include "surface/http/worker_pool.h"
#include "weft/result.h"

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

/// What the connection knows about the request that is being answered.
struct AnswerTerms {
  bool head_only = false;   ///< HEAD: no body is sent
  bool chunked = true;      ///< HTTP/1.1; else a streamed answer ends with the connection
  bool keep_alive = true;
};

/// Where answers that stay open go.
struct StreamHost {
  std::function<std::optional<Refusal>()> take_place;  ///< whether there may be one more
  std::function<void()> cut;                           ///< ends the connection now
  Listeners* listeners = nullptr;
};

/// Writes an answer as HTTP/1.1 into an outbox.
class Answer final : public ResponseWriter {
 public:
  /// `wake` is called when the socket's side has something to do. `pool` may be null. Without a `host` no answer stays
  /// open.
  Answer(std::shared_ptr<Outbox> outbox, AnswerTerms terms, std::function<void()> wake, WorkerPool* pool,
         StreamHost host = {})
      : outbox_(std::move(outbox)), terms_(terms), wake_(std::move(wake)), pool_(pool), host_(std::move(host)) {}

  void header(std::string_view name, std::string_view value) override;
  void send(int status, std::string_view content_type, std::string_view body) override;
  bool begin(int status, std::string_view content_type) override;
  bool write(std::string_view bytes) override;
  void end() override;
  std::shared_ptr<OpenStream> stay_open(Listening how) override;
  bool started() const override { return started_; }
  std::stop_token cancel() const override { return outbox_->token(); }
  void while_waiting(const std::function<void()>& wait) override;

  /// Ends what the handler left open: a 500 where nothing was sent, a broken-off answer where it was not ended. One
  /// that stays open goes on, unless the handler `failed`.
  void finish(std::string_view error_body, bool failed);

 private:
  std::string head(int status, std::string_view content_type) const;
  bool put(std::string_view bytes);
  void close(Outbox::End end);

  std::shared_ptr<Outbox> outbox_;
  AnswerTerms terms_;
  std::function<void()> wake_;
  WorkerPool* pool_;
  StreamHost host_;
  std::string extra_;
  bool started_ = false, ended_ = false, waiting_ = false, stays_ = false;
};

}  // namespace weft::http
