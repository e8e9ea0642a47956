#include "surface/http/outbox.h"

#include <utility>

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

}  // namespace weft::http
