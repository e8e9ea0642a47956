#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "flow/memory/wish_meaning.h"
#include "ports/embedding/embedder.h"
#include "ports/embedding/similarity.h"
#include "weft/result.h"

namespace weft {

/// A message and whether it tells a standing wish.
struct LabelledWish {
  std::string text;
  bool wish = false;
  bool talk = false;  ///< of a conversation: those of its sentences that are looked at are no wishes
};

/// Reads JSON Lines of {"text", "wish"}, or of talk that is taken to hold no wish: {"role", "text"} or conversations
/// ({"turns": [{"role", "text"}]}, {"messages": [{"role", "content"}]}), of which the users' part counts. Errors name
/// file and line.
Result<std::vector<LabelledWish>> read_wishes(const std::vector<std::string>& files);

/// Whether grammar and meaning together find a standing wish in a message.
bool tells_wish(std::string_view message, const WishWeights& weights, const SentenceVector& vector_of);

/// What `tells_wish` says of labelled messages.
struct WishReport {
  std::int64_t wishes = 0, found = 0, others = 0, wrong = 0;
};

/// Fitted weights and the source file in which they ship.
struct FittedWishes {
  std::string source;
  WishReport fitted, checked;
};

/// Fits a logistic curve with a penalty on the squares of its weights to `data`, by gradient descent from zero: the
/// same data and embedder give the same weights. `check` is only measured. Errors: those of the embedder.
Result<FittedWishes> fit_wishes(const std::vector<LabelledWish>& data, const std::vector<LabelledWish>& check,
                                Embedder& embedder, const Similarity& similarity);

std::string to_json(const WishReport& report);

}  // namespace weft
