// What of the index is not as it should be, made anew from what it was made from.
#include <algorithm>

#include "engine/checkup.h"
#include "engine/engine_core.h"
#include "flow/memory/message_items.h"

namespace weft {
namespace {

constexpr std::size_t kWrittenAtOnce = 64;

}  // namespace

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
