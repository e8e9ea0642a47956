#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "weft/memory.h"

namespace weft {

/// What speaks for a hit, in figures that mean the same in every search and scope. "Words" are the question's, each
/// weighing by its rarity.
struct RelevanceFeatures {
  /// Share of the words' weight that the item holds; a speaker's name counts as held by what they said.
  double own = 0;
  double window = 0;   ///< the same with the messages before and after it
  /// `window` times ln(1 + number of words): that much of a long question says more than of a short one.
  double many = 0;
  double unknown = 0;  ///< share of the weight of words that stand nowhere in the scope; less where there are very many
  double mass = 0;  ///< ln(1 + weight) of the words in the item and around it
  double excess = 0;  ///< ln(words / 30) where there are more and any of them stands here: a text, not a question
  double day = 0;  ///< 1 on a day that is named
  double length = 0;  ///< ln(1 + words of the item)
  double chinese = 0;  ///< 1 where the question is Chinese, whose pairs of characters also meet by chance
  double chinese_window = 0;  ///< `window` there
  double personal = 0;  ///< 1 where the question speaks of who asks: what others could not know is asked of memory

  bool vectors = false;  ///< what follows is known
  double cosine = 0;  ///< of question and item
  double deviations = 0;  ///< how many standard deviations that is above the scope's mean; less for few and for a text
  double near = 0;  ///< the same of the better one of its neighbours
  /// How far the scope's cosines lie apart, against the usual: where something is known, some are far above the others.
  double spread = 0;
  double few = 0;  ///< how little `spread` and `deviations` say: 1 of no cosines, near to 0 of many
  double cosine_of_few = 0;  ///< `few` times `cosine`
  double mean = 0, count = 0;  ///< of the scope's cosines
};

/// One result: a row of the store and why it is here.
struct ScoredRow {
  std::int64_t row = 0;
  double score = 0;
  std::vector<Signal> signals;
  ItemKind kind = ItemKind::kMessage;
  std::uint32_t unit = 0;  ///< its place on the shelf of its kind
  RelevanceFeatures features = {};
  double relevance = 0;  ///< 0 to 1, comparable between searches
  std::vector<std::int64_t> before = {},
                            after =
                                {};  ///< rows next to it in its session, the nearest first; where they were asked for
};

/// A unit or slot of a shelf with its score.
struct Ranked {
  float score = 0;
  std::int64_t row = 0;  ///< decides between equal scores, the smaller first
  std::uint32_t place = 0;
};

inline bool comes_before(const Ranked& a, const Ranked& b) {
  return a.score != b.score ? a.score > b.score : a.row < b.row;
}

/// The `count` places with the highest scores, in order; −infinity is never among them. One pass, since nearly every
/// one is below the worst of those held.
template <class RowOf>
std::vector<Ranked> best_places(std::span<const float> scores, std::size_t count, const RowOf& row_of) {
  std::vector<Ranked> best;  // a heap with the worst on top
  if (count == 0) return best;
  float worst = -std::numeric_limits<float>::infinity();
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] < worst || scores[i] == -std::numeric_limits<float>::infinity()) continue;
    const Ranked one{scores[i], row_of(i), static_cast<std::uint32_t>(i)};
    if (best.size() == count) {
      if (!comes_before(one, best.front())) continue;
      std::pop_heap(best.begin(), best.end(), comes_before);
      best.back() = one;
    } else {
      best.push_back(one);
    }
    std::push_heap(best.begin(), best.end(), comes_before);
    if (best.size() == count) worst = best.front().score;
  }
  std::sort(best.begin(), best.end(), comes_before);
  return best;
}

}  // namespace weft
