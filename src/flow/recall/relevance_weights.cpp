#include "flow/recall/relevance.h"

namespace weft {

const RelevanceCurves& relevance_curves() {
  using F = RelevanceFeatures;
  static constexpr RelevanceCurves kCurves{
      -2.0,
      -2.0,
      {{{"own", &F::own, 2, 2},
        {"window", &F::window, 2, 2},
        {"rarest", &F::rarest, 0, 0},
        {"unknown", &F::unknown, 0, 0},
        {"mass", &F::mass, 0, 0},
        {"words", &F::words, 0, 0},
        {"day", &F::day, 0, 0},
        {"length", &F::length, 0, 0},
        {"cosine", &F::cosine, 0, 0},
        {"deviations", &F::deviations, 0, 0},
        {"near", &F::near, 0, 0}}}};
  return kCurves;
}

}  // namespace weft
