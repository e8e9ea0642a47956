#pragma once

#include <string>
#include <string_view>

#include "ports/index/scope_index.h"
#include "weft/config.h"
#include "weft/result.h"

namespace weft {

/// How results are ranked: a sum of signals whose unit is a standard deviation of the cosines.
struct Recipe {
  enum class Method {
    kFused,    ///< a weighted sum of signals over everything
    kLiteral,  ///< the best of two arms, joined
    kRecent,   ///< the newest first, whatever is asked: a baseline
  };

  std::string name;
  Method method = Method::kFused;
  Bm25 bm25;
  bool in_context = false;  ///< words of a whole message in its context; else those of its best part
  bool centred = false;  ///< vectors without the mean of their language

  /// kFused: of BM25 as it is, over √ln(1 + number of messages). It is not measured against the best hit: that rare
  /// and many words are matched is what makes words worth more than vectors. kLiteral: of the rank.
  double words = 0;
  double vector = 0;  ///< one standard deviation of the cosines
  double asked = 0;  ///< from the question that is answered, the message before it
  double question = 0;  ///< taken from a message that only asks
  double other_speaker = 0;  ///< taken from what others said where the question names one who took part
  double assistant = 0;  ///< taken from what the model said
  double day = 0;  ///< for the days that are named, for each unit of their rarity up to `most_day`
  double most_day = 0;
  double relative_day = 0;  ///< for days told by the moment of asking, for each unit of their rarity

  std::size_t arm_top = 0;  ///< kLiteral: how many each arm gives
  double min_threshold = 0;  ///< kLiteral: only scores above this

  bool uses_vectors() const { return vector > 0; }
};

/// A recipe by name: "balanced", "literal", "words", "vectors" or "recent". The error lists the names. A threshold of
/// `literal` above the weight of the words is logged as a warning, since it drops all that only words have found.
Result<Recipe> find_recipe(std::string_view name, const RecallSettings& settings);

}  // namespace weft
