#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/sync.h"
#include "engine/log_readers.h"
#include "flow/memory/day_log.h"
#include "model/erased_messages.h"
#include "model/rows.h"
#include "weft/knowledge.h"
#include "weft/request.h"

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

}  // namespace weft
