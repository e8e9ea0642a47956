#include "flow/recall/relevance.h"

namespace weft {

// Written by `weft fit known`; docs/quality.md says on what. The weight of `excess` is chosen: whether a long text has to
// do with something is not told by shares of its words, and what ranking finds for it is better than nothing.
const RelevanceCurves& relevance_curves() {
  using F = RelevanceFeatures;
  using enum RelevanceWeight::Sign;
  // clang-format off
  static constexpr RelevanceCurves kCurves{-2.23,
                                           -5.97,
                                           {{{"own", &F::own, 6.19, 2.82, kFor},
                                             {"window", &F::window, 0.00, 0.00, kFor},
                                             {"many", &F::many, 0.79, 0.55, kFor},
                                             {"unknown", &F::unknown, -5.64, -5.23, kAny},
                                             {"mass", &F::mass, 0.76, 0.29, kFor},
                                             {"excess", &F::excess, 4.00, 4.00, kChosen},
                                             {"day", &F::day, 3.31, 2.79, kFor},
                                             {"length", &F::length, -0.36, -0.11, kAny},
                                             {"chinese", &F::chinese, -0.46, -0.57, kAny},
                                             {"chinese_window", &F::chinese_window, 8.09, 5.07, kFor},
                                             {"cosine", &F::cosine, 0.00, 12.32, kFor},
                                             {"deviations", &F::deviations, 0.00, 0.14, kFor},
                                             {"near", &F::near, 0.00, 0.00, kFor}}}};
  // clang-format on
  return kCurves;
}

}  // namespace weft
