#include "surface/http/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/beast/http/status.hpp>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/log.h"
#include "base/strings.h"
#include "base/threads.h"
#include "surface/http/exchange.h"

namespace weft::http {

bool Outbox::has_room() const {
  const std::lock_guard lock(mutex_);
  return bytes_.size() < limit_ || given_up();
}

bool Outbox::wait_for_room() {
  std::unique_lock lock(mutex_);
  room_.wait(lock, [this] { return bytes_.size() < limit_ || given_up(); });
  return !given_up();
}

bool Outbox::put(std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  if (end_ != End::kOpen) return false;
  bytes_ += bytes;
  return std::exchange(asleep_, false);
}

Outbox::Offer Outbox::offer(std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  if (bytes_.size() >= limit_ || end_ != End::kOpen || given_up()) return Offer::kFull;
  bytes_ += bytes;
  return std::exchange(asleep_, false) ? Offer::kTakenByASleeper : Offer::kTaken;
}

bool Outbox::close(End end) {
  const std::lock_guard lock(mutex_);
  if (end_ != End::kOpen) return false;
  end_ = end;
  return std::exchange(asleep_, false);
}

bool Outbox::take(std::string& into) {
  const std::lock_guard lock(mutex_);
  into.clear();
  std::swap(into, bytes_);
  if (into.empty() && end_ == End::kOpen) asleep_ = true;
  room_.notify_one();
  return !into.empty();
}

Outbox::End Outbox::ended() const {
  const std::lock_guard lock(mutex_);
  return bytes_.empty() ? end_ : End::kOpen;
}

void Outbox::give_up() {
  gone_.request_stop();  // outside the lock: stop callbacks run here
  const std::lock_guard lock(mutex_);
  room_.notify_all();
}

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

namespace {

bool is_name_char(char c) {
  return is_digit(c) || is_letter(c) || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool is_value_char(char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f; }

bool equals_folded(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return to_lower(x) == y; });
}

bool is_ours(std::string_view name) {
  static constexpr std::array<std::string_view, 4> kOurs = {"content-length", "transfer-encoding", "connection",
                                                            "content-type"};
  return std::any_of(kOurs.begin(), kOurs.end(), [&](std::string_view own) { return equals_folded(name, own); });
}

std::string reason(int status) {
  const auto text = boost::beast::http::obsolete_reason(static_cast<boost::beast::http::status>(status));
  return {text.data(), text.size()};
}

}  // namespace

void Answer::header(std::string_view name, std::string_view value) {
  const bool fits = !name.empty() && std::all_of(name.begin(), name.end(), is_name_char) &&
                    std::all_of(value.begin(), value.end(), is_value_char);
  if (fits && !is_ours(name)) extra_ += fmt::format("{}: {}\r\n", name, value);
}

std::string Answer::head(int status, std::string_view content_type) const {
  auto out = fmt::format("HTTP/1.1 {} {}\r\n", status, reason(status));
  if (!content_type.empty() && std::all_of(content_type.begin(), content_type.end(), is_value_char)) {
    out += fmt::format("Content-Type: {}\r\n", content_type);
  }
  out += extra_;
  out += terms_.keep_alive ? "Connection: keep-alive\r\n" : "Connection: close\r\n";
  return out;
}

void Answer::send(int status, std::string_view content_type, std::string_view body) {
  if (started_) return;
  started_ = ended_ = true;
  auto text = head(status, content_type);
  const bool bodiless = status == 204 || status == 304;
  if (!bodiless) text += fmt::format("Content-Length: {}\r\n", body.size());
  text += "\r\n";
  if (!terms_.head_only && !bodiless) text += body;
  put(text);
  close(Outbox::End::kDone);
}

bool Answer::begin(int status, std::string_view content_type) {
  if (started_) return false;
  started_ = true;
  auto text = head(status, content_type);
  if (terms_.chunked) text += "Transfer-Encoding: chunked\r\n";
  return put(text + "\r\n");
}

bool Answer::write(std::string_view bytes) {
  if (!started_ || ended_) return false;
  if (bytes.empty() || terms_.head_only) return !client_gone();
  if (!outbox_->has_room()) {
    while_waiting([this] { outbox_->wait_for_room(); });
  }
  return put(terms_.chunked ? fmt::format("{:x}\r\n{}\r\n", bytes.size(), bytes) : std::string(bytes));
}

void Answer::end() {
  if (!started_ || ended_) return;
  ended_ = true;
  if (terms_.chunked && !terms_.head_only) put("0\r\n\r\n");
  close(Outbox::End::kDone);
}

std::shared_ptr<OpenStream> Answer::stay_open(Listening how) {
  if (started_ || host_.listeners == nullptr) return nullptr;
  if (const auto refusal = host_.take_place()) {
    for (const auto& [name, value] : refusal->headers) header(name, value);
    send(refusal->status, "application/json", error_json(refusal->error));
    return nullptr;
  }
  if (const Status ready = host_.listeners->prepare(); !ready.ok()) {
    log_error("http.listener", ready.error().message);
    send(status_of(ready.error().code), "application/json", error_json(ready.error()));
    return nullptr;
  }
  begin(200, how.content_type);
  stays_ = true;
  auto stream = host_.listeners->add({outbox_, terms_.chunked && !terms_.head_only, wake_, host_.cut}, std::move(how));
  if (terms_.head_only) stream->end();
  return stream;
}

void Answer::while_waiting(const std::function<void()>& wait) {
  if (pool_ == nullptr || waiting_) return wait();  // a write within a wait gives up its place only once
  const AtEnd over([this] { waiting_ = false; });
  waiting_ = true;
  pool_->while_waiting(wait);
}

void Answer::finish(std::string_view error_body, bool failed) {
  if (stays_ && !failed) return;
  if (!started_) send(500, "application/json", error_body);
  if (!ended_) close(Outbox::End::kAborted);
  ended_ = true;
}

bool Answer::put(std::string_view bytes) {
  if (client_gone()) return false;
  if (outbox_->put(bytes)) wake_();
  return true;
}

void Answer::close(Outbox::End end) {
  if (outbox_->close(end)) wake_();
}

}  // namespace weft::http
