#include "flow/recall/recall.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <vector>

#include "flow/recall/fusion.h"

namespace weft {
namespace {

// What both arms found on one shelf.
struct ScoredShelf {
  const Shelf* shelf = nullptr;
  const ArmScores* arms = nullptr;
  ItemKind kind = ItemKind::kMessage;
};

// An item with where it stands.
struct Found : Ranked {
  ItemKind kind = ItemKind::kMessage;
  std::uint32_t unit = 0;
};

// The best `count` items of all shelves by one arm, those with nothing in it left out.
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

// The plain hybrid: the best `arm_top` items by cosine and the best `arm_top` by BM25, joined; an item's score is
// `vector` · cosine + `words` / (1 + rank), rank from 0, with nothing for the arm that did not find it. Sorted; only
// scores above `min_threshold`. Items are counted, not messages: parts of a long message compete.
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

// What is asked for where nothing is said. A profile is no answer to a question but stands in the prompt as a whole.
constexpr bool searched_by_default(ItemKind kind) { return kind != ItemKind::kProfile && kind != ItemKind::kLore; }

constexpr std::size_t kMostWithNeighbours = 40;  // neighbours of later rows gain too little to reach a prompt

/// One shelf with everything known about its units for this question.
struct Candidates {
  const Shelf* shelf = nullptr;
  ItemKind kind = ItemKind::kMessage;
  std::vector<std::uint16_t> speakers;  ///< who are named, by their numbers on this shelf
  ArmScores* arms = nullptr;
  FusedScores* fused = nullptr;
};

/// The arrays of a search, kept by each thread: for 100,000 items they are some 5 MB, and taking them anew from the
/// system costs as much as filling them.
struct Workspace {
  std::array<ArmScores, kItemKinds.size()> arms;
  std::array<FusedScores, kItemKinds.size()> fused;
};

Workspace& workspace() {
  thread_local Workspace space;
  return space;
}

/// The shelves that are asked for and hold something.
std::vector<Candidates> open_shelves(const ScopeIndex::Reading& index, const RecallQuery& query) {
  std::vector<Candidates> all;
  Workspace& space = workspace();
  for (const ItemKind kind : kItemKinds) {
    const bool wanted = query.kinds.empty()
                            ? searched_by_default(kind)
                            : std::find(query.kinds.begin(), query.kinds.end(), kind) != query.kinds.end();
    const Shelf& shelf = index.shelf(kind);
    if (!wanted || shelf.units().size() == 0) continue;
    const auto place = static_cast<std::size_t>(kind);
    all.push_back({&shelf, kind, named_speakers(query, shelf.speakers()), &space.arms[place], &space.fused[place]});
  }
  return all;
}

void run_arms(const Candidates& one, const Filter& filter, const RecallQuery& query, const QueryText& text,
              const Recipe& recipe) {
  mark_visible(*one.shelf, filter, *one.arms);
  score_words(*one.shelf, recipe.words > 0 ? std::span(text.terms) : std::span<const WordsIndex::QueryTerm>{}, recipe,
              *one.arms);
  score_vectors(*one.shelf, recipe.uses_vectors() ? std::span<const float>(query.vector) : std::span<const float>{},
                recipe, *one.arms);
}

/// The row that stands for a unit: of a long message the part that fits best.
std::int64_t row_to_show(const Candidates& one, std::size_t unit, const ScoreScale& scale, const Recipe& recipe) {
  const auto rows = one.shelf->rows();
  const std::uint32_t first = one.shelf->units().first_slot[unit], end = first + one.shelf->units().slots[unit];
  if (end == first + 1) return rows[first];
  const auto fit = [&](std::uint32_t slot) {
    return scale.of_words(one.arms->slot_words[slot], recipe) + scale.of_cosine(one.arms->slot_vector[slot], recipe);
  };
  std::uint32_t best = first;
  for (std::uint32_t slot = first + 1; slot < end; ++slot)
    if (rows[slot] != 0 && (rows[best] == 0 || fit(slot) > fit(best))) best = slot;
  return rows[best];
}

std::vector<ScoredRow> rank_fused(std::span<const Candidates> shelves, const QueryText& text, std::size_t top_k,
                                  const Recipe& recipe, const ScoreScale& scale) {
  std::vector<ScoredRow> found;
  for (const Candidates& one : shelves) {
    fuse(*one.shelf, *one.arms, scale, text, one.speakers, recipe, *one.fused);
    const auto row_of = [&](std::size_t unit) { return one.shelf->rows()[one.shelf->units().first_slot[unit]]; };
    for (const Ranked& best : best_places(one.fused->total, top_k, row_of))
      found.push_back({row_to_show(one, best.place, scale, recipe), best.score,
                       explain(*one.shelf, best.place, *one.arms, scale, recipe, *one.fused), one.kind, best.place});
  }
  return found;
}

std::vector<ScoredRow> rank_recent(std::span<const Candidates> shelves, const RecallQuery& query) {
  std::vector<ScoredRow> found;
  for (const Candidates& one : shelves) {
    const Shelf::Units& units = one.shelf->units();
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < units.size(); ++i)
      if (one.arms->visible[i] != 0) order.push_back(i);
    const auto newer = [&units](std::uint32_t a, std::uint32_t b) { return units.position[a] > units.position[b]; };
    const auto count = static_cast<std::ptrdiff_t>(std::min(order.size(), query.top_k));
    std::partial_sort(order.begin(), order.begin() + count, order.end(), newer);
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      const std::uint32_t unit = order[static_cast<std::size_t>(i)];
      const auto position = static_cast<double>(units.position[unit]);
      found.push_back(
          {one.shelf->rows()[units.first_slot[unit]], position, {{"recency", position, position}}, one.kind, unit});
    }
  }
  return found;
}

