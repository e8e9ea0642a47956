#include "engine/model_change.h"

#include "base/log.h"

namespace weft {
namespace {

constexpr std::size_t kBatch = 16;                        // items embedded between two writes: what a crash may cost
constexpr std::chrono::milliseconds kRetry{500};          // while the model is loading or the store is busy
constexpr std::chrono::seconds kEmbedTimeout{30};

EmbedderModel words_only(const EmbedderModel& like) {
  EmbedderModel model;
  model.similarity = like.similarity;
  return model;
}

}  // namespace

Result<std::unique_ptr<ModelChange>> ModelChange::open(Store& store, const Config& config, EmbedderModel configured,
                                                       const OpenFormer& former, SessionTable& sessions) {
  std::unique_ptr<ModelChange> change(new ModelChange(store, config, sessions));
  WEFT_CHECK(change->begin(std::move(configured), former));
  return change;
}

Status ModelChange::begin(EmbedderModel configured, const OpenFormer& former) {
  // Without an embedder nothing is known of what is wanted; vectors stay for the day on which it comes back.
  if (configured.name.empty()) {
    serving_ = make_serving(std::move(configured));
    return {};
  }
  WEFT_CHECK(store_.join(configured.name));
  WEFT_CHECK(store_.next_vectors().discard(configured.name));
  WEFT_TRY(const std::string noted, store_.note("embedder"));
  WEFT_TRY(const StoreCounts counts, store_.counts());
  if (noted == configured.name || noted.empty() || counts.items == 0) {
    WEFT_CHECK(store_.next_vectors().discard(""));
    if (configured.embedder) WEFT_CHECK(store_.items().forget_other_vectors(configured.name));
    serving_ = make_serving(std::move(configured));
    return {};
  }
  EmbedderModel old = former(noted);
  if (old.embedder) {
    log_info("embedder.change", noted + " serves until the vectors of " + configured.name + " are complete");
  } else {
    log_warning("embedder.change",
                "the embedder " + noted + ", which the stored vectors came from, cannot be opened (" + old.failure +
                    "); words alone are searched until the vectors of " + configured.name + " are complete");
    old = words_only(configured);
  }
  serving_ = make_serving(std::move(old));
  next_ = std::move(configured);
  under_way_ = true;
  return {};
}

std::shared_ptr<Serving> ModelChange::make_serving(EmbedderModel model) {
  return std::make_shared<Serving>(std::move(model), config_.stream, store_, gate_,
                                   static_cast<std::size_t>(config_.memory.index_mb) << 20);
}

std::shared_ptr<Serving> ModelChange::serving() const {
  const std::lock_guard lock(mutex_);
  return serving_;
}

bool ModelChange::is_serving(const Serving& serving) const {
  const std::lock_guard lock(mutex_);
  return serving_.get() == &serving;
}

std::optional<std::chrono::milliseconds> ModelChange::work(const std::stop_token& stop) {
  if (!under_way_ || !next_.embedder) return std::nullopt;
  while (!stop.stop_requested()) {
    const auto step = embed_some(stop);
    if (!step.ok()) log_error("embedder.change", step.error().message);
    if (!step.ok() || *step == Step::kModelAway) return kRetry;
    if (*step == Step::kMore) continue;
    const Status done = let_next_serve();
    if (done.ok()) return std::nullopt;
    log_error("embedder.change", done.error().message);
    return kRetry;
  }
  return std::nullopt;
}

// One pass after the other, since an item behind may have got another text, until one finds nothing.
Result<ModelChange::Step> ModelChange::embed_some(const std::stop_token& stop) {
  // Another program that shares the store may have made the last ones.
  WEFT_TRY(const std::string served, store_.note("embedder"));
  if (served == next_.name) return Step::kAllThere;
  WEFT_TRY(auto items, store_.next_vectors().missing(next_.name, behind_, kBatch));
  if (items.empty()) {
    behind_ = 0;
    return std::exchange(missed_, false) ? Step::kMore : Step::kAllThere;
  }
  missed_ = true;
  std::vector<NextVector> made;
  bool away = false;
  for (NextItem& item : items) {
    if (stop.stop_requested()) break;
    auto vector = next_.embedder->embed(item.text, EmbedUse::kPassage, Deadline({}, stop).within(kEmbedTimeout));
    away = !vector.ok() && vector.error().code != ErrorCode::kInvalidArgument;
    if (away) break;
    behind_ = item.row;
    made.push_back({item.row, std::move(item.text), std::move(vector).value_or({})});
  }
  if (!made.empty()) {
    if (Status kept = store_.next_vectors().keep(next_.name, made); !kept.ok()) {
      behind_ = made.front().row - 1;
      return kept.error();
    }
  }
  return away ? Step::kModelAway : Step::kMore;
}

// While the gate is closed nobody writes and no index is read from the rows; searches go on with what is in memory.
Status ModelChange::let_next_serve() {
  auto next = make_serving(next_);
  {
    const auto closed = gate_.close();
    WEFT_CHECK(store_.next_vectors().serve(next_.name));
    sessions_.forget_all();
    const std::lock_guard lock(mutex_);
    serving_.swap(next);
    under_way_ = false;
  }
  log_info("embedder.changed", next_.name + " serves");
  return {};
}

ModelChange::Progress ModelChange::progress() const {
  if (!under_way_) return {};
  Progress progress{next_.name, next_.state(), {}};
  if (const auto counts = store_.next_vectors().count(next_.name); counts.ok()) progress.items = *counts;
  return progress;
}

}  // namespace weft
