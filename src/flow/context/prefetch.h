#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flow/context/injector.h"
#include "weft/ids.h"
#include "weft/made_by.h"
#include "weft/plan.h"

namespace weft {

/// Whose late result is meant.
struct PrefetchKey {
  ScopeKey scope;  ///< Scope::key()
  SessionId session;

  friend bool operator==(const PrefetchKey&, const PrefetchKey&) = default;
};

/// What a result was made for.
struct PrefetchOrigin {
  PlanContext plan;
  std::string input;
  std::string head;  ///< the message at the head of the living branch then; empty: not known
};

/// A late result that waits for the next turn.
struct Prefetched {
  std::vector<CuratedEntry> entries;
  LayerLabels labels;
  MadeBy by = MadeBy::kFloor;
  PrefetchOrigin origin;
};

struct PrefetchOptions {
  std::size_t entries = 256;  ///< results kept in all; the oldest goes first
  std::size_t entries_of_session = 4;
  std::chrono::milliseconds max_age = std::chrono::minutes(10);
  double min_overlap = 0.3;  ///< of the words looked for then and now
};

/// How much two searches look for the same, 0 to 1: what the smaller of both sets of words (keywords and input) shares
/// with the larger, keywords among themselves where both plans have any. 0 where both name an active quest and it is
/// not the same one; at least a half where it is the same one and nothing else says otherwise.
double focus_overlap(const PlanContext& then, std::string_view input_then, const PlanContext& now,
                     std::string_view input_now);

/// Late results of the probabilistic stream, kept in memory for the next turn of their session. Nothing is served
/// across scopes or sessions. All functions are safe from any thread.
class Prefetch {
 public:
  using Time = std::chrono::steady_clock::time_point;
  /// Whether a message is still part of the session's living branch.
  using Living = std::function<bool(std::string_view head)>;
  /// Clock of the ages; empty: the steady clock.
  explicit Prefetch(PrefetchOptions options = {}, std::function<Time()> now = {});

  /// Taken before work begins whose result is put in later, so that nothing comes in that was made before a `clear`.
  std::uint64_t ticket() const;

  /// Keeps a result; of the same session and an equal plan the newer replaces the older. Nothing happens where
  /// anything was cleared since the ticket was taken.
  void put(const PrefetchKey& key, Prefetched result, std::uint64_t ticket);

  /// Takes out the result that fits best what is looked for now. Results of that session that are too old, of a branch
  /// that was left, or for another focus are dropped on the way. `living` empty: every branch counts as living; it is
  /// called while no lock is held.
  std::optional<Prefetched> take_if_relevant(const PrefetchKey& key, const PlanContext& plan, std::string_view input,
                                             const Living& living = {});

  /// Forgets all of a scope, also what is still being made.
  void clear(const ScopeKey& scope);

  std::size_t size() const;

 private:
  struct Entry {
    PrefetchKey key;
    std::uint64_t plan = 0;  ///< digest
    Time made;
    Prefetched result;
  };

  std::vector<Entry> take_all(const PrefetchKey& key);

  const PrefetchOptions options_;
  const std::function<Time()> now_;
  mutable std::mutex mutex_;
  std::list<Entry> entries_;  ///< the oldest first
  std::uint64_t cleared_ = 0;
};

}  // namespace weft
