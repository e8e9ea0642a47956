#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "flow/stream/session_state.h"

namespace weft {

/// The sessions in memory, each behind its own lock, so that calls on one session are put in order while others go on.
/// A session that has not been used for long leaves memory; the store has all of it. Safe from many threads.
class SessionTable {
 public:
  SessionTable(Store& store, std::size_t capacity) : store_(store), capacity_(capacity) {}

  /// One session held by one caller. `state` may be thrown away with `forget` when a write failed: the next caller
  /// restores it from the store.
  class Held {
   public:
    SessionState& operator*() { return *state_; }
    SessionState* operator->() { return state_; }
    void forget() { *restored_ = false; }

   private:
    friend class SessionTable;
    std::shared_ptr<void> keep_;
    std::unique_lock<std::mutex> lock_;
    SessionState* state_ = nullptr;
    bool* restored_ = nullptr;
  };

  /// Waits for the session, restoring it first where needed.
  Result<Held> hold(const std::string& scope, const SessionId& session);

 private:
  struct Entry {
    std::mutex mutex;
    SessionState state;
    bool restored = false;
  };
  using Key = std::string;

  std::shared_ptr<Entry> entry_of(const Key& key);

  Store& store_;
  std::size_t capacity_;
  std::mutex mutex_;
  std::list<Key> used_;  ///< most recently used first
  std::unordered_map<Key, std::pair<std::shared_ptr<Entry>, std::list<Key>::iterator>> entries_;
};

}  // namespace weft
