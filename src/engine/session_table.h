#pragma once

#include <atomic>
#include <cstdint>
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

  struct Entry;

  /// One session held by one caller. The state may be thrown away with `forget` when a write failed: it is restored
  /// from the store by the next caller, or by `refresh`.
  class Held {
   public:
    SessionState& operator*() { return entry_->state; }
    SessionState* operator->() { return &entry_->state; }
    void forget() { entry_->restored = 0; }
    /// Restores the state if it was thrown away, or if `forget_all` was called since it was restored.
    Status refresh();

   private:
    friend class SessionTable;
    SessionTable* table_ = nullptr;
    std::shared_ptr<Entry> entry_;
    std::unique_lock<std::mutex> lock_;
  };

  /// Waits for the session, restoring it first where needed.
  Result<Held> hold(const ScopeKey& scope, const SessionId& session);

  /// What is in memory is out of date: every session is restored when it is next held or refreshed. Waits for nobody.
  void forget_all() { ++round_; }
  /// The same for the sessions of one scope.
  void forget(const ScopeKey& scope);

  struct Entry {
    ScopeKey scope;
    SessionId session;
    std::mutex mutex;
    SessionState state;
    std::atomic<std::uint64_t> round = 0;  ///< of this session, beside that of the table
    std::uint64_t restored = 0;  ///< the sum of both rounds when it was; 0: not at all
  };

 private:
  using Key = std::string;

  std::shared_ptr<Entry> entry_of(const Key& key);

  Store& store_;
  std::size_t capacity_;
  std::atomic<std::uint64_t> round_ = 1;
  std::mutex mutex_;
  std::list<Key> used_;  ///< most recently used first
  std::unordered_map<Key, std::pair<std::shared_ptr<Entry>, std::list<Key>::iterator>> entries_;
};

}  // namespace weft
