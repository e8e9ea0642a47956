#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "text/traces.h"
#include "weft/ids.h"

namespace weft {

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
    bool is_erased = false;  ///< all that was said at the moment is erased
    std::vector<std::shared_ptr<const Traces>> erased = {};  ///< words that were erased since the moment
    std::optional<Pass> pass = {};

    bool covers(std::string_view text) const {
      return is_erased || std::any_of(erased.begin(), erased.end(), [&](const auto& one) { return one->said_in(text); });
    }
  };
  Late late(const ScopeKey& scope, Moment moment) {
    ScopeKey own = scope;  // made first: it may throw
    Late late;
    const std::lock_guard lock(mutex_);
    const auto before = erased_before_.find(scope);
    if (before != erased_before_.end() && moment < before->second) return {.is_erased = true};
    for (const Erased& one : erased_words_)
      if (one.scope == scope && moment < one.moment) late.erased.push_back(one.words);
    Place& place = places_[scope];
    if (place.taken) return late;
    ++place.inside;
    late.pass.emplace(Pass(*this, std::move(own), false));
    return late;
  }
  /// For the erasure. `ago`: it covers all that was said until so long before it begins; none: it does not go by time.
  /// It also covers what holds any of these words.
  Pass alone(const ScopeKey& scope, std::optional<std::chrono::milliseconds> ago = {}, Traces words = Traces()) {
    ScopeKey own = scope;
    std::unique_lock lock(mutex_);
    Place& place = places_[scope];
    ++place.waiting;
    changed_.wait(lock, [&] { return place.inside == 0 && !place.taken; });
    --place.waiting;
    if (ago) cover_all_before(scope, std::chrono::steady_clock::now() - *ago);
    if (!words.empty()) remember({scope, std::chrono::steady_clock::now(), std::make_shared<Traces>(std::move(words))});
    place.taken = true;
    return {*this, std::move(own), true};
  }

 private:
  static constexpr std::size_t kMostErased = 64;

  struct Erased {
    ScopeKey scope;
    Moment moment;
    std::shared_ptr<const Traces> words;
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

  // Only the words of the newest erasures are remembered; of older ones all that was said before them counts as erased.
  void remember(Erased erased) {
    erased_words_.push_back(std::move(erased));
    std::size_t pieces = 0;
    for (const Erased& one : erased_words_) pieces += one.words->size();
    while (erased_words_.size() > 1 && (erased_words_.size() > kMostErased || pieces > Traces::kMost)) {
      const Erased& oldest = erased_words_.front();
      cover_all_before(oldest.scope, oldest.moment);
      pieces -= oldest.words->size();
      erased_words_.pop_front();
    }
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
  std::deque<Erased> erased_words_;
};

}  // namespace weft
