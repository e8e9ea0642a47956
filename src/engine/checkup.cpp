// The index against what it was made from.
#include "engine/checkup.h"

#include <algorithm>
#include <cmath>

#include "engine/engine_core.h"
#include "engine/engine_impl.h"
#include "flow/memory/message_items.h"
#include "ports/store/soundness.h"

namespace weft {
namespace {

constexpr std::size_t kAtOnce = 200;  // entries read at a time
constexpr std::size_t kSample = 24;   // vectors that are made again
// A model gives the same text the same vector, but for the rounding of another processor or endpoint.
constexpr double kSameVector = 0.98;
constexpr double kUnit = 0.01;  // a length may differ from 1 by so much
constexpr std::chrono::seconds kOneVector{30};

std::string key_of(const SessionId& session, const MessageId& message) {
  return std::to_string(session.str().size()) + ":" + session.str() + message.str();
}

bool is_unit(const std::vector<float>& vector) {
  double length = 0;
  for (const float one : vector) length += static_cast<double>(one) * static_cast<double>(one);
  return std::isfinite(length) && std::abs(std::sqrt(length) - 1) < kUnit;
}

// Whether recall would find anything of the message.
bool has_items(const LimitsSettings& limits, const MessageRow& message) {
  std::vector<ItemRow> items;
  add_message_items(limits, message, items);
  return !items.empty();
}

constexpr std::size_t kWrittenAtOnce = 64;

}  // namespace

Result<IndexCheck> EngineImpl::check_index(bool mend) { return IndexCheckup(core_, mend).run(); }

IndexCheckup::IndexCheckup(EngineCore& core, bool mend) : core_(core), mend_(mend), serving_(core.change->serving()) {
  if (serving_->embedder() != nullptr) dimensions_ = serving_->embedder()->dimensions();
}

Result<IndexCheck> IndexCheckup::run() {
  WEFT_CHECK(look_at_file());
  WEFT_TRY(const auto scopes, core_.store->streams().scopes());
  for (const ScopeKey& key : scopes) {
    Scope scope;
    scope.key = key;
    for (const ItemKind kind : kItemKinds) {
      scope.of(kind).scope = key;
      scope.of(kind).kind = kind;
    }
    WEFT_CHECK(look_at(scope));
    if (mend_) WEFT_CHECK(mend(scope));
    for (const ShelfCheck& shelf : scope.shelves)
      if (shelf.rows + shelf.missing > 0) found_.shelves.push_back(shelf);
  }
  WEFT_CHECK(compare_drawn());
  if (mend_ && found_.other_model()) WEFT_CHECK(forget_all_vectors());
  return std::move(found_);
}

Status IndexCheckup::look_at_file() {
  Soundness* const store = soundness_of(*core_.store);
  if (store == nullptr) return {};
  WEFT_TRY(found_.faults, store->faults());
  if (!mend_ || found_.faults.empty()) return {};
  // What stands in no row is made anew from the rows; whether that was all, a second look tells.
  const std::size_t before = found_.faults.size();
  WEFT_CHECK(store->rebuild());
  WEFT_TRY(found_.faults, store->faults());
  found_.mended += before - std::min(before, found_.faults.size());
  return {};
}

// The entries first: what a message that comes meanwhile has is not known here, so only those before count.
Status IndexCheckup::look_at(Scope& scope) {
  WEFT_TRY(const StoreCounts before, core_.store->counts());
  std::unordered_map<std::int64_t, ItemKind> kinds;
  std::unordered_map<std::string, ItemId> indexed;
  std::vector<std::int64_t> rows;
  WEFT_CHECK(core_.store->items().scan_sources(scope.key, [&](ItemRow&& row) {
    rows.push_back(row.row);
    kinds.emplace(row.row, row.item.kind);
    if (row.item.kind == ItemKind::kMessage && !row.item.sources.empty())
      indexed.emplace(key_of(row.item.session, row.item.sources.front()), row.item.id);
  }));
  for (std::size_t at = 0; at < rows.size(); at += kAtOnce) {
    const auto some = std::span(rows).subspan(at, std::min(kAtOnce, rows.size() - at));
    WEFT_TRY(auto items, core_.store->items().get(scope.key, some));
    for (ItemRow& row : items) look_at_entry(scope, std::move(row));
  }
  WEFT_CHECK(look_at_messages(scope, std::move(indexed), before.last_seq));
  return look_at_memory(scope, kinds, before.last_row);
}

void IndexCheckup::look_at_entry(Scope& scope, ItemRow&& row) {
  ShelfCheck& shelf = scope.of(row.item.kind);
  ++shelf.rows;
  if (row.terms != indexed_terms(row.item.kind, row.item.text)) {
    ++shelf.wrong_words;
    scope.words.emplace_back(row.item.session, row.row);
  }
  look_at_vector(scope, std::move(row));
}

void IndexCheckup::look_at_vector(Scope& scope, ItemRow&& row) {
  ShelfCheck& shelf = scope.of(row.item.kind);
  if (row.model == kWordsOnly) {
    ++shelf.words_only;
    return;
  }
  if (row.model.empty()) {
    ++shelf.waiting;
    return;
  }
  ++shelf.vectors;
  // Without a model nothing is searched by vectors, and those of the last one wait for it.
  if (serving_->embedder() == nullptr) return;
  if (dimensions_ == 0) dimensions_ = row.vector.size();
  if (row.model == serving_->model.name && row.vector.size() == dimensions_ && is_unit(row.vector)) {
    draw(std::move(row));
    return;
  }
  ++shelf.wrong_vectors;
  scope.vectors.push_back({row.row, {}, {}});
}

Status IndexCheckup::look_at_messages(Scope& scope, std::unordered_map<std::string, ItemId> indexed,
                                      std::int64_t last_seq) {
  std::vector<MessageRow> without;
  WEFT_CHECK(core_.store->messages().scan(scope.key, false, [&](MessageRow&& message) {
    if (indexed.erase(key_of(message.session, message.message.id)) > 0 || message.seq > last_seq) return;
    if (has_items(core_.config.limits, message)) without.push_back(std::move(message));
  }));
  ShelfCheck& shelf = scope.of(ItemKind::kMessage);
  for (MessageRow& message : without) {
    WEFT_TRY(const auto still, core_.store->messages().get(scope.key, message.session, message.message.id));
    if (!still) continue;
    ++shelf.missing;
    scope.missing.push_back(std::move(message));
  }
  for (const auto& [key, id] : indexed) {
    WEFT_TRY(const auto rows, core_.store->items().rows_of(scope.key, std::span(&id, 1)));
    if (rows.front() != 0) ++shelf.loose;
  }
  return {};
}

Result<bool> IndexCheckup::is_there(const ScopeKey& scope, std::int64_t row) {
  WEFT_TRY(const auto rows, core_.store->items().get(scope, std::span(&row, 1)));
  return !rows.empty();
}

Status IndexCheckup::look_at_memory(Scope& scope, const std::unordered_map<std::int64_t, ItemKind>& kinds,
                                    std::int64_t last_row) {
  const auto made = serving_->memory.index_of(scope.key);
  if (!made.ok()) {
    // One vector of another length keeps the whole from being read: that it is there was seen already.
    const bool known = std::any_of(scope.shelves.begin(), scope.shelves.end(),
                                   [](const ShelfCheck& shelf) { return shelf.wrong_vectors > 0; });
    return known ? Status() : Status(made.error());
  }
  const auto& index = *made;
  std::vector<std::pair<ItemKind, std::int64_t>> differ;
  {
    const auto reading = index->read();
    std::unordered_map<std::int64_t, ItemKind> lacking = kinds;
    for (const ItemKind kind : kItemKinds)
      for (const std::int64_t row : reading.shelf(kind).rows())
        if (row != 0 && row <= last_row && lacking.erase(row) == 0) differ.emplace_back(kind, row);
    // What was written after the look at the store is no difference; what was erased since is in neither.
    for (const auto& [row, kind] : lacking)
      if (row <= last_row) differ.emplace_back(kind, row);
  }
  for (const auto& [kind, row] : differ) {
    WEFT_TRY(const bool kept, is_there(scope.key, row));
    const bool was_kept = kinds.contains(row);
    if (kept == was_kept) ++scope.of(kind).unlike_memory;
  }
  return {};
}

// Each of all vectors has the same chance to be in the sample.
void IndexCheckup::draw(ItemRow&& row) {
  ++candidates_;
  if (drawn_.size() < kSample) {
    drawn_.push_back({std::move(row.item.text), std::move(row.vector)});
    return;
  }
  const std::size_t place = std::uniform_int_distribution<std::size_t>(0, candidates_ - 1)(random_);
  if (place < kSample) drawn_[place] = {std::move(row.item.text), std::move(row.vector)};
}

Status IndexCheckup::compare_drawn() {
  Embedder* const embedder = serving_->embedder();
  if (embedder == nullptr || !serving_->model.ready()) return {};
  embedder->clear_cache();  // which would only say what it said before
  for (const Drawn& one : drawn_) {
    const auto again = embedder->embed(one.text, EmbedUse::kPassage, Deadline::after(kOneVector));
    if (!again.ok()) return {};  // an endpoint that does not answer is told elsewhere
    ++found_.sampled;
    if (again->size() != one.vector.size() || cosine(*again, one.vector) < kSameVector) ++found_.strange;
  }
  return {};
}

// What of the index is not as it should be, made anew from what it was made from.

Status IndexCheckup::mend(Scope& scope) {
  std::size_t outside = 0;  // entries whose index in memory is not that of the store
  for (const ShelfCheck& shelf : scope.shelves) outside += shelf.unlike_memory;
  WEFT_CHECK(mend_words(scope));
  WEFT_CHECK(mend_missing(scope));
  if (!scope.vectors.empty()) {
    WriteBatch batch;
    batch.vectors = scope.vectors;
    WEFT_CHECK(core_.store->write(batch));
    found_.mended += scope.vectors.size();
  }
  found_.mended += outside;
  // It is read from the store when it is next asked for.
  if (outside + scope.words.size() + scope.missing.size() + scope.vectors.size() > 0)
    serving_->memory.forget(scope.key);
  if (!scope.vectors.empty() || !scope.missing.empty()) core_.indexer.wake();
  return {};
}

// A session is held while its entries are read and written, so that nothing is erased in between.
Status IndexCheckup::mend_words(Scope& scope) {
  std::stable_sort(scope.words.begin(), scope.words.end(),
                   [](const auto& a, const auto& b) { return a.first.str() < b.first.str(); });
  for (std::size_t first = 0; first < scope.words.size();) {
    const SessionId session = scope.words[first].first;
    const auto pass = core_.erasure_gate.work(scope.key);
    WEFT_TRY(const auto held, core_.sessions->hold(scope.key, session));
    WriteBatch batch;
    for (std::size_t taken = 0;
         first < scope.words.size() && taken < kWrittenAtOnce && scope.words[first].first == session;
         ++first, ++taken) {
      WEFT_TRY(auto rows, core_.store->items().get(scope.key, std::span(&scope.words[first].second, 1)));
      if (rows.empty()) continue;
      rows.front().terms = indexed_terms(rows.front().item.kind, rows.front().item.text);
      batch.items.push_back(std::move(rows.front()));
    }
    const std::size_t written = batch.items.size();
    if (written > 0) WEFT_CHECK(core_.keep_written(batch));
    found_.mended += written;
  }
  return {};
}

Status IndexCheckup::mend_missing(Scope& scope) {
  for (const MessageRow& message : scope.missing) {
    const auto pass = core_.erasure_gate.work(scope.key);
    WEFT_TRY(const auto held, core_.sessions->hold(scope.key, message.session));
    WEFT_TRY(const auto now, core_.store->messages().get(scope.key, message.session, message.message.id));
    if (!now) continue;
    WriteBatch batch;
    add_message_items(core_.config.limits, *now, batch.items);
    for (ItemRow& item : batch.items) item.active = now->active;
    WEFT_CHECK(core_.keep_written(batch));
    ++found_.mended;
  }
  return {};
}

// The vectors are of one model, the name is another's: all are made again.
Status IndexCheckup::forget_all_vectors() {
  WEFT_TRY(const auto scopes, core_.store->streams().scopes());
  for (const ScopeKey& key : scopes) {
    WriteBatch batch;
    WEFT_CHECK(core_.store->items().scan_sources(key, [&](ItemRow&& row) {
      if (row.model == serving_->model.name) batch.vectors.push_back({row.row, {}, {}});
    }));
    if (batch.vectors.empty()) continue;
    WEFT_CHECK(core_.store->write(batch));
    found_.mended += batch.vectors.size();
    serving_->memory.forget(key);
  }
  core_.indexer.wake();
  return {};
}

}  // namespace weft
