#include "flow/recall/recipes.h"

#include "base/log.h"
#include "text/weight_file.h"

namespace weft {
namespace {

constexpr double kMostDay = 3;  // e^3 = 20 times as many other messages: rarer days say no more

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

const Recipe& balanced() {
  static const Recipe kFitted = [] {
    const WeightFile weights = shipped_weights("recall");
    Recipe recipe;
    recipe.in_context = true;
    recipe.centred = true;
    recipe.words = weights.number("words");
    recipe.vector = 1;
    recipe.asked = weights.number("asked");
    recipe.question = weights.number("question");
    recipe.other_speaker = weights.number("other_speaker");
    recipe.assistant = weights.number("assistant");
    recipe.day = weights.number("day");
    recipe.most_day = kMostDay;
    recipe.relative_day = weights.number("relative_day");
    return recipe;
  }();
  return kFitted;
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
