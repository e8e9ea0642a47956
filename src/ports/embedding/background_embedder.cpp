#include "ports/embedding/background_embedder.h"

#include "base/clock.h"
#include "base/guarded.h"
#include "base/left_threads.h"
#include "base/log.h"
#include "base/threads.h"

namespace weft {
namespace {

// Longer than a command takes that has nothing to do with meaning, and nothing to a server.
constexpr std::chrono::milliseconds kUnasked{300};

// For a load that ends soon by itself.
constexpr std::chrono::milliseconds kGiveUp{300};

}  // namespace

BackgroundEmbedder::BackgroundEmbedder(std::string name, EmbedderFactory factory, std::chrono::milliseconds retry_every)
    : shared_(std::make_shared<Shared>(std::move(name))) {
  const Status begun =
      start_thread(loader_, "loading " + shared_->name,
                   [shared = shared_, open = std::move(factory), retry_every](const std::stop_token& stop) {
                     const AtEnd over([&] {
                       const std::lock_guard lock(shared->mutex);
                       shared->ended = true;
                       shared->changed.notify_all();
                     });
                     shared->load(stop, open, retry_every);
                   });
  if (begun.ok()) return;
  log_error("embedding.failed", begun.error().message);
  const std::lock_guard lock(shared_->mutex);
  shared_->failure = begun.error();
  shared_->over = true;
}

BackgroundEmbedder::~BackgroundEmbedder() {
  if (!loader_.joinable() || !LeftThreads::allowed) return;  // the jthread stops and joins
  loader_.request_stop();
  std::unique_lock lock(shared_->mutex);
  if (shared_->changed.wait_for(lock, kGiveUp, [this] { return shared_->ended; })) return;
  ++LeftThreads::count;
  loader_.detach();
}

void BackgroundEmbedder::Shared::load(const std::stop_token& stop, const EmbedderFactory& factory,
                                      std::chrono::milliseconds retry_every) {
  {
    std::unique_lock lock(mutex);
    changed.wait_for(lock, stop, kUnasked, [this] { return wanted; });
  }
  while (!stop.stop_requested()) {
    const Stopwatch time;
    Result<std::unique_ptr<Embedder>> opened = guarded("loading", factory);
    std::unique_lock lock(mutex);
    if (opened.ok()) {
      inner = std::move(opened).value();
      failure.reset();
      over = true;
      log_info("embedding.ready", name + " after " + std::to_string(static_cast<std::int64_t>(time.ms())) + " ms");
    } else {
      if (stop.stop_requested()) return;  // it was given up, and nobody is there to be told
      failure = opened.error();
      over = failure->code != ErrorCode::kUnavailable && failure->code != ErrorCode::kTimeout;
      log_warning("embedding.failed", name + ": " + failure->message);
    }
    changed.notify_all();
    if (over) return;
    changed.wait_for(lock, stop, retry_every, [] { return false; });
  }
}

Embedder* BackgroundEmbedder::inner() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->inner.get();
}

void BackgroundEmbedder::Shared::want() {
  if (wanted) return;
  wanted = true;
  changed.notify_all();
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
  const std::lock_guard lock(shared_->mutex);
  shared_->want();
  if (shared_->failure)
    return unavailable("the embedding model " + shared_->name + " is not there: " + shared_->failure->message,
                       shared_->failure->hint);
  return unavailable("the embedding model " + shared_->name + " is still loading", "ask again in a moment");
}

std::int64_t BackgroundEmbedder::count_tokens(std::string_view text) const {
  const Embedder* embedder = inner();
  return embedder == nullptr ? -1 : embedder->count_tokens(text);
}

Status BackgroundEmbedder::wait_ready(const Deadline& deadline) const {
  std::unique_lock lock(shared_->mutex);
  shared_->want();
  const auto is_over = [this] { return shared_->over; };
  const bool done = deadline.until() ? shared_->changed.wait_until(lock, deadline.cancel(), *deadline.until(), is_over)
                                     : shared_->changed.wait(lock, deadline.cancel(), is_over);
  if (!done) return deadline_error(deadline, "the embedding model " + shared_->name);
  if (shared_->inner == nullptr) return *shared_->failure;
  return {};
}

std::string BackgroundEmbedder::state() const {
  const std::lock_guard lock(shared_->mutex);
  if (shared_->inner != nullptr) return "ready";
  if (!shared_->failure) return "loading";
  return (shared_->over ? "failed: " : "waiting to try again: ") + shared_->failure->message;
}

}  // namespace weft
