#pragma once

#include <deque>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "base/sync.h"
#include "engine/services.h"
#include "flow/memory/day_log.h"
#include "model/erased_messages.h"
#include "model/rows.h"
#include "weft/knowledge.h"
#include "weft/request.h"

namespace weft {

struct EngineCore;

/// What happens in the sessions of each scope, as files for people, a day each. They are made from the messages in the
/// store, in the background: a crash loses nothing, since what is not written yet is found there again. Safe from any
/// thread.
class Diaries final : public DayService {
 public:
  explicit Diaries(EngineCore& core) : core_(core) {}

  /// Takes in messages that were just kept; they are written a moment later.
  void note(std::span<const MessageRow> messages);

  /// Writes what waits, and once a day shortens old days. Gives when to look again.
  std::optional<std::chrono::milliseconds> write(std::stop_token stop);

  /// After a start: messages that were kept and are in no file yet.
  Status recover();

  // As `DayService` says.
  Result<std::vector<std::string>> days(const RequestContext& request) override;
  Result<Day> day(const RequestContext& request, const std::string& date) override;

  /// What other sessions were about today and yesterday, or the whole of these days, as the settings have it; empty
  /// where there is nothing. It stays the same for a session as long as the day does, so that prompts keep their head.
  std::string for_prompt(const ScopeKey& scope, const SessionId& session, bool works_on_task);

  /// Takes out what was made of these messages.
  Status erase(const ErasedMessages& gone);

 private:
  std::filesystem::path folder(const ScopeKey& scope) const;
  DayLog& log_of(const ScopeKey& scope);
  std::vector<DayNote> notes_of(const std::vector<MessageRow>& messages);
  Status shorten_old_days();
  Result<std::vector<std::string>> outputs_of_calls(const ScopeKey& scope, const SessionId& session,
                                                    const std::map<std::string, Time>& messages);

  EngineCore& core_;
  Sync<std::deque<MessageRow>> waiting_;
  std::mutex files_;  ///< one writes at a time; also of what follows
  std::map<ScopeKey, DayLog> logs_;  ///< of those that were written lately
  std::map<std::string, ToolCall> calls_;  ///< by session and id, whose outputs have not come
  std::string shortened_on_;  ///< the day on which old ones were shortened last
  Sync<std::map<std::string, std::pair<std::string, std::string>>> told_;  ///< by prompt key: day, and what was told
};

}  // namespace weft
