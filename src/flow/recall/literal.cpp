#include "flow/recall/literal.h"

#include <map>

namespace weft {
namespace {

/// An item with where it stands.
struct Found : Ranked {
  ItemKind kind = ItemKind::kMessage;
  std::uint32_t unit = 0;
};

/// The best `count` items of all shelves by one arm, those with nothing in it left out.
std::vector<Found> arm(std::span<const ScoredShelf> shelves, bool by_words, std::size_t count) {
  std::vector<Found> all;
  for (const ScoredShelf& one : shelves) {
    std::vector<float> scores(by_words ? one.arms->slot_words : one.arms->slot_vector);
    const auto units = one.shelf->unit_of();
    for (std::uint32_t slot = 0; slot < scores.size(); ++slot) {
      const bool found = by_words ? scores[slot] > 0 : one.shelf->vectors().has(slot);
      if (one.arms->visible[units[slot]] == 0 || !found) scores[slot] = -std::numeric_limits<float>::infinity();
    }
    for (const Ranked& best : best_places(scores, count, [&one](std::size_t slot) { return one.shelf->rows()[slot]; }))
      all.push_back({best, one.kind, units[best.place]});
  }
  std::sort(all.begin(), all.end(), comes_before);
  if (all.size() > count) all.resize(count);
  return all;
}

}  // namespace

std::vector<ScoredRow> rank_literal(std::span<const ScoredShelf> shelves, const Recipe& recipe, std::size_t top_k) {
  std::map<std::int64_t, ScoredRow> joined;
  const auto add = [&joined](const Found& found, const char* name, double value, double share) {
    ScoredRow& scored = joined[found.row];
    scored.row = found.row;
    scored.kind = found.kind;
    scored.unit = found.unit;
    scored.score += share;
    scored.signals.push_back({name, value, share});
  };
  // An arm without a query vector has found nothing.
  for (const Found& one : arm(shelves, false, recipe.arm_top)) add(one, "vector", one.score, recipe.vector * one.score);
  const auto words = arm(shelves, true, recipe.arm_top);
  for (std::size_t rank = 0; rank < words.size(); ++rank)
    add(words[rank], "words", words[rank].score, recipe.words / static_cast<double>(1 + rank));
  std::vector<ScoredRow> result;
  for (auto& [row, scored] : joined)
    if (scored.score > recipe.min_threshold) result.push_back(std::move(scored));
  std::stable_sort(result.begin(), result.end(),
                   [](const ScoredRow& a, const ScoredRow& b) { return a.score > b.score; });
  if (result.size() > top_k) result.resize(top_k);
  return result;
}

}  // namespace weft
