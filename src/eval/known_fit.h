#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "flow/recall/relevance.h"

namespace weft {

/// What one question found in one memory.
struct KnownCase {
  std::string set, question;
  bool own = false;       ///< the memory holds what answers it
  bool far = false;       ///< not own: a memory of another set
  bool vectors = false;   ///< vectors took part
  bool held_out = false;  ///< not to be fitted on
  std::vector<RelevanceFeatures> hits;  ///< the best first
  std::vector<bool> gold;               ///< which of them answer the question
  double relevance = 0;                 ///< the highest of the hits
};

/// A curve for one of the two cases: the weights in the order of `relevance_curves`.
struct FittedCurve {
  double bias = 0;
  std::array<double, std::tuple_size_v<decltype(RelevanceCurves::weights)>> weights{};
};

double relevance_by(const FittedCurve& curve, const RelevanceFeatures& features);

/// Fits a logistic curve to the cases that are not held out. The best hit of an own question is to be above, that of a
/// foreign one below; which hit it is depends on the curve, so that this is done in rounds. Every set weighs the same,
/// and so do both sides of it. At last the bias is set so that `refused` of the own questions have no hit above 0.5.
/// Deterministic.
FittedCurve fit_relevance(std::span<const KnownCase> cases, bool vectors, double refused);

/// Probability that an own question has a higher relevance than a foreign one; 0.5 where one kind is missing.
double area_under_curve(std::vector<double> own, std::vector<double> foreign);

}  // namespace weft
