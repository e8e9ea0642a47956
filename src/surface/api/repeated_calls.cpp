#include "surface/api/repeated_calls.h"

#include <xxhash.h>

#include "surface/http/errors.h"
#include "surface/http/passing_writer.h"
#include "weft/scope.h"

namespace weft {
namespace {

constexpr std::chrono::hours kKept{24};
constexpr std::size_t kMostAnswers = 10'000, kMostBytes = 64 * 1024 * 1024;

/// Keeps a whole answer and hands it on.
class KeepingWriter final : public http::PassingWriter {
 public:
  using PassingWriter::PassingWriter;
  void send(int code, std::string_view content_type, std::string_view text) override {
    status = code, type = content_type, body = text;
    PassingWriter::send(code, content_type, text);
  }

  int status = 0;  ///< 0: nothing, or a streamed answer, which cannot be given again
  std::string type, body;
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
  answers_.push_back({key, hash, 0, {}, {}, now});
  places_.emplace(key, std::prev(answers_.end()));
  lock.unlock();
  KeepingWriter kept(out);
  work(kept);
  lock.lock();
  const auto own = places_.find(key);
  if (own == places_.end() || own->second->request != hash) return;
  if (kept.status == 0 || kept.status >= 500) return forget(own->second);
  own->second->status = kept.status;
  own->second->type = std::move(kept.type);
  bytes_ += kept.body.size();
  own->second->body = std::move(kept.body);
}

}  // namespace weft
