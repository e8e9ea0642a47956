#include "surface/api/repeated_calls.h"

#include <xxhash.h>

#include <fmt/format.h>

#include <utility>

#include "base/guarded.h"
#include "base/log.h"
#include "base/threads.h"
#include "surface/access/sha256.h"
#include "surface/http/errors.h"
#include "surface/http/exchange.h"
#include "weft/scope.h"

namespace weft {
namespace {

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

// Whose key it is: two callers may draw the same one. Neither is written down.
std::string name_of(const http::Request& request) {
  std::string key(request.header("idempotency-key"));
  for (const std::string_view part :
       {std::string_view(request.access.name), request.header("x-weft-user"), request.header("x-weft-group")})
    key.append("\n").append(part);
  return sha256_of(key);
}

std::uint64_t hash_of(const http::Request& request) {
  std::string all = request.method + " " + request.path + "\n";
  for (const auto& [name, value] : request.query) all.append(name).append("=").append(value).append("\n");
  all += request.body;
  return XXH3_64bits(all.data(), all.size());
}

// What the server could not do, and what its client did not wait for, may be tried again.
bool is_kept(int status) {
  constexpr int kGaveUp = 499;
  return status < kGaveUp;
}

void send_conflict(http::ResponseWriter& out, const char* what, const char* advice) {
  http::send_error(out, conflict(what, advice));
}

}  // namespace

RepeatedCalls::RepeatedCalls(std::filesystem::path workspace, RepeatLimits limits)
    : limits_(limits), files_(std::move(workspace)) {}

// What a program that ended has left: of a call without an answer nobody knows how it ended.
Status RepeatedCalls::read_once() {
  if (read_) return {};
  WEFT_TRY(auto all, files_.list());
  for (auto& [answer, bytes] : all) {
    const State state = answer.status == 0 ? State::kUnknown : State::kKept;
    calls_.push_back({std::move(answer), state, ++number_, bytes});
    places_.emplace(calls_.back().answer.name, std::prev(calls_.end()));
    bytes_ += bytes;
  }
  read_ = true;
  return {};
}

void RepeatedCalls::forget(Place place) {
  if (const Status gone = files_.remove(place->answer.name); !gone.ok()) log_warning("answers", gone.error().message);
  bytes_ -= place->bytes;
  places_.erase(place->answer.name);
  calls_.erase(place);
}

// What is at work keeps its place: it would be worked off twice.
void RepeatedCalls::forget_old(Time now) {
  const auto age = std::chrono::duration_cast<std::chrono::milliseconds>(limits_.age).count();
  for (auto one = calls_.begin(); one != calls_.end();) {
    const bool old = now.ms - one->answer.made.ms > age;
    if (!old && calls_.size() <= limits_.answers && bytes_ <= limits_.bytes) return;
    const Place place = one++;
    if (place->state != State::kAtWork) forget(place);
  }
}

void RepeatedCalls::repeat(const Call& former, std::uint64_t request, http::ResponseWriter& out) const {
  if (former.answer.request != request) {
    constexpr int kOtherContent = 422;
    const auto error = conflict("this Idempotency-Key came with another request", "draw a new one");
    return out.send(kOtherContent, "application/json", http::error_json(error));
  }
  if (former.state == State::kAtWork)
    return send_conflict(out, "the first request with this Idempotency-Key is still at work", "ask again in a moment");
  const auto kept = former.state == State::kKept ? files_.find(former.answer.name) : not_found("");
  if (!kept.ok())
    return send_conflict(out,
                         "the server ended while the first request with this Idempotency-Key was at work: how far it "
                         "came is not known, and it was not done again",
                         "look whether what it was to change has changed (GET it); if not, send it with a new key");
  if (kept->forgotten)
    return send_conflict(out, "this request was worked off once, and what was answered has been erased since",
                         "GET what it was to change; draw a new Idempotency-Key to do it again");
  out.header("Idempotent-Replayed", "true");
  out.send(kept->status, kept->type, kept->body);
}

void RepeatedCalls::answer(const http::Request& request, const ScopeKey& scope, http::ResponseWriter& out,
                           const Work& work, Time now) {
  if (const Status fine = check_id(request.header("idempotency-key"), "Idempotency-Key"); !fine.ok())
    return http::send_error(out, fine.error());
  FiledAnswer call{name_of(request), scope, hash_of(request), 0, false, now, {}, {}};
  std::unique_lock lock(mutex_);
  if (const Status read = read_once(); !read.ok()) return http::send_error(out, read.error());
  forget_old(now);
  if (const auto known = places_.find(call.name); known != places_.end()) {
    const Call former = *known->second;
    lock.unlock();
    return repeat(former, call.request, out);
  }
  const std::uint64_t number = ++number_;
  calls_.push_back({call, State::kAtWork, number, 0});
  places_.emplace(call.name, std::prev(calls_.end()));
  lock.unlock();
  const AtEnd settled([&] { guarded_or_logged("answers", [&] { give_up(call.name, number); }); });
  if (const Status noted = files_.put(call); !noted.ok()) return http::send_error(out, noted.error());
  KeepingWriter kept(out, [&](int status, std::string_view type, std::string_view body) {
    if (!is_kept(status)) return give_up(call.name, number);
    call.status = status;
    call.type = type;
    call.body = body;
    keep(call, number);
  });
  work(kept);
}

RepeatedCalls::Place RepeatedCalls::at_work(const std::string& name, std::uint64_t number) {
  const auto own = places_.find(name);
  const bool open = own != places_.end() && own->second->number == number && own->second->state == State::kAtWork;
  return open ? own->second : calls_.end();
}

// The file first: from then on nobody can be given another answer. One that cannot be written is told all the same.
void RepeatedCalls::keep(const FiledAnswer& answer, std::uint64_t number) {
  const Status written = files_.put(answer);
  if (!written.ok()) log_warning("answers", written.error().message);
  const std::lock_guard lock(mutex_);
  const Place own = at_work(answer.name, number);
  if (own == calls_.end()) return;
  own->state = written.ok() ? State::kKept : State::kUnknown;
  own->bytes = answer.body.size();
  bytes_ += own->bytes;
}

void RepeatedCalls::give_up(const std::string& name, std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  if (const Place own = at_work(name, number); own != calls_.end()) forget(own);
}

}  // namespace weft
