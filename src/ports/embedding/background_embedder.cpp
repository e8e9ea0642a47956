#include "ports/embedding/background_embedder.h"

#include "base/clock.h"
#include "base/guarded.h"
#include "base/log.h"
#include "base/threads.h"

namespace weft {
namespace {

// Longer than a command takes that has nothing to do with meaning, and nothing to a server.
constexpr std::chrono::milliseconds kUnasked{300};

}  // namespace

BackgroundEmbedder::BackgroundEmbedder(std::string name, EmbedderFactory factory, std::chrono::milliseconds retry_every)
    : name_(std::move(name)) {
  const Status begun = start_thread(
      loader_, "loading " + name_,
      [this, open = std::move(factory), retry_every](const std::stop_token& stop) { load(stop, open, retry_every); });
  if (begun.ok()) return;
  log_error("embedding.failed", begun.error().message);
  const std::lock_guard lock(mutex_);
  failure_ = begun.error();
  over_ = true;
}

BackgroundEmbedder::~BackgroundEmbedder() = default;  // the jthread, declared last, stops and joins first

void BackgroundEmbedder::load(const std::stop_token& stop, const EmbedderFactory& factory,
                              std::chrono::milliseconds retry_every) {
  {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, stop, kUnasked, [this] { return wanted_; });
  }
  while (!stop.stop_requested()) {
    const Stopwatch time;
    Result<std::unique_ptr<Embedder>> opened = guarded("loading", factory);
    std::unique_lock lock(mutex_);
    if (opened.ok()) {
      inner_ = std::move(opened).value();
      failure_.reset();
      over_ = true;
      log_info("embedding.ready", name_ + " after " + std::to_string(static_cast<std::int64_t>(time.ms())) + " ms");
    } else {
      if (stop.stop_requested()) return;  // it was given up, and nobody is there to be told
      failure_ = opened.error();
      over_ = failure_->code != ErrorCode::kUnavailable && failure_->code != ErrorCode::kTimeout;
      log_warning("embedding.failed", name_ + ": " + failure_->message);
    }
    changed_.notify_all();
    if (over_) return;
    changed_.wait_for(lock, stop, retry_every, [] { return false; });
  }
}

Embedder* BackgroundEmbedder::inner() const {
  const std::lock_guard lock(mutex_);
  return inner_.get();
}

void BackgroundEmbedder::want() const {
  if (wanted_) return;
  wanted_ = true;
  changed_.notify_all();
}

std::size_t BackgroundEmbedder::dimensions() const {
  const Embedder* embedder = inner();
  return embedder == nullptr ? 0 : embedder->dimensions();
}

std::string BackgroundEmbedder::prefix(EmbedUse use) const {
  const Embedder* embedder = inner();
  return embedder == nullptr ? std::string() : embedder->prefix(use);
}

Result<Vector> BackgroundEmbedder::embed(std::string_view text, EmbedUse use, const Deadline& deadline) {
  Embedder* embedder = inner();
  if (embedder != nullptr) return embedder->embed(text, use, deadline);
  const std::lock_guard lock(mutex_);
  want();
  if (failure_)
    return unavailable("the embedding model " + name_ + " is not there: " + failure_->message, failure_->hint);
  return unavailable("the embedding model " + name_ + " is still loading", "ask again in a moment");
}

std::int64_t BackgroundEmbedder::count_tokens(std::string_view text) const {
  const Embedder* embedder = inner();
  return embedder == nullptr ? -1 : embedder->count_tokens(text);
}

Status BackgroundEmbedder::wait_ready(const Deadline& deadline) const {
  std::unique_lock lock(mutex_);
  want();
  const auto is_over = [this] { return over_; };
  const bool done = deadline.until() ? changed_.wait_until(lock, deadline.cancel(), *deadline.until(), is_over)
                                     : changed_.wait(lock, deadline.cancel(), is_over);
  if (!done) return deadline_error(deadline, "the embedding model " + name_);
  if (inner_ == nullptr) return *failure_;
  return {};
}

std::string BackgroundEmbedder::state() const {
  const std::lock_guard lock(mutex_);
  if (inner_ != nullptr) return "ready";
  if (!failure_) return "loading";
  return (over_ ? "failed: " : "waiting to try again: ") + failure_->message;
}

}  // namespace weft
