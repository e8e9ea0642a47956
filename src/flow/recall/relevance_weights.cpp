#include "flow/recall/relevance.h"

namespace weft {

// Written by `weft fit known`; docs/quality.md says on what. The weight of `excess` is chosen: whether a long text has
// to do with something is not told by shares of its words, and what ranking finds for it is better than nothing.
const RelevanceCurves& relevance_curves() {
  using F = RelevanceFeatures;
  using enum RelevanceWeight::Sign;
  // clang-format off
  static constexpr RelevanceCurves kCurves{-2.48,
                                           -6.64,
                                           {{{"own", &F::own, 6.22, 3.52, kFor},
                                             {"window", &F::window, 0.00, 0.00, kFor},
                                             {"many", &F::many, 0.83, 0.31, kFor},
                                             {"unknown", &F::unknown, -5.83, -5.05, kAny},
                                             {"mass", &F::mass, 0.76, 0.61, kFor},
                                             {"excess", &F::excess, 4.00, 4.00, kChosen},
                                             {"day", &F::day, 3.35, 2.73, kFor},
                                             {"length", &F::length, -0.31, -0.18, kAny},
                                             {"chinese", &F::chinese, -0.43, -0.38, kAny},
                                             {"chinese_window", &F::chinese_window, 7.86, 4.35, kFor},
                                             {"cosine", &F::cosine, 0.00, 12.70, kFor},
                                             {"deviations", &F::deviations, 0.00, 0.10, kFor},
                                             {"near", &F::near, 0.00, 0.00, kFor}}}};
  // clang-format on
  return kCurves;
}

}  // namespace weft
