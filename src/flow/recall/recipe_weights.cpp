#include "flow/recall/recipe_weights.h"

namespace weft {

// Written by `weft fit recall`; docs/quality.md says on what.
const RecipeWeights& recipe_weights() {
  // clang-format off
  static constexpr RecipeWeights kFitted{
      .words = 0.73,
      .assistant = 2.75,
      .question = 1,
      .day = 2,
      .relative_day = 0.63,
      .other_speaker = 1,
      .asked = 0.25,
  };
  // clang-format on
  return kFitted;
}

}  // namespace weft
