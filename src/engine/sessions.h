#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "flow/context/build_context.h"
#include "flow/stream/conversation.h"
#include "flow/stream/session_state.h"
#include "ports/store/store.h"
#include "weft/engine.h"

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

/// Finds the conversation of a client that resends its history and names no session, among those that were found or
/// begun so before: their sessions are called "chat-…". What decides is where the history parts from what is known.
/// One that goes on, or that replaces the newest turn, belongs to the conversation; any other one is a new
/// conversation, also where it begins alike. Costs a few look-ups, whatever the number of messages and sessions.
class Conversations {
 public:
  Conversations(Store& store, SessionTable& sessions, const Clock& clock)
      : store_(store), sessions_(sessions), clock_(clock) {}

  /// The session of a history without system messages. `chains`: of its messages, see `chained`. One that is `busy`,
  /// since it is being answered, does not count as the history's own.
  Result<SessionId> find(const ScopeKey& scope, std::span<const Message> spoken, std::vector<std::uint64_t> chains,
                         std::span<const SessionId> busy);

 private:
  struct Search {
    const ScopeKey& scope;
    std::span<const Message> spoken;
    std::span<const SessionId> busy;
    std::vector<HistoryMark> marks;
    std::vector<std::uint64_t> chains;
  };

  Result<std::optional<SessionId>> by_beginning(const Search& search);
  Result<std::optional<SessionId>> by_head(const Search& search, const std::vector<MessageRow>& rows);
  Result<bool> is_branch_of(const Search& search, const std::vector<MessageRow>& rows, const MessageRow& row,
                            std::size_t known);
  Result<std::optional<SessionId>> by_end(const Search& search);
  Result<bool> asks_again(const Search& search, const SessionId& session);
  Result<SessionId> new_session(const Search& search);

  Store& store_;
  SessionTable& sessions_;
  const Clock& clock_;
};

/// One message of a prompt with the section it belongs to.
struct PromptPiece {
  std::string section, text;
};

/// How far a prompt goes on from the one before.
struct PrefixKept {
  std::int64_t equal_bytes = 0;  ///< its first bytes that are the same
  std::int64_t last_bytes = 0;  ///< of the one before
  std::string broken_by;  ///< the section at which they part; empty where nothing of the former is different
};

/// A memory block with the user message that it was woven for.
struct TurnMemory {
  std::uint64_t user_message = 0;
  WovenMemory memory;
};

/// A skeleton with the user message that it was woven for; an empty text where there is none.
struct TurnSkeleton {
  std::uint64_t user_message = 0;
  std::string text;
};

/// What of a prompt stays where it stood in the next one.
struct StandingBlocks {
  std::vector<TurnMemory> memories;  ///< oldest first; the last one is of its own user message and may be empty
  TurnSkeleton skeleton;
};

/// What the last prompt of each session was: its blocks stay as they are where they stood, and the share of the
/// prompt that a provider can take from its cache is measured against it. Holds the sessions used last. Safe from many
/// threads; a cache, so it may forget.
class PromptMemory {
 public:
  /// Those of the session's last prompt.
  StandingBlocks blocks(const std::string& session);

  /// The texts of its memory blocks, as a list for the write gate.
  std::vector<std::string> recalled(const std::string& session);

  /// Forgets all prompts, after erasure.
  void clear();

  /// Forgets the memory blocks of all sessions whose name begins so: one of the items in them may no longer hold.
  void forget_memories(const std::string& sessions);

  /// Notes a prompt with its blocks, and says how far it goes on from the session's last one.
  PrefixKept note(const std::string& session, StandingBlocks blocks, std::vector<PromptPiece> prompt);

 private:
  static constexpr std::size_t kSessions = 64;
  struct Entry {
    StandingBlocks blocks;
    std::vector<PromptPiece> prompt;
    std::list<std::string>::iterator place;
  };
  std::mutex mutex_;
  std::list<std::string> used_;
  std::unordered_map<std::string, Entry> entries_;
};

}  // namespace weft
