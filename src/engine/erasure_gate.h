#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "weft/ids.h"

namespace weft {

/// Keeps those who write what they have made of a scope's messages apart from an erasure there: what is erased must not
/// come back from their hands. Other scopes never meet. An erasure waits until those inside have left; meanwhile work
/// in the background waits for it, while calls, for which somebody waits, still pass.
class ErasureGate {
 public:
  class [[nodiscard]] Pass {
   public:
    Pass(Pass&& other) noexcept
        : gate_(std::exchange(other.gate_, nullptr)), scope_(std::move(other.scope_)), alone_(other.alone_) {}
    Pass& operator=(Pass&&) = delete;
    ~Pass() {
      if (gate_ != nullptr) gate_->leave(scope_, alone_);
    }

   private:
    friend class ErasureGate;
    Pass(ErasureGate& gate, ScopeKey scope, bool alone) : gate_(&gate), scope_(std::move(scope)), alone_(alone) {}
    ErasureGate* gate_;
    ScopeKey scope_;
    bool alone_;
  };

  /// For a call, which waits only while something is being taken out.
  Pass call(const ScopeKey& scope) { return enter(scope, false); }
  /// For work in the background.
  Pass work(const ScopeKey& scope) { return enter(scope, true); }
  /// For a call that writes later what was said at `moment`. The call must write nothing if an erasure since then
  /// covers it. The call waits for no erasure; while another one is under way it gets no pass and needs none.
  struct Late {
    bool is_erased = false;
    std::optional<Pass> pass = {};
  };
  Late late(const ScopeKey& scope, std::chrono::steady_clock::time_point moment) {
    ScopeKey own = scope;  // made first: it may throw
    const std::lock_guard lock(mutex_);
    const auto erased = erased_before_.find(scope);
    if (erased != erased_before_.end() && moment < erased->second) return {.is_erased = true};
    Place& place = places_[scope];
    if (place.taken) return {};
    ++place.inside;
    return {.pass = Pass(*this, std::move(own), false)};
  }
  /// For the erasure. `ago`: it covers all that was said until so long before it begins; none: it does not go by time.
  Pass alone(const ScopeKey& scope, std::optional<std::chrono::milliseconds> ago = {}) {
    ScopeKey own = scope;
    std::unique_lock lock(mutex_);
    Place& place = places_[scope];
    ++place.waiting;
    changed_.wait(lock, [&] { return place.inside == 0 && !place.taken; });
    --place.waiting;
    if (ago) {
      auto& before = erased_before_[scope];
      before = std::max(before, std::chrono::steady_clock::now() - *ago);
    }
    place.taken = true;
    return {*this, std::move(own), true};
  }

 private:
  struct Place {
    int inside = 0, waiting = 0;
    bool taken = false;
    bool unused() const { return inside == 0 && waiting == 0 && !taken; }
  };

  Pass enter(const ScopeKey& scope, bool patient) {
    ScopeKey own = scope;
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] {
      const auto at = places_.find(scope);
      return at == places_.end() || (!at->second.taken && (!patient || at->second.waiting == 0));
    });
    ++places_[scope].inside;
    return {*this, std::move(own), false};
  }

  void leave(const ScopeKey& scope, bool alone) {
    {
      const std::lock_guard lock(mutex_);
      const auto at = places_.find(scope);
      if (alone)
        at->second.taken = false;
      else
        --at->second.inside;
      if (at->second.unused()) places_.erase(at);
    }
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<ScopeKey, Place> places_;
  std::map<ScopeKey, std::chrono::steady_clock::time_point> erased_before_;
};

}  // namespace weft
