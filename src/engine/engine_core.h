#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/threads.h"
#include "engine/background.h"
#include "engine/erasure_gate.h"
#include "engine/known_facts.h"
#include "engine/log_readers.h"
#include "engine/model_set.h"
#include "engine/profiles.h"
#include "engine/serving.h"
#include "engine/sessions.h"
#include "engine/states.h"
#include "engine/tasks.h"
#include "engine/usage_ledger.h"
#include "engine/watch.h"
#include "flow/context/offered_tools.h"
#include "flow/historian/historian_jobs.h"
#include "flow/memory/likeness.h"
#include "ports/files/end_summaries.h"
#include "ports/files/file_system.h"
#include "ports/files/job_mirror.h"
#include "ports/files/line_log.h"
#include "weft/request.h"
#include "weft/result.h"

namespace weft {

/// A request in the name of a scope, by its key, for what works in the background: without a deadline.
Result<RequestContext> request_of_scope(const ScopeKey& key);

/// Who speaks, for what is written down: the user, or the scope where none is named.
std::string speaker_of(const RequestContext& request);

/// Whose it is what a caller hands in: its own where nobody is named, or everybody's. For another owner nobody can
/// speak: kPermission, with `what` named.
Result<std::string> owner_for(const RequestContext& request, const std::string& owner, std::string_view what);

/// What every service of the engine stands on: the settings, the ports and what is shared in memory. Filled by the
/// engine before it makes them; it outlives the services and the threads. Each member is safe from any thread by
/// itself.
struct EngineCore {
  explicit EngineCore(Config settings) : config(std::move(settings)) {}

  /// The historian's model; null where there is none.
  ChatModel* historian() const { return given_historian ? given_historian.get() : models->chat("historian"); }
  HistorianPorts historian_ports();

  /// How many tokens the model of one call takes: what the caller says (0: nothing), else what is known of the model by
  /// its name; where it names none, of the configured main model.
  std::int64_t window_of(std::int64_t asked, const std::string& model) const;

  /// How alike texts are in meaning: by the embedder that serves, by words while there is none.
  std::unique_ptr<Likeness> likeness() const;

  /// Whether the scope with this key has memory, or the old mode.
  bool remembers(const ScopeKey& scope) const;

  /// Writes what was made anew or changed, in the store and in the index: what has a row already keeps it.
  Status keep_written(WriteBatch& batch);

  /// Gives numbers to items that have none.
  Status number(std::vector<ItemRow>& items);

  /// Wakes whoever works off jobs, and whoever shows them as files.
  void jobs_came();

  /// Drops everything of a scope that is held here in memory.
  void forget(const ScopeKey& scope);

  Config config;
  ModelCatalogue catalogue{config};
  std::optional<WorkspaceLock> lock;
  std::unique_ptr<Clock> clock;
  std::unique_ptr<Store> store;
  std::unique_ptr<DocumentFiles> documents;
  std::unique_ptr<ProfileFiles> profile_files;
  std::unique_ptr<EndSummaries> end_summaries;
  std::unique_ptr<UsageLedger> usage;
  std::unique_ptr<ModelSet> models;
  std::unique_ptr<ChatModel> given_historian;
  std::unique_ptr<KnownFacts> facts;
  std::unique_ptr<SessionTable> sessions;
  std::unique_ptr<SessionTasks> tasks;
  std::unique_ptr<SessionLog> session_log;
  std::unique_ptr<ModelChange> change;
  PromptMemory prompts;
  Sync<std::map<std::string, OfferedTools>> described_tools;  ///< by session
  StoryShelf story;  ///< what is made once from lore and states
  Metrics metrics;
  std::atomic<bool> topics_by_words = false;  ///< since the encoder did not answer in time when topics were decided
  ErasureGate erasure_gate;  ///< passed by those who write what they have read before

  // Each wakes a thread of the background.
  Waker indexer, historians, job_mirror, segmenter, idle, lead_maker, compactor, diarist;
  Waker reflector, asker, replayer, skill_embedder;
  std::unique_ptr<LogReaders> log_readers;  ///< the store wakes them after each append

  std::unique_ptr<Feed> feed;
};

/// One string of a scope's key and a session's id that no other pair has.
std::string prompt_key(const ScopeKey& scope, const SessionId& session);

}  // namespace weft
