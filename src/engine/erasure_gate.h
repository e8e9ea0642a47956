#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "text/traces.h"
#include "weft/ids.h"

namespace weft {

/// An erasure by ids, as calls that began before it need to know it.
struct ErasedByIds {
  Traces words = Traces();              ///< of the erased messages
  std::set<SessionId> unanswered = {};  ///< sessions whose newest message, not a model's, is erased

  bool empty() const { return words.empty() && unanswered.empty(); }
};

/// Keeps those who write what they have made of a scope's messages apart from an erasure there: what is erased must not
/// come back from their hands. Other scopes never meet. An erasure waits until those inside have left; meanwhile work
/// in the background waits for it, while calls, for which somebody waits, still pass.
class ErasureGate {
 public:
  using Moment = std::chrono::steady_clock::time_point;

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
  /// For a call that began at `moment` and writes later what was said in it. The call must not write what an erasure
  /// since then covers. The call waits for no erasure; while one is under way it gets no pass and needs none.
  struct Late {
    bool is_erased = false;  ///< everything said at that moment was erased
    std::vector<std::shared_ptr<const ErasedByIds>> erased = {};  ///< by ids, since that moment
    std::optional<Pass> pass = {};

    /// Whether something was erased since that moment.
    bool any() const { return is_erased || !erased.empty(); }
    bool quotes(std::string_view text) const {
      return std::any_of(erased.begin(), erased.end(), [&](const auto& one) { return one->words.quoted_in(text); });
    }
    /// Whether what the session gets now answers an erased message.
    bool answers(const SessionId& session) const {
      return std::any_of(erased.begin(), erased.end(),
                         [&](const auto& one) { return one->unanswered.contains(session); });
    }
  };
  Late late(const ScopeKey& scope, Moment moment) {
    ScopeKey own = scope;  // made first: it may throw
    Late late;
    const std::lock_guard lock(mutex_);
    const auto before = erased_before_.find(scope);
    if (before != erased_before_.end() && moment < before->second) return {.is_erased = true};
    for (const Known& one : known_)
      if (one.scope == scope && moment < one.moment) late.erased.push_back(one.erased);
    Place& place = places_[scope];
    if (place.taken) return late;
    ++place.inside;
    late.pass.emplace(Pass(*this, std::move(own), false));
    return late;
  }
  /// For the erasure. `ago`: it covers all that was said until so long before it begins; none: it does not go by time.
  Pass alone(const ScopeKey& scope, std::optional<std::chrono::milliseconds> ago = {}, ErasedByIds by_ids = {}) {
    ScopeKey own = scope;
    const auto erased = std::make_shared<const ErasedByIds>(std::move(by_ids));
    std::unique_lock lock(mutex_);
    // Known from now on, and for all calls that begin before the erasure does.
    if (!erased->empty()) remember({scope, std::chrono::steady_clock::now(), erased});
    Place& place = places_[scope];
    ++place.waiting;
    changed_.wait(lock, [&] { return place.inside == 0 && !place.taken; });
    --place.waiting;
    const Moment now = std::chrono::steady_clock::now();
    if (ago) cover_all_before(scope, now - *ago);
    for (Known& one : known_)
      if (one.erased == erased) one.moment = now;
    place.taken = true;
    return {*this, std::move(own), true};
  }

 private:
  static constexpr std::size_t kMostKnown = 256;
  static constexpr std::chrono::hours kLongestCall{1};

  struct Known {
    ScopeKey scope;
    Moment moment;
    std::shared_ptr<const ErasedByIds> erased;
  };
  struct Place {
    int inside = 0, waiting = 0;
    bool taken = false;
    bool unused() const { return inside == 0 && waiting == 0 && !taken; }
  };

  void cover_all_before(const ScopeKey& scope, Moment moment) {
    auto& before = erased_before_[scope];
    before = std::max(before, moment);
  }

  // Keeps the words of the newest erasures. If there are too many, everything said before the oldest counts as erased.
  void remember(Known erased) {
    std::erase_if(known_, [&](const Known& one) { return one.moment + kLongestCall < erased.moment; });
    if (known_.size() >= kMostKnown) {
      cover_all_before(known_.front().scope, known_.front().moment);
      known_.pop_front();
    }
    known_.push_back(std::move(erased));
  }

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
  std::map<ScopeKey, Moment> erased_before_;
  std::deque<Known> known_;  ///< erasures by ids, oldest first
};

}  // namespace weft
