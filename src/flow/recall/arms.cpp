#include "flow/recall/arms.h"

#include <algorithm>

namespace weft {
namespace {

/// The best part of each unit, 0 for what is hidden. Most shelves have one part a unit, and then the array is the same.
std::span<const float> best_of_parts(const Shelf& shelf, const ArmScores& scores, std::vector<float>& slots,
                                     std::vector<float>& units) {
  const Shelf::Units& all = shelf.units();
  if (!shelf.single()) {
    units.resize(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto first = slots.begin() + all.first_slot[i];
      units[i] = all.slots[i] == 1 ? *first : *std::max_element(first, first + all.slots[i]);
    }
  }
  std::vector<float>& best = shelf.single() ? slots : units;
  if (!scores.all_visible)
    for (std::size_t i = 0; i < best.size(); ++i) best[i] = scores.visible[i] != 0 ? best[i] : 0.0f;
  return best;
}

}  // namespace

Filter filter_of(const RecallQuery& query, const ScopeIndex::Reading& index) {
  Filter filter;
  if (query.from) filter.from_ms = query.from->ms;
  if (query.to) filter.to_ms = query.to->ms;
  if (query.session) {
    filter.session = index.session(*query.session);
    filter.nothing = !filter.session;
  }
  if (query.not_session) filter.not_session = index.session(*query.not_session);
  return filter;
}

void mark_visible(const Shelf& shelf, const Filter& filter, ArmScores& scores) {
  const Shelf::Units& units = shelf.units();
  auto& visible = scores.visible;
  visible.resize(units.size());
  const bool filtered = filter.nothing || filter.from_ms || filter.to_ms || filter.session || filter.not_session;
  scores.all_visible = !filtered && shelf.all_active();
  for (std::size_t i = 0; i < visible.size(); ++i) visible[i] = units.traits[i] & Shelf::kActive;
  static_assert(Shelf::kActive == 1);
  if (filter.nothing) std::fill(visible.begin(), visible.end(), std::uint8_t{0});
  const auto keep = [&visible](const auto& column, const auto& fits) {
    for (std::size_t i = 0; i < visible.size(); ++i) visible[i] &= fits(column[i]) ? 1 : 0;
  };
  if (filter.from_ms) keep(units.time_ms, [from = *filter.from_ms](std::int64_t ms) { return ms >= from; });
  if (filter.to_ms) keep(units.time_ms, [to = *filter.to_ms](std::int64_t ms) { return ms <= to; });
  if (filter.session) keep(units.session, [only = *filter.session](std::uint32_t session) { return session == only; });
  if (filter.not_session)
    keep(units.session, [no = *filter.not_session](std::uint32_t session) { return session != no; });
}

void score_words(const Shelf& shelf, std::span<const WordsIndex::QueryTerm> terms, const Bm25& bm25,
                 ArmScores& scores) {
  scores.slot_words.assign(shelf.rows().size(), 0.0f);
  shelf.words().score(terms, bm25, scores.slot_words);
  scores.words = best_of_parts(shelf, scores, scores.slot_words, scores.unit_words);
}

void score_vectors(const Shelf& shelf, std::span<const float> query, ArmScores& scores) {
  const Shelf::Units& units = shelf.units();
  const VectorScan& vectors = shelf.vectors();
  const bool scanned = !query.empty() && query.size() == vectors.dimensions();
  scores.slot_vector.resize(shelf.rows().size());
  scores.all_embedded = scanned && scores.all_visible && vectors.count() == shelf.rows().size();
  scores.embedded.assign(units.size(), scores.all_embedded ? 1 : 0);
  if (scanned)
    vectors.dot(query, scores.slot_vector);
  else
    std::fill(scores.slot_vector.begin(), scores.slot_vector.end(), 0.0f);
  // A part without a vector has 0, below every cosine of a model whose cosines are all positive; others are rare
  // enough.
  scores.vector = best_of_parts(shelf, scores, scores.slot_vector, scores.unit_vector);
  if (!scanned || scores.all_embedded) return;
  for (std::size_t i = 0; i < units.size(); ++i)
    scores.embedded[i] = scores.visible[i] & (vectors.has(units.first_slot[i]) ? 1 : 0);
}

}  // namespace weft
