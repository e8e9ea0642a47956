#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "flow/historian/write_gate.h"
#include "ports/store/store.h"

namespace weft {

/// What each scope has learnt, for finding a fact that is known already: read from the scope's events when it is first
/// needed, kept for the scopes used last. Safe from many threads.
class KnownFacts {
 public:
  explicit KnownFacts(Store& store) : store_(store) {}

  /// Judges a text that was said at `said` against what its scope knows; see `judge`. `context.known` and `context.day`
  /// are set here.
  std::optional<Refused> judge(const std::string& scope, std::string_view text, Time said, GateContext context);

  void add(const std::string& scope, const Item& event);

  /// Forgets a scope, after erasure.
  void forget(const std::string& scope);

 private:
  static constexpr std::size_t kScopes = 64;
  struct Entry {
    DuplicateIndex index;
    std::list<std::string>::iterator place;
  };
  Entry* entry_of(const std::string& scope);

  Store& store_;
  std::mutex mutex_;
  std::list<std::string> used_;
  std::unordered_map<std::string, Entry> entries_;
};

}  // namespace weft
