#pragma once

#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "weft/ids.h"
#include "weft/result.h"

namespace weft {

/// Append-only JSON lines beside the store, for people and their tools: sessions/SCOPE/SESSION.jsonl with the original
/// messages, and compaction/summaries.jsonl. The rows are the truth: a file that is gone is written anew. Ids are
/// encoded, so that none leaves its folder. Safe from many threads.
class SessionLog {
 public:
  explicit SessionLog(std::filesystem::path workspace) : workspace_(std::move(workspace)) {}

  /// How many lines the session's file has.
  Result<std::size_t> lines(const ScopeKey& scope, const std::string& session);

  /// Adds messages, a JSON object each.
  Status append(const ScopeKey& scope, const std::string& session, const std::vector<std::string>& messages);

  /// Adds a line on a compaction: {"scope", "session", …}.
  Status append_summary(const std::string& line);

  /// Takes out what the files say of sessions of a scope; of all of them where the list is empty.
  Status erase(const ScopeKey& scope, const std::vector<std::string>& sessions);

  std::filesystem::path path_of(const ScopeKey& scope, const std::string& session) const;
  std::filesystem::path summaries() const { return workspace_ / "compaction" / "summaries.jsonl"; }

 private:
  std::filesystem::path workspace_;
  std::mutex mutex_;
};

}  // namespace weft
