#include "ports/embedding/cached_embedder.h"

#include <xxhash.h>

#include <chrono>

#include "base/threads.h"

namespace weft {
namespace {

// A text to be stored steps back so long at most.
constexpr std::chrono::milliseconds kStepBack{200};

bool is_awaited(EmbedUse use) { return use != EmbedUse::kPassage; }

bool ran_out_of_time(const Error& error) {
  return error.code == ErrorCode::kTimeout || error.code == ErrorCode::kCancelled;
}

}  // namespace

CachedEmbedder::CachedEmbedder(std::shared_ptr<Embedder> inner, std::size_t entries)
    : inner_(std::move(inner)), entries_(entries) {}

CachedEmbedder::~CachedEmbedder() = default;

CachedEmbedder::Key CachedEmbedder::key_of(std::string_view text, EmbedUse use) const {
  const std::string prefix = inner_->prefix(use);
  const XXH128_hash_t seeded =
      XXH3_128bits_withSeed(text.data(), text.size(), XXH3_64bits(prefix.data(), prefix.size()));
  return {seeded.low64, seeded.high64};
}

void CachedEmbedder::keep(const Key& key, const Vector& vector) {
  if (entries_ == 0 || index_.contains(key)) return;
  order_.emplace_front(key, vector);
  index_.emplace(key, order_.begin());
  if (order_.size() <= entries_) return;
  index_.erase(order_.back().first);
  order_.pop_back();
}

Result<Vector> CachedEmbedder::compute(const Key& key, std::string_view text, EmbedUse use, const Deadline& deadline,
                                       Running& running) {
  const AtEnd over([&] {
    {
      const std::lock_guard lock(mutex_);
      if (is_awaited(use)) --awaited_;
      if (!running.outcome) running.outcome = Error{ErrorCode::kUnavailable, "broken off", {}};
      running_.erase(key);
    }
    finished_.notify_all();
  });
  Result<Vector> outcome = inner_->embed(text, use, deadline);
  const std::lock_guard lock(mutex_);
  if (outcome.ok()) keep(key, *outcome);
  running.outcome = outcome;
  return outcome;
}

Result<Vector> CachedEmbedder::embed(std::string_view text, EmbedUse use, const Deadline& deadline) {
  const Key key = key_of(text, use);
  std::unique_lock lock(mutex_);
  if (!is_awaited(use)) finished_.wait_for(lock, deadline.cancel(), kStepBack, [this] { return awaited_ == 0; });
  for (;;) {
    if (const auto found = index_.find(key); found != index_.end()) {
      order_.splice(order_.begin(), order_, found->second);
      return found->second->second;
    }
    const auto under_way = running_.find(key);
    if (under_way == running_.end()) break;
    const std::shared_ptr<Running> other = under_way->second;
    const auto is_done = [&] { return other->outcome.has_value(); };
    const bool done = deadline.until() ? finished_.wait_until(lock, deadline.cancel(), *deadline.until(), is_done)
                                       : finished_.wait(lock, deadline.cancel(), is_done);
    if (!done) return deadline_error(deadline, "the vector of a text");
    if (other->outcome->ok() || !ran_out_of_time(other->outcome->error())) return *other->outcome;
  }
  const auto running = std::make_shared<Running>();
  running_.emplace(key, running);
  if (is_awaited(use)) ++awaited_;
  lock.unlock();
  return compute(key, text, use, deadline, *running);
}

void CachedEmbedder::clear_cache() {
  const std::lock_guard lock(mutex_);
  index_.clear();
  order_.clear();
}

}  // namespace weft
