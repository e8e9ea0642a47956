#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "engine/model_gate.h"
#include "engine/serving.h"
#include "engine/session_table.h"
#include "ports/store/store.h"
#include "weft/config.h"

namespace weft {

/// Which embedding model serves, and the way from one to the next without a pause.
///
/// When the configured model is not the one that the stored vectors came from, the former goes on serving, for searches
/// and for new items, while `work` makes the next model's vectors beside the old ones. When all are there, they take
/// each other's place in one transaction, and the next model serves. Where the former cannot be opened, words alone are
/// searched meanwhile. All progress is in the store, so that a change can be interrupted at any point.
///
/// Takes  the store, the models, and the sessions in memory, which hold vectors of the model that serves.
/// Gives  the model that serves (`serving`), and whether it still does at the end of a call (`is_serving`).
/// Promise  a call that begins and ends with the same `serving` has met vectors of that model only, if it wrote between
///          `gate().enter()` and the check.
/// Safe from many threads; `work` belongs to one.
class ModelChange {
 public:
  /// Opens the model that stored vectors came from, by its name; one without embedder where it cannot be opened.
  using OpenFormer = std::function<EmbedderModel(const std::string& name)>;

  /// Reads from the store how far the change is. `store` and `config` must outlive it. `sessions` are
  /// forgotten with the gate closed, when the store holds the next model's vectors and before it serves.
  static Result<std::unique_ptr<ModelChange>> open(Store& store, const Config& config, EmbedderModel configured,
                                                   const OpenFormer& former, SessionTable& sessions);

  std::shared_ptr<Serving> serving() const;
  bool is_serving(const Serving& serving) const;

  /// To be passed by whoever writes what depends on the model that serves.
  ModelGate& gate() { return gate_; }

  /// Makes vectors of the next model and lets it serve when none is missing. Gives the time after which to try again,
  /// or nothing when there is nothing left to do.
  std::optional<std::chrono::milliseconds> work(const std::stop_token& stop);

  bool under_way() const { return under_way_; }

  struct Progress {
    std::string model;  ///< empty: no change is under way
    std::string state;  ///< of the next model, as of `EmbedderModel::state`
    NextCounts items;
  };
  Progress progress() const;

 private:
  ModelChange(Store& store, const Config& config, SessionTable& sessions)
      : store_(store), config_(config), sessions_(sessions) {}
  Status begin(EmbedderModel configured, const OpenFormer& former);
  std::shared_ptr<Serving> make_serving(EmbedderModel model);

  enum class Step { kMore, kAllThere, kModelAway };
  Result<Step> embed_some(const std::stop_token& stop);
  Status let_next_serve();

  Store& store_;
  const Config& config_;
  SessionTable& sessions_;
  ModelGate gate_;
  EmbedderModel next_;  ///< stays as it is until the end
  std::atomic<bool> under_way_ = false;
  std::int64_t behind_ = 0;  ///< items up to this row have been looked at in this pass
  bool missed_ = false;  ///< whether this pass found an item without a vector
  mutable std::mutex mutex_;
  std::shared_ptr<Serving> serving_;
};

}  // namespace weft
