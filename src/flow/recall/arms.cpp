#include "flow/recall/arms.h"

#include <algorithm>

namespace weft {
namespace {

void hide(const ArmScores& scores, std::vector<float>& values) {
  if (scores.all_visible) return;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = scores.visible[i] != 0 ? values[i] : 0.0F;
}

/// The mean over the parts that have a vector: a long text that is wholly about something lies nearer to it than one
/// that touches it once.
void mean_of_parts(const Shelf& shelf, const std::vector<float>& slots, std::vector<float>& units) {
  const Shelf::Units& all = shelf.units();
  units.resize(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    float sum = 0;
    int count = 0;
    for (std::uint32_t slot = all.first_slot[i]; slot < all.first_slot[i] + all.slots[i]; ++slot) {
      if (!shelf.vectors().has(slot)) continue;
      sum += slots[slot];
      ++count;
    }
    units[i] = count > 0 ? sum / static_cast<float>(count) : 0;
  }
}

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
  hide(scores, best);
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
  for (std::size_t i = 0; i < visible.size(); ++i) visible[i] = units.traits[i] & ShelfUnits::kActive;
  static_assert(ShelfUnits::kActive == 1);
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

void score_words(const Shelf& shelf, std::span<const WordsIndex::QueryTerm> terms, const Recipe& recipe,
                 ArmScores& scores) {
  // In context, parts are only compared with each other.
  const bool parts = !recipe.in_context || !shelf.single();
  scores.slot_words.assign(parts ? shelf.rows().size() : 0, 0.0f);
  if (parts) shelf.words().score(terms, recipe.bm25, scores.slot_words);
  if (!recipe.in_context) {
    scores.words = best_of_parts(shelf, scores, scores.slot_words, scores.unit_words);
    return;
  }
  score_in_context(shelf, terms, recipe.bm25, scores.context, scores.unit_words);
  hide(scores, scores.unit_words);
  scores.words = scores.unit_words;
}

void score_vectors(const Shelf& shelf, std::span<const float> query, const Recipe& recipe, ArmScores& scores) {
  const Shelf::Units& units = shelf.units();
  const CentredVectors& vectors = shelf.vectors();
  const bool scanned = !query.empty() && query.size() == vectors.dimensions();
  scores.slot_vector.resize(shelf.rows().size());
  scores.all_embedded = scanned && scores.all_visible && vectors.count() == shelf.rows().size();
  scores.embedded.assign(units.size(), scores.all_embedded ? 1 : 0);
  if (scanned && recipe.centred)
    vectors.cosines(query, scores.slot_vector);
  else if (scanned)
    vectors.dot(query, scores.slot_vector);
  else
    std::fill(scores.slot_vector.begin(), scores.slot_vector.end(), 0.0f);
  if (recipe.centred && scanned && !shelf.single()) {
    mean_of_parts(shelf, scores.slot_vector, scores.unit_vector);
    hide(scores, scores.unit_vector);
    scores.vector = scores.unit_vector;
  } else {
    // A part without a vector has 0, below every plain cosine of a model whose cosines are all positive; others are
    // rare enough.
    scores.vector = best_of_parts(shelf, scores, scores.slot_vector, scores.unit_vector);
  }
  if (!scanned || scores.all_embedded) return;
  for (std::size_t i = 0; i < units.size(); ++i)
    scores.embedded[i] = scores.visible[i] & (vectors.has(units.first_slot[i]) ? 1 : 0);
}

}  // namespace weft
