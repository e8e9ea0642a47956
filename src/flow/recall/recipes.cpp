#include "flow/recall/recipes.h"

#include "base/log.h"

namespace weft {
namespace {

Recipe words_only() {
  Recipe recipe;
  recipe.words = 1;
  return recipe;
}

Recipe vectors_only() {
  Recipe recipe;
  recipe.vector = 1;
  return recipe;
}

Recipe recent() {
  Recipe recipe;
  recipe.method = Recipe::Method::kRecent;
  return recipe;
}

/// Found on half of the development questions and tried on the rest; what each part adds is in docs/quality.md.
Recipe balanced() {
  Recipe recipe;
  recipe.words = 5;
  recipe.vector = 1.2;
  recipe.neighbour = 0.3;
  recipe.second_neighbour = 0.15;
  recipe.context_words = 25;
  recipe.session = 0.3;
  recipe.question = 3;
  recipe.substance = 1;
  recipe.substance_cap = 3;
  recipe.other_speaker = 3;
  recipe.assistant = 1;
  recipe.day = 3;
  recipe.near_day = 0.5;
  return recipe;
}

Recipe literal(const RecallSettings& settings) {
  Recipe recipe;
  recipe.method = Recipe::Method::kLiteral;
  recipe.words = settings.words_weight;
  recipe.vector = settings.vector_weight;
  recipe.arm_top = static_cast<std::size_t>(settings.arm_top > 0 ? settings.arm_top : 0);
  recipe.min_threshold = settings.min_threshold;
  if (settings.min_threshold > settings.words_weight)
    log_warning("recall.threshold",
                "recall.min_threshold is above recall.words_weight: nothing that only words find can be recalled");
  return recipe;
}

}  // namespace

Result<Recipe> find_recipe(std::string_view name, const RecallSettings& settings) {
  Recipe recipe;
  if (name == "balanced") {
    recipe = balanced();
  } else if (name == "literal") {
    recipe = literal(settings);
  } else if (name == "words") {
    recipe = words_only();
  } else if (name == "vectors") {
    recipe = vectors_only();
  } else if (name == "recent") {
    recipe = recent();
  } else {
    return invalid_argument("recall: no recipe is called \"" + std::string(name) + "\"",
                            "recipes are balanced, literal, words, vectors and recent");
  }
  recipe.name = name;
  return recipe;
}

}  // namespace weft
