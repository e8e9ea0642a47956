#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "base/sync.h"
#include "engine/services.h"
#include "flow/memory/memory_file.h"
#include "model/erased_messages.h"
#include "ports/files/file_system.h"
#include "weft/knowledge.h"

namespace weft {

struct EngineCore;

/// MEMORY.md of each scope, and its entries in the index. People may edit the file at any time: what has changed is
/// seen when it is next asked for, and what cannot be read is told and left alone. Safe from any thread.
class Knowledge final : public KnowledgeService {
 public:
  explicit Knowledge(EngineCore& core) : core_(core) {}

  // As `KnowledgeService` says.
  Result<KnowledgeFile> knowledge(const RequestContext& request) override;
  Result<KnowledgeAdded> add_knowledge(const RequestContext& request, const KnowledgeEntry& entry) override;
  Result<KnowledgeFile> write_knowledge(const RequestContext& request, const std::string& text, bool force) override;
  Result<KnowledgeEntry> confirm_knowledge(const RequestContext& request, const std::string& text) override;

  /// Puts what people have changed into the index. Cheap where nothing was: one look at the file.
  void refresh(const ScopeKey& scope);

  /// Which entries were recalled, for what goes first when the file is too large. Returns at once.
  void used(const ScopeKey& scope, const std::vector<Hit>& hits);
  /// Writes what was counted into MEMORY.uses.json beside the file, at most now and then: what a crash loses of it are
  /// the last seconds. Gives when to look again.
  std::optional<std::chrono::milliseconds> keep_uses(std::stop_token stop);

  /// Takes out entries that come from these messages; `everything` removes the files.
  Status erase(const ErasedMessages& gone);

 private:
  /// How often entries were recalled, by a digest of them: no text stands twice.
  struct UseCounts {
    std::map<std::string, std::int64_t> counts;
    bool changed = false;
  };

  std::filesystem::path path_of(const ScopeKey& scope) const;
  Result<MemoryFile> read(const ScopeKey& scope);
  Status keep(const ScopeKey& scope, MemoryFile& file);
  Status index(const ScopeKey& scope, const MemoryFile& file);
  Status archive(const ScopeKey& scope, const std::vector<KnowledgeEntry>& gone);
  std::vector<std::string> least_used(const ScopeKey& scope);
  std::filesystem::path uses_path(const ScopeKey& scope) const;
  UseCounts& uses_of(const ScopeKey& scope, std::map<ScopeKey, UseCounts>& all) const;

  EngineCore& core_;
  std::mutex files_;  ///< one reads and writes at a time
  Sync<std::map<ScopeKey, std::optional<FileRevision>>> seen_;  ///< revision of the file that is in the index, by scope
  Sync<std::map<ScopeKey, UseCounts>> uses_;  ///< by scope, read when it is first asked for
  std::chrono::steady_clock::time_point uses_kept_{};  ///< of the thread that writes them
};

}  // namespace weft
