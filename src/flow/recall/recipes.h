#pragma once

#include <string>
#include <string_view>

#include "ports/index/scope_index.h"
#include "weft/config.h"
#include "weft/result.h"

namespace weft {

/// How results are ranked. Weights are in units of a standard deviation of the cosines, where the best hit by words
/// counts `words`.
struct Recipe {
  enum class Method {
    kFused,    ///< a weighted sum of signals over everything
    kLiteral,  ///< the best of two arms, joined
    kRecent,   ///< the newest first, whatever is asked: a baseline
  };

  std::string name;
  Method method = Method::kFused;
  Bm25 bm25;

  double words = 0;             ///< the best hit by words; others in proportion
  double vector = 0;            ///< one standard deviation of the cosines
  double neighbour = 0;         ///< of the sum of both, what a message gets from the one before and the one after it
  double second_neighbour = 0;  ///< from the ones beyond these
  double context_words = 0;  ///< messages longer than this speak for themselves: what they get shrinks in proportion
  double session = 0;  ///< from the best of its session
  double question = 0;  ///< taken from a message that only asks
  double substance = 0;  ///< for each unit of ln(1 + words), up to `substance_cap`
  double substance_cap = 0;
  double other_speaker = 0;  ///< taken from what others said where the question names one who took part
  double assistant = 0;  ///< taken from what the model said
  double day = 0;  ///< for the days that are named, for each unit of their rarity
  double near_day = 0;  ///< share of it for the day before and after a single day

  std::size_t arm_top = 0;  ///< kLiteral: how many each arm gives
  double min_threshold = 0;  ///< kLiteral: only scores above this

  bool uses_vectors() const { return vector > 0; }
};

/// A recipe by name: "balanced", "literal", "words", "vectors" or "recent". The error lists the names. A threshold of
/// `literal` above the weight of the words is logged as a warning, since it drops all that only words have found.
Result<Recipe> find_recipe(std::string_view name, const RecallSettings& settings);

}  // namespace weft
