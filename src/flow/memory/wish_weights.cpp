#include "flow/memory/wish_meaning.h"

namespace weft {

WishWeights read_wish_weights(const WeightFile& file) {
  return {file.text("embedder"), file.number("bias"), file.number("clause"), file.number("general"),
          file.scaled("vector", "step")};
}

const WishWeights* wish_weights(std::string_view embedder) {
  static const WishWeights kFitted = read_wish_weights(shipped_weights("wishes"));
  return embedder.find(kFitted.embedder) == std::string_view::npos ? nullptr : &kFitted;
}

}  // namespace weft
