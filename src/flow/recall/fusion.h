#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "flow/recall/arms.h"
#include "flow/recall/recipes.h"

namespace weft {

/// What makes scores of different shelves and scopes comparable.
struct ScoreScale {
  float best_words = 0;          ///< BM25 of the best hit
  float mean = 0, deviation = 0; ///< of the cosines; 0: no vectors
  std::size_t count = 0;         ///< how many cosines there are
};

/// Measured over everything that is visible on the given shelves, so that events and messages are on one scale.
ScoreScale measure_scale(std::span<const ArmScores* const> shelves);

/// The parts of a unit's score, each already weighted. Reused between searches.
struct FusedScores {
  std::vector<float> base;        ///< words and vector
  std::vector<float> neighbours;  ///< from the messages around it
  std::vector<float> sessions;    ///< from the best of a session, one for each
  std::vector<float> days;        ///< from the days that are named; empty where none is
  std::vector<float> speakers;    ///< from who is named; empty where nobody is
  std::vector<float> total;
};

/// Weighs all signals of one shelf. A unit that neither its own text nor its neighbours nor a named day speak for gets
/// a total of −infinity, so that it is never a result.
void fuse(const Shelf& shelf, const ArmScores& arms, const ScoreScale& scale, const QueryHints& hints,
          const Recipe& recipe, FusedScores& fused);

/// Parts of the sum for one unit: words, vector, neighbours, session, days, speaker, substance, question, assistant.
/// Those that add nothing are left out.
std::vector<Signal> explain(const Shelf& shelf, std::size_t unit, const ArmScores& arms, const ScoreScale& scale,
                            const Recipe& recipe, const FusedScores& fused);

}  // namespace weft
