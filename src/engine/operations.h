#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/threads.h"
#include "engine/historian.h"
#include "engine/serving.h"
#include "weft/memory.h"
#include "weft/request.h"
#include "weft/result.h"
#include "weft/status.h"

namespace weft {

struct EngineCore;

/// How the index stands to the rows of one kind in one scope.
struct ShelfCheck {
  ScopeKey scope;
  ItemKind kind = ItemKind::kMessage;
  std::size_t rows = 0;           ///< entries of the index
  std::size_t vectors = 0;        ///< of them with one of the model that serves
  std::size_t words_only = 0;     ///< that never get one
  std::size_t waiting = 0;        ///< for one
  std::size_t wrong_words = 0;    ///< stand under other words than their text has
  std::size_t wrong_vectors = 0;  ///< of another model or length, or of no direction
  std::size_t missing = 0;        ///< messages without an entry
  std::size_t loose = 0;          ///< entries whose message is not there
  std::size_t unlike_memory = 0;  ///< entries that the index in memory lacks, or has too many

  /// What making the index anew would mend.
  std::size_t to_mend() const { return wrong_words + wrong_vectors + missing + unlike_memory; }
};

/// The index against what it was made from.
struct IndexCheck {
  std::vector<std::string> faults;  ///< of the store's own files, in the store's words
  std::vector<ShelfCheck> shelves;
  std::size_t sampled = 0;  ///< vectors that were made again from their text
  std::size_t strange = 0;  ///< of them, those that came out otherwise: another model has made them
  std::size_t mended = 0;   ///< entries that were made anew

  /// Most of the sample is of another model, though it has the name of the one that serves.
  bool other_model() const { return strange * 2 > sampled; }
};

/// Compares the index with what it was made from, scope by scope, and makes anew what is not as it should be. What
/// changes meanwhile is looked at again before it counts. Used once, by one thread; calls of others go on.
class IndexCheckup {
 public:
  IndexCheckup(EngineCore& core, bool mend);
  Result<IndexCheck> run();

 private:
  /// What is wrong in one scope.
  struct Scope {
    ScopeKey key;
    std::array<ShelfCheck, kItemKinds.size()> shelves;
    std::vector<std::pair<SessionId, std::int64_t>> words;  ///< entries under wrong words: session and row
    std::vector<VectorUpdate> vectors;                      ///< wrong ones, to be made again
    std::vector<MessageRow> missing;

    ShelfCheck& of(ItemKind kind) { return shelves[static_cast<std::size_t>(kind)]; }
  };
  /// A vector that may be made again, to see whether it is the same.
  struct Drawn {
    std::string text;
    std::vector<float> vector;
  };

  Status look_at_file();
  Status look_at(Scope& scope);
  void look_at_entry(Scope& scope, ItemRow&& row);
  void look_at_vector(Scope& scope, ItemRow&& row);
  Status look_at_messages(Scope& scope, std::unordered_map<std::string, ItemId> indexed, std::int64_t last_seq);
  Status look_at_memory(Scope& scope, const std::unordered_map<std::int64_t, ItemKind>& kinds, std::int64_t last_row);
  Result<bool> is_there(const ScopeKey& scope, std::int64_t row);
  void draw(ItemRow&& row);
  Status compare_drawn();

  Status mend(Scope& scope);
  Status mend_words(Scope& scope);
  Status mend_missing(Scope& scope);
  Status forget_all_vectors();

  EngineCore& core_;
  const bool mend_;
  const std::shared_ptr<Serving> serving_;
  std::size_t dimensions_ = 0;  ///< of the model that serves; 0: not known yet
  IndexCheck found_;
  std::vector<Drawn> drawn_;
  std::size_t candidates_ = 0;
  std::minstd_rand random_;  ///< the same sample each time, of the same entries
};

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
