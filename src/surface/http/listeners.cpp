#include "surface/http/listeners.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>

#include "base/guarded.h"
#include "base/threads.h"

namespace weft::http {

using Clock = std::chrono::steady_clock;

/// What streams and their thread share: the streams, and the wish to be looked at.
struct Listeners::Bell {
  void ring() {
    const std::lock_guard lock(mutex);
    rung = true;
    changed.notify_all();
  }

  std::mutex mutex;
  std::condition_variable_any changed;
  std::vector<std::shared_ptr<Stream>> streams;
  bool rung = false, ended = false;
};

class Listeners::Stream final : public OpenStream {
 public:
  Stream(StreamEnd end, Listening how, std::shared_ptr<Bell> bell)
      : end_(std::move(end)), how_(std::move(how)), bell_(std::move(bell)) {
    gone_.emplace(end_.outbox->token(), [bell = bell_] { bell->ring(); });
  }

  bool offer(std::string_view bytes) override {
    if (bytes.empty() || over()) return !over();
    said_ = Clock::now().time_since_epoch();
    switch (
        end_.outbox->offer(end_.chunked ? fmt::format("{:x}\r\n{}\r\n", bytes.size(), bytes) : std::string(bytes))) {
      case Outbox::Offer::kTaken: return true;
      case Outbox::Offer::kTakenByASleeper: end_.wake(); return true;
      case Outbox::Offer::kFull: break;
    }
    if (!ended_.exchange(true)) end_.cut();
    bell_->ring();
    return false;
  }

  void end() override {
    if (over() || ended_.exchange(true)) return;
    if (end_.chunked) end_.outbox->put("0\r\n\r\n");
    end_.outbox->close(Outbox::End::kDone);
    end_.wake();
    bell_->ring();
  }

  void when_over(std::function<void()> tell) override {
    {
      const std::lock_guard lock(mutex_);
      if (!told_) return void(tell_ = std::move(tell));
    }
    tell();
  }

  void say_farewell() {
    offer(how_.farewell);
    end();
  }

  void say_if_silent(std::chrono::milliseconds heartbeat, Clock::time_point now) {
    if (now - Clock::time_point(said_) >= heartbeat) offer(how_.heartbeat);
  }

  bool over() const { return ended_ || end_.outbox->given_up(); }

  bool told() const {
    const std::lock_guard lock(mutex_);
    return told_;
  }

  /// Tells once whoever wanted to know.
  void tell_over() {
    std::function<void()> tell;
    {
      const std::lock_guard lock(mutex_);
      told_ = true;
      tell = std::exchange(tell_, nullptr);
    }
    if (tell) guarded_or_logged("http.listener", tell);
  }

 private:
  const StreamEnd end_;
  const Listening how_;
  const std::shared_ptr<Bell> bell_;
  std::optional<std::stop_callback<std::function<void()>>> gone_;
  std::atomic<Clock::duration> said_{Clock::now().time_since_epoch()};
  std::atomic<bool> ended_{false};
  mutable std::mutex mutex_;
  std::function<void()> tell_;
  bool told_ = false;
};

Listeners::Listeners(std::chrono::milliseconds heartbeat) : heartbeat_(heartbeat), bell_(std::make_shared<Bell>()) {}

Listeners::~Listeners() {
  end();
  thread_ = {};  // stops and joins: whoever feeds a stream has been told by then
}

Status Listeners::prepare() {
  const std::lock_guard lock(bell_->mutex);
  if (thread_.joinable()) return {};
  return start_thread(thread_, "open streams", [this](std::stop_token stop) { run(stop); });
}

std::shared_ptr<OpenStream> Listeners::add(StreamEnd end, Listening how) {
  auto stream = std::make_shared<Stream>(std::move(end), std::move(how), bell_);
  bool late = false;
  {
    const std::lock_guard lock(bell_->mutex);
    late = bell_->ended;
    bell_->streams.push_back(stream);
    bell_->rung = true;
    bell_->changed.notify_all();
  }
  if (late) stream->say_farewell();
  return stream;
}

void Listeners::end() {
  std::vector<std::shared_ptr<Stream>> all;
  {
    const std::lock_guard lock(bell_->mutex);
    bell_->ended = true;
    all = bell_->streams;
  }
  for (const auto& stream : all) stream->say_farewell();
  bell_->ring();
}

std::size_t Listeners::count() const {
  const std::lock_guard lock(bell_->mutex);
  return bell_->streams.size();
}

// Without the lock: what is said may wake a connection, and whoever is told may wait.
void Listeners::look(const std::vector<std::shared_ptr<Stream>>& all, Clock::time_point now) {
  for (const auto& stream : all) {
    if (!stream->over()) stream->say_if_silent(heartbeat_, now);
    if (stream->over()) stream->tell_over();
  }
}

void Listeners::run(std::stop_token stop) {
  // A heartbeat may be late by a tick; a stream that is over is told at once, for then the bell rings.
  const auto tick = std::max(heartbeat_ / 4, std::chrono::milliseconds(1));
  Bell& bell = *bell_;
  std::unique_lock lock(bell.mutex);
  for (;;) {
    if (bell.streams.empty())
      bell.changed.wait(lock, stop, [&] { return bell.rung; });
    else
      bell.changed.wait_for(lock, stop, tick, [&] { return bell.rung; });
    bell.rung = false;
    {
      const auto all = bell.streams;
      lock.unlock();
      look(all, Clock::now());
      lock.lock();
      std::erase_if(bell.streams, [](const auto& stream) { return stream->told(); });
      lock.unlock();  // a stream that goes waits for its client's last word, which rings the bell
    }
    lock.lock();
    if (stop.stop_requested() && bell.streams.empty()) return;
  }
}

}  // namespace weft::http
