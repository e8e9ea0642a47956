#include <string>

#include "flow/recall/relevance.h"
#include "text/weight_file.h"

namespace weft {

// The weight of `excess` is chosen: whether a long text has to do with something is not told by shares of its words,
// and what ranking finds for it is better than nothing. Those of `few` and `cosine_of_few` are chosen, since the
// labelled memories are all larger: with them a small memory and a text are judged much as by a curve of the cosine.
const RelevanceCurves& relevance_curves() {
  using F = RelevanceFeatures;
  using enum RelevanceWeight::Sign;
  static const RelevanceCurves kCurves = [] {
    RelevanceCurves curves{0,
                           0,
                           {{{"own", &F::own, 0, 0, kFor},
                             {"window", &F::window, 0, 0, kFor},
                             {"many", &F::many, 0, 0, kFor},
                             {"unknown", &F::unknown, 0, 0, kAny},
                             {"mass", &F::mass, 0, 0, kFor},
                             {"excess", &F::excess, 0, 0, kChosen},
                             {"day", &F::day, 0, 0, kFor},
                             {"length", &F::length, 0, 0, kAny},
                             {"chinese", &F::chinese, 0, 0, kAny},
                             {"chinese_window", &F::chinese_window, 0, 0, kFor},
                             {"personal", &F::personal, 0, 0, kFor},
                             {"cosine", &F::cosine, 0, 0, kFor},
                             {"deviations", &F::deviations, 0, 0, kFor},
                             {"near", &F::near, 0, 0, kFor},
                             {"spread", &F::spread, 0, 0, kFor},
                             {"cosine_of_few", &F::cosine_of_few, 0, 0, kChosen},
                             {"few", &F::few, 0, 0, kChosen}}}};
    const WeightFile file = shipped_weights("known");
    curves.words_bias = file.number("words.bias");
    curves.vectors_bias = file.number("vectors.bias");
    for (RelevanceWeight& one : curves.weights) {
      one.words = file.number("words." + std::string(one.name));
      one.vectors = file.number("vectors." + std::string(one.name));
    }
    return curves;
  }();
  return kCurves;
}

}  // namespace weft
