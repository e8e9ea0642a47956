#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "flow/recall/arms.h"
#include "flow/recall/recipes.h"

namespace weft {

/// What makes scores of different shelves and scopes comparable.
struct ScoreScale {
  std::size_t units = 0;         ///< how many are active, visible or not
  std::size_t asked = 0;         ///< words of the question that count
  float best_words = 0;          ///< BM25 of the best hit
  float mean = 0, deviation = 0; ///< of the cosines; 0: no vectors
  float best_cosine = 0;
  std::size_t count = 0;         ///< how many cosines there are

  /// False where there are too few vectors, or none that differ: then everything is weighed by its words, so that
  /// what has no vector yet does not stand before what has the only one.
  bool tells_apart() const { return deviation > 0; }

  double of_words(double bm25, const Recipe& recipe) const;
  double of_cosine(double cosine, const Recipe& recipe) const;

  /// For what has no vector (yet): as near as its words are good.
  double expected(double bm25, const Recipe& recipe) const;
};

/// Cosines are measured over everything that is visible, so that events and messages are on one scale. `units` of all
/// shelves; `asked`: how many words the question has.
ScoreScale measure_scale(std::span<const ArmScores* const> shelves, std::size_t units, std::size_t asked);

/// The parts of a unit's score, each already weighted. Reused between searches.
struct FusedScores {
  std::vector<float> base;        ///< words and vector
  std::vector<float> asked;       ///< from the question before it
  std::vector<float> days;        ///< from the days that are named; empty where none is
  std::vector<float> dates;       ///< from days told by the moment of asking, likewise
  std::vector<float> speakers;    ///< from who is named; empty where nobody is
  std::vector<float> total;
};

/// Weighs all signals of one shelf. A unit that neither its text nor its context nor a named day speak for gets
/// a total of −infinity, so that it is never a result.
void fuse(const Shelf& shelf, const ArmScores& arms, const ScoreScale& scale, const QueryText& query,
          std::span<const std::uint16_t> speakers, const Recipe& recipe, FusedScores& fused);

/// Parts of the sum for one unit: words, vector, expected, asked, days, dates, speaker, question, assistant.
/// Those that add nothing are left out.
std::vector<Signal> explain(const Shelf& shelf, std::size_t unit, const ArmScores& arms, const ScoreScale& scale,
                            const Recipe& recipe, const FusedScores& fused);

}  // namespace weft
