#pragma once

#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

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

/// What the last prompt of each session was: the memory block stays the same while one user message is worked on, and
/// the share of the prompt that a provider can take from its cache is measured against it. Holds the sessions used
/// last. Safe from many threads; a cache, so it may forget.
class PromptMemory {
 public:
  /// The memory block woven for this very user message before.
  std::optional<std::string> memory_for(const std::string& session, std::uint64_t user_message);

  /// The memory block of the session's last prompt, as a list for the write gate; empty if there is none.
  std::vector<std::string> recalled(const std::string& session);

  /// Forgets all prompts, after erasure.
  void clear();

  /// Notes a prompt and says how far it goes on from the session's last one.
  PrefixKept note(const std::string& session, std::uint64_t user_message, std::string memory,
                  std::vector<PromptPiece> prompt);

 private:
  static constexpr std::size_t kSessions = 64;
  struct Entry {
    std::uint64_t user_message = 0;
    std::string memory;
    std::vector<PromptPiece> prompt;
    std::list<std::string>::iterator place;
  };
  std::mutex mutex_;
  std::list<std::string> used_;
  std::unordered_map<std::string, Entry> entries_;
};

}  // namespace weft
