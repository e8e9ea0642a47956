#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/sync.h"
#include "flow/memory/memory_file.h"
#include "model/erased_messages.h"
#include "ports/files/document_files.h"
#include "ports/files/file_system.h"
#include "weft/knowledge.h"
#include "weft/request.h"
#include "weft/result.h"

namespace weft {

struct EngineCore;

/// MEMORY.md of each scope, a document that people may edit as a file at any time, and its entries in the index. Both
/// change in one transaction. An edit of the file is seen when the document is next asked for. Safe from any thread.
class Knowledge final {
 public:
  explicit Knowledge(EngineCore& core) : core_(core) {}

  // As the facet `Memory` says.
  Result<KnowledgeFile> knowledge(const RequestContext& request);
  Result<KnowledgeAdded> add_knowledge(const RequestContext& request, const KnowledgeEntry& entry);
  Result<KnowledgeFile> write_knowledge(const RequestContext& request, const std::string& text, bool force);
  Result<KnowledgeEntry> confirm_knowledge(const RequestContext& request, const std::string& text);

  /// Adds an entry in the same transaction as `batch`.
  Result<KnowledgeAdded> add(const ScopeKey& scope, const KnowledgeEntry& entry, WriteBatch batch);

  /// Takes in what people have changed. Cheap if nobody has: one look at the file.
  void refresh(const ScopeKey& scope);

  /// Counts which entries were recalled: if MEMORY.md becomes too large, those that are used least go first. Returns at
  /// once.
  void used(const ScopeKey& scope, const std::vector<Hit>& hits);
  /// Stores the counts, at most now and then: a crash loses those of the last seconds. Gives when to look again.
  std::optional<std::chrono::milliseconds> keep_uses(std::stop_token stop);

  /// Takes out the entries that come from these messages; `everything` removes the document.
  Status erase(const ErasedMessages& gone);

 private:
  /// How often entries were recalled, by a digest of their texts.
  struct UseCounts {
    std::map<std::string, std::int64_t> counts;
    std::int64_t version = 0;  ///< of the document that keeps them
    bool changed = false;
  };
  struct Current {
    DocumentRow row;
    MemoryFile file;
  };

  DocumentPlace place_of(const ScopeKey& scope) const;
  DocumentPlace archive_of(const ScopeKey& scope) const;
  Result<Current> read(const ScopeKey& scope);
  Status keep(const ScopeKey& scope, Current& current, std::vector<KnowledgeEntry> gone, WriteBatch batch = {});
  Status archive(const ScopeKey& scope, const std::vector<KnowledgeEntry>& gone, WriteBatch& batch);
  Status index(const ScopeKey& scope, const MemoryFile& file, WriteBatch& batch) const;
  Status write(const ScopeKey& scope, WriteBatch& batch);
  std::vector<std::string> least_used(const ScopeKey& scope, const MemoryFile& file);
  std::filesystem::path former_uses_path(const ScopeKey& scope) const;
  UseCounts& uses_of(const ScopeKey& scope, std::map<ScopeKey, UseCounts>& all) const;

  EngineCore& core_;
  KeyLocks locks_;  ///< by scope
  Sync<std::map<ScopeKey, std::optional<FileRevision>>> seen_;  ///< revision of the file that is in the index, by scope
  Sync<std::map<ScopeKey, UseCounts>> uses_;  ///< by scope, read when it is first asked for
  std::chrono::steady_clock::time_point uses_kept_{};  ///< of the thread that writes them
};

}  // namespace weft
