#include "flow/recall/relevance.h"

namespace weft {

// Fitted by `weft eval known --fit` on half of the conversations; docs/quality.md says on which. The weight of `excess`
// is chosen: whether a long text has to do with something is not told by shares of its words, and what ranking finds
// for it is better than nothing.
const RelevanceCurves& relevance_curves() {
  using F = RelevanceFeatures;
  using enum RelevanceWeight::Sign;
  static constexpr RelevanceCurves kCurves{-1.15,
                                           -6.47,
                                           {{{"own", &F::own, 4.52, 0.92, kFor},
                                             {"window", &F::window, 0, 3.79, kFor},
                                             {"many", &F::many, 1.36, 1.25, kFor},
                                             {"unknown", &F::unknown, -5.96, -4.2, kAny},
                                             {"mass", &F::mass, 0.58, 0, kFor},
                                             {"excess", &F::excess, 4, 4, kChosen},
                                             {"day", &F::day, 3.58, 3.99, kFor},
                                             {"length", &F::length, -0.28, -0.09, kAny},
                                             {"chinese", &F::chinese, -0.39, 0.71, kAny},
                                             {"chinese_window", &F::chinese_window, 7.4, 4.22, kFor},
                                             {"cosine", &F::cosine, 0, 0, kFor},
                                             {"deviations", &F::deviations, 0, 1.2, kFor},
                                             {"near", &F::near, 0, 0.86, kFor}}}};
  return kCurves;
}

}  // namespace weft
