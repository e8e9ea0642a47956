#include "surface/http/places.h"

#include <fmt/format.h>

#include <utility>

namespace weft::http {
namespace {

// Long enough that a client which asks again at once does not hammer, short enough for a person.
constexpr const char* kAskAgainAfter = "5";

Refusal too_many(std::size_t most, const char* what, const char* setting) {
  return {429,
          unavailable(fmt::format("too many {}: one caller may have {} at once", what, most),
                      fmt::format("end some of them first, or raise {}", setting)),
          {{"retry-after", kAskAgainAfter}},
          "too_many"};
}

}  // namespace

Refusal no_place() {
  return {503,
          unavailable("all connections of the server are in use",
                      fmt::format("try again in {} seconds, or raise server.max_connections", kAskAgainAfter)),
          {{"retry-after", kAskAgainAfter}},
          "full"};
}

Places::Id Places::longest_resting() const {
  Id found = nullptr;
  Clock::time_point since;
  for (const auto& [id, held] : held_) {
    if (!held.resting || held.leaving || (found != nullptr && held.since >= since)) continue;
    found = id;
    since = held.since;
  }
  return found;
}

Places::Arrival Places::arrive(Id id, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  Held held;
  held.since = now;
  Arrival arrival{true, nullptr};
  const bool tight = present() >= limits_.connections + spare_;
  if (tight) arrival.leaves = longest_resting();
  Held* const former = arrival.leaves != nullptr ? &held_.at(arrival.leaves) : nullptr;
  if (former == nullptr && tight && spare_ >= limits_.spare) return {};
  held.spare = former != nullptr ? former->spare : tight;
  held_.emplace(id, held);  // what may throw stands before what is counted
  if (former != nullptr) {
    spare_ -= former->spare ? 1 : 0;
    former->leaving = true;
    former->spare = false;
    ++leaving_;
  }
  spare_ += held.spare ? 1 : 0;
  return arrival;
}

// Its request was quicker than being closed.
void Places::stay(Held& held) {
  if (held.leaving) --leaving_;
  held.leaving = false;
  held.resting = false;
}

Places::Seat Places::serve(Id id, const Asking& asking) {
  const std::lock_guard lock(mutex_);
  const auto found = held_.find(id);
  if (found == held_.end()) return {};
  Held& held = found->second;
  stay(held);
  if (held.spare && present() - spare_ < limits_.connections) {
    held.spare = false;
    --spare_;
  }
  const auto of = callers_.find(asking.caller);
  const bool many =
      held.caller != asking.caller && of != callers_.end() && of->second.connections >= limits_.per_caller;
  if (asking.vital && (many || held.spare)) {
    belong_to(held, {});
    return {std::nullopt, true};
  }
  if (held.spare && !asking.administrator) return {no_place(), true};
  if (many) return {too_many(limits_.per_caller, "connections", "server.connections_per_caller"), true};
  belong_to(held, asking.caller);
  return {std::nullopt, held.spare};
}

std::optional<Refusal> Places::listen(Id id) {
  const std::lock_guard lock(mutex_);
  const auto found = held_.find(id);
  if (found == held_.end() || found->second.listening) return std::nullopt;
  Counts& counts = callers_[found->second.caller];
  if (counts.streams >= limits_.streams_per_caller)
    return too_many(limits_.streams_per_caller, "streams that listen", "server.streams_per_caller");
  ++counts.streams;
  ++listening_;
  found->second.listening = true;
  return std::nullopt;
}

void Places::rest(Id id, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  const auto found = held_.find(id);
  if (found == held_.end()) return;
  stop_listening(found->second);
  found->second.resting = true;
  found->second.since = now;
}

bool Places::has_to_leave(Id id) const {
  const std::lock_guard lock(mutex_);
  const auto found = held_.find(id);
  return found != held_.end() && found->second.leaving;
}

void Places::leave(Id id) {
  const std::lock_guard lock(mutex_);
  const auto found = held_.find(id);
  if (found == held_.end()) return;
  stop_listening(found->second);
  belong_to(found->second, {});
  if (found->second.leaving) --leaving_;
  if (found->second.spare) --spare_;
  held_.erase(found);
}

std::size_t Places::listening() const {
  const std::lock_guard lock(mutex_);
  return listening_;
}

// An empty caller is nobody, for whom nothing is counted.
void Places::belong_to(Held& held, const std::string& caller) {
  if (held.caller == caller) return;
  const std::string former = std::exchange(held.caller, caller);
  if (!former.empty()) {
    --callers_[former].connections;
    forget_if_gone(former);
  }
  if (!caller.empty()) ++callers_[caller].connections;
}

void Places::stop_listening(Held& held) {
  if (!std::exchange(held.listening, false)) return;
  --listening_;
  --callers_[held.caller].streams;
  forget_if_gone(held.caller);
}

void Places::forget_if_gone(const std::string& caller) {
  const auto found = callers_.find(caller);
  if (found != callers_.end() && found->second.connections == 0 && found->second.streams == 0) callers_.erase(found);
}

}  // namespace weft::http
