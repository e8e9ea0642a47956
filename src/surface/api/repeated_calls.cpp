#include "surface/api/repeated_calls.h"

#include <xxhash.h>

#include <utility>

#include "surface/http/errors.h"
#include "surface/http/passing_writer.h"
#include "weft/scope.h"

namespace weft {
namespace {

constexpr std::chrono::hours kKept{24};
constexpr std::size_t kMostAnswers = 10'000, kMostBytes = 64 * 1024 * 1024;

/// Hands a whole answer to `keep` before the client has it: who asks again at once, because the answer was lost on its
/// way, finds it kept.
class KeepingWriter final : public http::PassingWriter {
 public:
  using Keep = std::function<void(int status, std::string_view type, std::string_view body)>;

  KeepingWriter(http::ResponseWriter& out, Keep keep) : PassingWriter(out), keep_(std::move(keep)) {}

  void send(int code, std::string_view content_type, std::string_view text) override {
    keep_(code, content_type, text);
    PassingWriter::send(code, content_type, text);
  }

 private:
  Keep keep_;
};

/// Runs when its block is left, in whatever way.
class AtEnd {
 public:
  explicit AtEnd(std::function<void()> run) : run_(std::move(run)) {}
  ~AtEnd() { run_(); }
  AtEnd(const AtEnd&) = delete;
  AtEnd& operator=(const AtEnd&) = delete;

 private:
  std::function<void()> run_;
};

// Whose key it is: two callers may draw the same one.
std::string key_of(const http::Request& request) {
  std::string key(request.header("idempotency-key"));
  for (const std::string_view part :
       {std::string_view(request.access.name), request.header("x-weft-user"), request.header("x-weft-group")})
    key.append("\n").append(part);
  return key;
}

std::uint64_t hash_of(const http::Request& request) {
  std::string all = request.method + " " + request.path + "\n";
  for (const auto& [name, value] : request.query) all.append(name).append("=").append(value).append("\n");
  all += request.body;
  return XXH3_64bits(all.data(), all.size());
}

}  // namespace

void RepeatedCalls::forget(Place place) {
  bytes_ -= place->body.size();
  places_.erase(place->key);
  answers_.erase(place);
}

void RepeatedCalls::forget_old(Clock::time_point now) {
  while (!answers_.empty() &&
         (now - answers_.front().made > kKept || answers_.size() > kMostAnswers || bytes_ > kMostBytes))
    forget(answers_.begin());
}

void RepeatedCalls::answer(const http::Request& request, http::ResponseWriter& out, const Work& work,
                           Clock::time_point now) {
  if (const Status fine = check_id(request.header("idempotency-key"), "Idempotency-Key"); !fine.ok())
    return http::send_error(out, fine.error());
  const std::string key = key_of(request);
  const std::uint64_t hash = hash_of(request);
  std::unique_lock lock(mutex_);
  forget_old(now);
  if (const auto known = places_.find(key); known != places_.end()) {
    const Answer former = *known->second;
    lock.unlock();
    if (former.request != hash)
      return http::send_error(out, conflict("this Idempotency-Key came with another request", "draw a new one"));
    if (former.status == 0)
      return http::send_error(
          out, conflict("the first request with this Idempotency-Key is still at work", "ask again in a moment"));
    out.header("Idempotent-Replayed", "true");
    return out.send(former.status, former.type, former.body);
  }
  answers_.push_back({key, hash, ++number_, 0, {}, {}, now});
  places_.emplace(key, std::prev(answers_.end()));
  const std::uint64_t number = number_;
  lock.unlock();
  const AtEnd settled([&] { give_up(key, number); });
  KeepingWriter kept(
      out, [&](int status, std::string_view type, std::string_view body) { keep(key, number, status, type, body); });
  work(kept);
}

RepeatedCalls::Place RepeatedCalls::at_work(const std::string& key, std::uint64_t number) {
  const auto own = places_.find(key);
  const bool open = own != places_.end() && own->second->number == number && own->second->status == 0;
  return open ? own->second : answers_.end();
}

void RepeatedCalls::keep(const std::string& key, std::uint64_t number, int status, std::string_view type,
                         std::string_view body) {
  const std::lock_guard lock(mutex_);
  const Place own = at_work(key, number);
  if (own == answers_.end()) return;
  if (status >= 500) return forget(own);
  own->status = status;
  own->type = type;
  own->body = body;
  bytes_ += body.size();
}

void RepeatedCalls::give_up(const std::string& key, std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  if (const Place own = at_work(key, number); own != answers_.end()) forget(own);
}

}  // namespace weft
