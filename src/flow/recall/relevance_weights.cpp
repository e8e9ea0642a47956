#include "flow/recall/relevance.h"

namespace weft {

// Fitted by `weft eval known --fit` on half of the memories; docs/quality.md says on which. The weight of `excess`
// is chosen: whether a long text has to do with something is not told by shares of its words, and what ranking finds
// for it is better than nothing.
const RelevanceCurves& relevance_curves() {
  using F = RelevanceFeatures;
  using enum RelevanceWeight::Sign;
  static constexpr RelevanceCurves kCurves{-1.15,
                                           -6.67,
                                           {{{"own", &F::own, 4.52, 3.79, kFor},
                                             {"window", &F::window, 0, 0, kFor},
                                             {"many", &F::many, 1.36, 0.85, kFor},
                                             {"unknown", &F::unknown, -5.96, -3.95, kAny},
                                             {"mass", &F::mass, 0.58, 0.32, kFor},
                                             {"excess", &F::excess, 4, 4, kChosen},
                                             {"day", &F::day, 3.58, 2.88, kFor},
                                             {"length", &F::length, -0.28, -0.74, kAny},
                                             {"chinese", &F::chinese, -0.39, 0.9, kAny},
                                             {"chinese_window", &F::chinese_window, 7.4, 6.42, kFor},
                                             {"cosine", &F::cosine, 0, 14.64, kFor},
                                             {"deviations", &F::deviations, 0, 0.4, kFor},
                                             {"near", &F::near, 0, 0, kFor}}}};
  return kCurves;
}

}  // namespace weft
