#pragma once

namespace weft {

/// What the signals of the balanced recipe weigh; see `Recipe`.
struct RecipeWeights {
  double words, assistant, question, day, relative_day, other_speaker, asked;
};

const RecipeWeights& recipe_weights();

}  // namespace weft
