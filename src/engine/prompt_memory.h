#pragma once

#include <cstdint>
#include <list>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "flow/context/build_context.h"

namespace weft {

/// One message of a prompt with the section it belongs to.
struct PromptPiece {
  std::string section, text;
};

/// How far a prompt goes on from the one before.
struct PrefixKept {
  std::int64_t equal_bytes = 0;  ///< its first bytes that are the same
  std::int64_t last_bytes = 0;   ///< of the one before
  std::string broken_by;         ///< the section at which they part; empty where nothing of the former is different
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