std::vector<ScoredRow> rank(std::span<const Candidates> shelves, const RecallQuery& query, const QueryText& text,
                            const Recipe& recipe, const ScoreScale& scale) {
  switch (recipe.method) {
    case Recipe::Method::kLiteral: {
      std::vector<ScoredShelf> scored;
      for (const Candidates& one : shelves) scored.push_back({one.shelf, one.arms, one.kind});
      return rank_literal(scored, recipe, query.top_k);
    }
    case Recipe::Method::kRecent: return rank_recent(shelves, query);
    case Recipe::Method::kFused: break;
  }
  return rank_fused(shelves, text, query.top_k, recipe, scale);
}

/// Only of what is given back: it is dearer than the score and orders nothing.
void judge_relevance(std::span<const Candidates> shelves, const QueryText& text, const ScoreScale& scale,
                     std::vector<ScoredRow>& found) {
  for (const Candidates& one : shelves) {
    const RelevanceJudge judge(text, one.speakers, *one.shelf, *one.arms, scale);
    for (ScoredRow& row : found) {
      if (row.kind != one.kind) continue;
      row.features = judge.judge(row.unit);
      row.relevance = relevance_of(row.features);
    }
  }
}

// The row next to a slot: the next part of a long message, else the nearest part of the message beside it.
std::uint32_t slot_beside(const Shelf& shelf, const ArmScores& arms, std::uint32_t slot, bool forward) {
  const Shelf::Units& units = shelf.units();
  const std::uint32_t unit = shelf.unit_of()[slot];
  const std::uint32_t first = units.first_slot[unit], end = first + units.slots[unit];
  if (forward ? slot + 1 < end : slot > first) return forward ? slot + 1 : slot - 1;
  const std::uint32_t other = forward ? units.next[unit] : units.previous[unit];
  if (other == Shelf::kNone || arms.visible[other] == 0) return Shelf::kNone;
  return forward ? units.first_slot[other] : units.first_slot[other] + units.slots[other] - 1;
}

void give_neighbours(const Candidates& messages, std::size_t reach, std::span<ScoredRow> found) {
  const Shelf& shelf = *messages.shelf;
  for (ScoredRow& row : found) {
    if (row.kind != messages.kind) continue;
    std::uint32_t shown = shelf.units().first_slot[row.unit];
    while (shelf.rows()[shown] != row.row) ++shown;
    for (const bool forward : {false, true}) {
      std::uint32_t slot = shown;
      for (std::size_t i = 0; i < reach; ++i) {
        slot = slot_beside(shelf, *messages.arms, slot, forward);
        if (slot == Shelf::kNone) break;
        if (shelf.rows()[slot] != 0) (forward ? row.after : row.before).push_back(shelf.rows()[slot]);
      }
    }
  }
}

}  // namespace

Result<std::vector<ScoredRow>> recall(const ScopeIndex& index, const RecallQuery& query, const Recipe& recipe) {
  return recall(index, query, read_query(query), recipe);
}

Result<std::vector<ScoredRow>> recall(const ScopeIndex& index, const RecallQuery& query, const QueryText& text,
                                      const Recipe& recipe) {
  const auto reading = index.read();
  const auto shelves = open_shelves(reading, query);
  const Filter filter = filter_of(query, reading);
  for (const Candidates& one : shelves) run_arms(one, filter, query, text, recipe);

  std::vector<const ArmScores*> arms;
  std::size_t units = 0;
  for (const Candidates& one : shelves) {
    arms.push_back(one.arms);
    units += one.shelf->active();
  }
  const ScoreScale scale = measure_scale(arms, units, shelves.empty() ? 0 : text.terms.size());
  std::vector<ScoredRow> found = rank(shelves, query, text, recipe, scale);
  std::stable_sort(found.begin(), found.end(), [](const ScoredRow& a, const ScoredRow& b) {
    return a.score != b.score ? a.score > b.score : a.row < b.row;
  });
  if (found.size() > query.top_k) found.resize(query.top_k);
  judge_relevance(shelves, text, scale, found);
  for (const Candidates& one : shelves)
    if (query.around > 0 && one.kind == ItemKind::kMessage)
      give_neighbours(one, query.around, std::span(found).first(std::min(found.size(), kMostWithNeighbours)));
  return found;
}

bool held_at(const Item& item, Time moment) {
  if (item.time > moment) return false;
  return !item.event || !item.event->valid_until || *item.event->valid_until > moment;
}

}  // namespace weft
