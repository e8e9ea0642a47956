#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "base/threads.h"
#include "engine/log_readers.h"
#include "flow/memory/day_log.h"
#include "flow/memory/memory_file.h"
#include "model/job.h"
#include "model/rows.h"
#include "ports/files/document_files.h"
#include "ports/files/file_system.h"
#include "weft/knowledge.h"
#include "weft/request.h"
#include "weft/result.h"

namespace weft {

struct EngineCore;

/// The days of each scope (see `DayLog`): what happened in its sessions. A reader of the log adds the lines, in the
/// transaction that moves its cursor. Safe from any thread.
class Diaries final : public LogReader {
 public:
  explicit Diaries(EngineCore& core) : core_(core) {}

  // As `LogReader` says.
  const std::string& name() const override { return name_; }
  Result<WriteBatch> read(const LogPart& part) override;
  void written(const WriteBatch& batch) override;

  /// Shortens old days, once a day. Gives when to look again; none: never.
  std::optional<std::chrono::milliseconds> shorten_old_days();

  // As the facet `Memory` says.
  Result<std::vector<std::string>> days(const RequestContext& request);
  Result<Day> day(const RequestContext& request, const std::string& date);

  /// What other sessions were about today and yesterday, or the whole of these days, as the settings have it; empty
  /// where there is nothing. It stays the same for a session as long as the day does, so that prompts keep their head.
  std::string for_prompt(const ScopeKey& scope, const SessionId& session, bool works_on_task);

  /// Removes what was made of these messages.
  Status erase(const ErasedMessages& gone);
  /// Forgets what prompts were given: messages were erased at another server.
  void forget_prompts(const ScopeKey& scope);

 private:
  /// The days of a scope, held until the end of the use.
  struct Held {
    std::shared_ptr<std::mutex> mutex;
    std::unique_lock<std::mutex> lock;
    std::shared_ptr<DayLog> log;
    DayLog* operator->() const { return log.get(); }
  };
  Held hold(const ScopeKey& scope);
  Result<std::vector<DayNote>> notes_of(const std::vector<MessageRow>& messages);
  Result<std::optional<ToolCall>> call_before(const MessageRow& output, std::span<const MessageRow> batch);
  Status shorten_days_before(Time oldest);
  Result<std::vector<std::string>> outputs_of_calls(const ScopeKey& scope, const SessionId& session,
                                                    const std::map<std::string, Time>& messages);

  const std::string name_ = "diary";
  EngineCore& core_;
  KeyLocks locks_;  ///< by scope
  Sync<std::map<ScopeKey, std::shared_ptr<DayLog>>> logs_;  ///< of scopes that were used lately
  std::string shortened_on_;  ///< the day on which old ones were shortened last; for one thread
  Sync<std::map<std::string, std::pair<std::string, std::string>>> told_;  ///< by prompt key: day, and what was told
};

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

/// The kind of jobs that bring what a flush found into MEMORY.md.
inline constexpr const char* kAppendKind = "append";

/// Appends what a flush before a compaction found worth keeping to MEMORY.md of its scope (002, 1.3): in the words in
/// which it was said, below a heading of its kind, with day and source, so that it goes with its message. What is there
/// in other words is not added, what contradicts an entry is marked below it. Safe from any thread.
class FlushAppend {
 public:
  FlushAppend(EngineCore& core, Knowledge& knowledge) : core_(core), knowledge_(knowledge) {}
  /// Takes in what a job holds; once, however often it is tried.
  Status work_off(const Job& job);

 private:
  EngineCore& core_;
  Knowledge& knowledge_;
};

}  // namespace weft
