#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "flow/historian/write_gate.h"
#include "ports/store/store.h"

namespace weft {

/// A fact that a scope knows, or knew.
struct KnownFact {
  ItemId id;
  std::string text, attribute, quote;
  UserId sender;  ///< empty: not known
  SessionId session;
  std::vector<MessageId> sources;
  Time time;
  std::int64_t position = 0;
  std::optional<Time> until;  ///< since when it no longer holds
  ItemId supersedes;  ///< what it took the place of
  ItemId superseded_by;  ///< what took its place
  std::string first;  ///< of `holding`: how its matter was told first, as far back as that tells of the same attribute
};

/// What each scope has learnt, for finding a fact that is known already: read from the scope's events when it is first
/// needed, kept for the scopes used last. Safe from many threads.
class KnownFacts {
 public:
  explicit KnownFacts(Store& store) : store_(store) {}

  /// Judges a text that was said at `said` against what its scope knows; see `judge`. `context.known` and `context.day`
  /// are set here.
  std::optional<Refused> judge(const ScopeKey& scope, std::string_view text, Time said, GateContext context);

  void add(const ScopeKey& scope, const Item& event);

  /// What an item says that has been replaced since: by the facts that its messages stated.
  std::vector<OverPart> over(const ScopeKey& scope, const Item& item);

  /// The standing wishes of a speaker that hold, the oldest first. Without a speaker those of everybody.
  std::vector<KnownFact> wishes(const ScopeKey& scope, const std::optional<UserId>& sender);

  /// The newest fact that holds and that `wanted` takes.
  std::optional<KnownFact> newest(const ScopeKey& scope, const std::function<bool(const KnownFact&)>& wanted);

  /// Facts of a sender that hold and were said before that place of the log, the newest first, at most `most`. Without
  /// a sender those of everybody.
  std::vector<KnownFact> holding(const ScopeKey& scope, const std::optional<UserId>& sender, std::int64_t before,
                                 std::size_t most);

  /// What a message has told already, by attribute.
  std::set<std::string> told_by(const ScopeKey& scope, const SessionId& session, const MessageId& message);

  /// Forgets a scope, after erasure.
  void forget(const ScopeKey& scope);

 private:
  static constexpr std::size_t kScopes = 64;
  struct Entry {
    std::mutex mutex;  ///< of all that follows
    bool read = false;
    DuplicateIndex index;
    std::map<std::string, KnownFact> facts;  ///< by id
    std::multimap<std::string, const KnownFact*> replaced;  ///< by session and message
  };
  /// An entry for as long as this lives; nobody else reads or changes it meanwhile.
  struct Held {
    std::shared_ptr<Entry> entry;
    std::unique_lock<std::mutex> lock;
    Entry* operator->() const { return entry.get(); }
  };
  struct Place {
    std::shared_ptr<Entry> entry;
    std::list<ScopeKey>::iterator used;
  };
  Held entry_of(const ScopeKey& scope);
  static void take_in(Entry& entry, const Item& event);

  Store& store_;
  std::mutex mutex_;  ///< of the two that follow; never held while the store is read
  std::list<ScopeKey> used_;
  std::unordered_map<ScopeKey, Place> entries_;
};

}  // namespace weft
