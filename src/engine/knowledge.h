#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/sync.h"
#include "engine/services.h"
#include "flow/memory/memory_file.h"
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
  void refresh(const std::string& scope);

  /// Which entries were recalled, for what goes first when the file is too large.
  void used(const std::string& scope, const std::vector<Hit>& hits);

  /// Takes out entries that come from these messages; `everything` removes the files.
  Status erase(const std::string& scope, const std::map<SessionId, std::set<std::string>>& messages, bool everything);

 private:
  std::filesystem::path path_of(const std::string& scope) const;
  Result<MemoryFile> read(const std::string& scope);
  Status keep(const std::string& scope, MemoryFile& file);
  Status index(const std::string& scope, const MemoryFile& file);
  Status archive(const std::string& scope, const std::vector<KnowledgeEntry>& gone);
  std::vector<std::string> least_used(const std::string& scope);

  EngineCore& core_;
  std::mutex files_;  ///< one reads and writes at a time
  Sync<std::map<std::string, std::string>> seen_;  ///< revision of the file that is in the index, by scope
  Sync<std::map<std::string, std::map<std::string, std::int64_t>>> uses_;  ///< by scope and text
};

}  // namespace weft
