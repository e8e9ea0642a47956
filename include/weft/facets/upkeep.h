#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "weft/erasure.h"
#include "weft/ids.h"
#include "weft/profile.h"
#include "weft/result.h"
#include "weft/status.h"

namespace weft {

struct Services;

/// What the operator of a workspace does with it: these functions look across scopes.
class Upkeep {
 public:
  /// What waits in the queue, is being worked on, or failed.
  Result<std::vector<JobInfo>> jobs() const;
  /// Puts a failed job back to pending.
  Status retry(const JobId& job) const;
  /// Puts all failed jobs back to pending, all or none. Gives how many.
  Result<std::size_t> retry_failed() const;
  /// Takes failed jobs out for good: this one, or all if the id is empty. Gives how many went.
  Result<std::size_t> purge_failed(const JobId& job = {}) const;

  /// Writes the whole workspace to a folder, which must be empty or not there, as it was at one moment while others go
  /// on writing. What was acknowledged before the call is in it. `restore_backup` puts it back.
  Result<BackupReport> backup(const std::string& folder) const;
  /// Makes the events of the whole workspace anew from what they were made from, as the deterministic way words them
  /// now, and says what changed; with `dry_run` nothing is written. Events that a model worded are left, as are those
  /// whose sources are gone. Calls go on meanwhile; one session at a time waits for its own events.
  Result<RepairReport> repair_events(bool dry_run) const;

  /// Whether anything that a receipt names is there: ids in the rows, and erased texts in every file of the workspace
  /// and of the backups it knows of. What somebody else said in the same words is no trace.
  Result<EraseCheck> verify_erasure(const std::string& receipt_id) const;
  /// All profiles, without their text.
  Result<std::vector<ProfileSummary>> profiles(EntityType type) const;

  /// Whose memory there is: the keys "user:ann" and "group:g" of all scopes, sorted.
  Result<std::vector<ScopeKey>> scopes() const;

  /// Whoever waits for happenings (`Watch::happenings`) returns, and from now on nobody waits: the server is to stop.
  void end_watching() const;

  /// What was counted since the engine was opened, as text that Prometheus reads.
  /// With `names` the names of users and keys are told, too.
  std::string metrics_text(bool names = true) const;
  /// Has `metrics_text` tell what a program counts itself: text of the same form, of metrics with names of their own.
  /// It ends when what is given back goes, which must be before the engine does. `text` is called from any thread.
  [[nodiscard]] std::shared_ptr<void> also_tell(std::function<std::string()> text) const;

  /// Accounts for a call of a model that was not made by the engine. What it was and what it cost is kept at once.
  void note_model_call(const ModelCall& call) const;
  /// Totals of all calls of models that are kept (`usage.keep_days`), sorted. kInvalidArgument for days that are none
  /// and for names in `by` that nobody knows.
  Result<std::vector<UsageRow>> usage(const UsageQuery& query) const;

 private:
  friend class Engine;
  explicit Upkeep(const Services& services) : services_(&services) {}

  const Services* services_;
};

}  // namespace weft
