#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/sync.h"
#include "engine/ends.h"
#include "weft/repair.h"
#include "weft/request.h"
#include "weft/result.h"
#include "weft/status.h"

namespace weft {

struct EngineCore;

/// What an operator asks of a workspace: its queue, health and figures, backups, exports and repairs. Safe from any
/// thread.
class Operations {
 public:
  Operations(EngineCore& core, Ends& ends) : core_(core), ends_(ends) {}

  // `Upkeep` in weft/facets/upkeep.h says what these do.
  Result<std::vector<JobInfo>> jobs();
  EngineStatus status();
  Status retry(const JobId& job);
  Result<std::size_t> retry_failed();
  Result<std::size_t> purge_failed(const JobId& job);
  Status drain(std::chrono::milliseconds limit);
  Status wait_ready(std::chrono::milliseconds limit);
  Result<RepairReport> repair_events(bool dry_run);
  Result<BackupReport> backup(const std::string& folder);
  Status export_scope(const RequestContext& request, const std::function<Status(std::string_view line)>& take);
  std::string metrics_text(bool names);
  std::uint64_t add_metrics(std::function<std::string()> text);
  void remove_metrics(std::uint64_t number);

  /// Tells the log of what has become wrong, and of what is well again. Gives when to look next.
  std::optional<std::chrono::milliseconds> watch_health(std::stop_token stop);

 private:
  std::vector<Problem> problems(const EngineStatus& status);
  Status probe_store();
  void purge_old_failures();
  void trim_log();

  EngineCore& core_;
  Ends& ends_;
  const std::chrono::steady_clock::time_point opened_ = std::chrono::steady_clock::now();
  struct Watch {
    std::set<std::string> known;  ///< codes of problems that were told already
    std::optional<std::chrono::steady_clock::time_point> probed;  ///< when the store was last written to for a trial
    Status written;  ///< what came of it
  };
  Sync<Watch> watch_;
  Sync<std::map<std::uint64_t, std::function<std::string()>>> sources_;  ///< of metrics, by their numbers
};

}  // namespace weft
