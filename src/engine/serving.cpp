#include "engine/serving.h"

#include <chrono>
#include <optional>
#include <utility>

#include "base/log.h"
#include "base/threads.h"
#include "engine/engine_core.h"
#include "flow/recall/query.h"

namespace weft {

std::shared_ptr<ScopeMemory::Entry> ScopeMemory::find(const ScopeKey& scope) {
  std::lock_guard lock(mutex_);
  const auto at = entries_.find(scope);
  return at == entries_.end() ? nullptr : at->second.first;
}

std::shared_ptr<ScopeMemory::Entry> ScopeMemory::find_or_make(const ScopeKey& scope) {
  std::lock_guard lock(mutex_);
  if (const auto at = entries_.find(scope); at != entries_.end()) {
    used_.splice(used_.begin(), used_, at->second.second);
    return at->second.first;
  }
  used_.push_front(scope);
  auto entry = std::make_shared<Entry>();
  entries_[scope] = {entry, used_.begin()};
  return entry;
}

// An entry that has left the table meanwhile counts no more.
std::shared_ptr<const ScopeIndex> ScopeMemory::measured(Entry& entry) {
  const std::size_t bytes = entry.index->bytes();
  std::lock_guard lock(mutex_);
  if (!entry.is_gone) {
    bytes_ += bytes - entry.bytes;
    entry.bytes = bytes;
  }
  while (bytes_ > most_bytes_ && entries_.size() > 1) drop(entries_.find(used_.back()));
  return entry.index;
}

void ScopeMemory::drop(Entries::iterator at) {
  Entry& entry = *at->second.first;
  entry.is_gone = true;
  bytes_ -= entry.bytes;
  used_.erase(at->second.second);
  entries_.erase(at);
}

Status ScopeMemory::load(const ScopeKey& scope, Entry& entry) {
  auto index = std::make_shared<ScopeIndex>(means_);
  Status added;
  WEFT_CHECK(store_.items().scan(scope, [&](ItemRow&& row) {
    if (row.model != embedder_) row.vector.clear();
    if (added.ok()) added = index->add(row);
  }));
  WEFT_CHECK(added);
  entry.index = std::move(index);
  return {};
}

Result<std::shared_ptr<const ScopeIndex>> ScopeMemory::index_of(const ScopeKey& scope) {
  const auto entry = find_or_make(scope);
  {
    std::lock_guard lock(entry->loading);
    if (entry->index) return measured(*entry);
  }
  // Before the lock: who writes has passed the gate already and waits for the lock.
  const auto pass = gate_.enter();
  std::lock_guard lock(entry->loading);
  if (!entry->index) WEFT_CHECK(load(scope, *entry));
  return measured(*entry);
}

void ScopeMemory::added(std::span<const ItemRow> items) {
  for (const ItemRow& item : items) {
    const auto entry = find(item.scope);
    if (!entry) continue;
    std::lock_guard lock(entry->loading);
    if (!entry->index) continue;
    if (auto done = entry->index->add(item); !done.ok()) log_error("index.add", done.error().message);
  }
}

void ScopeMemory::embedded(const ScopeKey& scope, std::span<const VectorUpdate> vectors) {
  const auto entry = find(scope);
  if (!entry) return;
  std::lock_guard lock(entry->loading);
  if (!entry->index) return;
  for (const VectorUpdate& update : vectors) {
    if (auto done = entry->index->set_vector(update.row, update.vector); !done.ok())
      log_error("index.vector", done.error().message);
  }
}

void ScopeMemory::set_active(const ScopeKey& scope, std::span<const std::pair<std::int64_t, bool>> rows) {
  const auto entry = find(scope);
  if (!entry) return;
  std::lock_guard lock(entry->loading);
  if (!entry->index) return;
  for (const auto& [row, active] : rows) entry->index->set_active(row, active);
}

void ScopeMemory::removed(const ScopeKey& scope, std::span<const std::int64_t> rows) {
  const auto entry = find(scope);
  if (!entry || rows.empty()) return;
  const std::lock_guard lock(entry->loading);
  if (entry->index) entry->index->remove(rows);
}

// Under the lock of the index: a write of this program that is newer than what is read here must not be undone by it.
Status ScopeMemory::take_news(const ScopeKey& scope, const ScopeNews& news) {
  if (news.has_removed) forget(scope);
  const auto entry = find(scope);
  if (!entry) return {};
  const auto pass = gate_.enter();
  const std::lock_guard lock(entry->loading);
  if (!entry->index) return {};
  Status added;
  WEFT_CHECK(store_.items().scan_news(scope, news.since, [&](ItemRow&& row) {
    if (row.model != embedder_) row.vector.clear();
    if (added.ok()) added = entry->index->add(row);
  }));
  return added;
}

void ScopeMemory::forget(const ScopeKey& scope) {
  const std::lock_guard lock(mutex_);
  if (const auto at = entries_.find(scope); at != entries_.end()) drop(at);
}

std::vector<double> ServingLikeness::to_all(std::string_view text, std::span<const std::string> others) const {
  if (others.empty()) return {};
  const auto serving = core_.change->serving();
  if (serving->embedder() == nullptr) return WordLikeness().to_all(text, others);
  return VectorLikeness(*serving->embedder(), serving->model.similarity, limit_).to_all(text, others);
}

TextVectors ServingLikeness::vectors(std::span<const std::string> texts) const {
  const auto serving = core_.change->serving();
  if (serving->embedder() == nullptr) return {};
  return VectorLikeness(*serving->embedder(), serving->model.similarity, limit_).vectors(texts);
}

bool ServingLikeness::by_meaning() const { return core_.change->serving()->embedder() != nullptr; }

namespace {

constexpr std::size_t kMostWaiting = 8;  // more are asked for themselves before their turn comes
constexpr std::chrono::milliseconds kPatience{2000};

}  // namespace

QueryForesight::QueryForesight()
    : worker_(
          "foresee", waker_,
          [this](std::stop_token stop) -> std::optional<std::chrono::milliseconds> {
            make_vectors(stop);
            return std::nullopt;
          },
          Background::Waits::kCall) {
  // Without a thread nothing is foreseen: who asks makes the vector.
  guarded_or_logged("foresee", [this] { worker_.start(); });
}

QueryForesight::~QueryForesight() = default;

void QueryForesight::expect(std::shared_ptr<Serving> serving, ScopeKey scope, std::string text) {
  if (serving->embedder() == nullptr || text.empty()) return;
  {
    auto waiting = waiting_.lock();
    if (waiting->size() >= kMostWaiting) return;
    waiting->push_back({std::move(serving), std::move(scope), std::move(text)});
  }
  waker_.wake();
}

void QueryForesight::make_vectors(std::stop_token stop) {
  while (!stop.stop_requested()) {
    Expected next;
    {
      auto waiting = waiting_.lock();
      if (waiting->empty()) return;
      next = std::move(waiting->front());
      waiting->pop_front();
    }
    const auto index = next.serving->memory.index_of(next.scope);
    if (!index.ok()) continue;
    const std::string asked = text_to_embed(next.text, (*index)->speakers());
    const Deadline deadline = Deadline({}, stop).within(kPatience);
    // Only the cache is wanted; who asks hears of errors.
    static_cast<void>(next.serving->embedder()->embed(asked, EmbedUse::kQuery, deadline).ok());
  }
}

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
