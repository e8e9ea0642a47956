#include "flow/recall/arms.h"

#include <algorithm>

namespace weft {
namespace {

/// The best part of each unit. Most units have one part, and then the arrays are the same.
void best_of_parts(const Shelf& shelf, std::span<const float> slots, std::vector<float>& units) {
  const auto all = shelf.units();
  units.resize(all.size());
  if (shelf.single()) {
    std::copy(slots.begin(), slots.end(), units.begin());
    return;
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Shelf::Unit& unit = all[i];
    units[i] = *std::max_element(slots.begin() + unit.first_slot, slots.begin() + unit.first_slot + unit.slots);
  }
}

void hide(const std::vector<std::uint8_t>& visible, std::vector<float>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = visible[i] != 0 ? values[i] : 0.0f;
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
  const auto units = shelf.units();
  scores.visible.resize(units.size());
  for (std::size_t i = 0; i < units.size(); ++i) {
    const Shelf::Unit& unit = units[i];
    bool keep = unit.active && !filter.nothing;
    if (filter.from_ms) keep = keep && unit.time_ms >= *filter.from_ms;
    if (filter.to_ms) keep = keep && unit.time_ms <= *filter.to_ms;
    if (filter.session) keep = keep && unit.session == *filter.session;
    if (filter.not_session) keep = keep && unit.session != *filter.not_session;
    scores.visible[i] = keep ? 1 : 0;
  }
}

void score_words(const Shelf& shelf, std::span<const WordsIndex::QueryTerm> terms, const Bm25& bm25,
                 ArmScores& scores) {
  scores.slot_words.assign(shelf.rows().size(), 0.0f);
  shelf.words().score(terms, bm25, scores.slot_words);
  best_of_parts(shelf, scores.slot_words, scores.words);
  hide(scores.visible, scores.words);
}

void score_vectors(const Shelf& shelf, std::span<const float> query, ArmScores& scores) {
  const auto units = shelf.units();
  scores.embedded.assign(units.size(), 0);
  if (query.empty() || query.size() != shelf.vectors().dimensions()) {
    scores.vector.assign(units.size(), 0.0f);
    scores.slot_vector.assign(shelf.rows().size(), 0.0f);
    return;
  }
  scores.slot_vector.resize(shelf.rows().size());
  shelf.vectors().dot(query, scores.slot_vector);
  // A part without a vector has 0, below every cosine of a model whose cosines are all positive; others are rare
  // enough.
  best_of_parts(shelf, scores.slot_vector, scores.vector);
  for (std::size_t i = 0; i < units.size(); ++i)
    scores.embedded[i] = scores.visible[i] != 0 && shelf.vectors().has(units[i].first_slot) ? 1 : 0;
  hide(scores.visible, scores.vector);
}

}  // namespace weft
