#include "flow/stream/topic_shift.h"

#include <algorithm>
#include <cmath>

#include "flow/stream/shift_weights.h"

namespace weft {
namespace {

constexpr std::size_t kMaxReasons = 5;
constexpr double kLeastReason = 0.1;      // a signal that adds less to the logit is not worth a word
constexpr double kPauseSeconds = 300;     // a pause shorter than this says nothing
constexpr double kPausePerDoubling = 0.4; // chosen, not fitted: the development data have no times
constexpr double kMostPause = 1.5;

double pause_evidence(std::optional<double> seconds) {
  if (!seconds || *seconds <= kPauseSeconds) return 0;
  return std::min(kMostPause, kPausePerDoubling * std::log2(*seconds / kPauseSeconds));
}

/// What one input adds to the hidden sums, 0 where it is not known.
double scaled(const ShiftWeights& weights, std::span<const double> inputs, std::size_t i) {
  if (std::isnan(inputs[i])) return 0;
  return std::clamp((inputs[i] - weights.mean[i]) * weights.scale[i], -kShiftClip, kShiftClip);
}

std::vector<double> hidden_sums(const ShiftWeights& weights, std::span<const double> inputs) {
  std::vector<double> sums(weights.bias.begin(), weights.bias.end());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const double value = scaled(weights, inputs, i);
    for (std::size_t h = 0; h < sums.size(); ++h) sums[h] += value * weights.hidden[i * sums.size() + h];
  }
  return sums;
}

/// What each signal adds: the difference to the logit if it were not known.
std::vector<Reason> explain(const ShiftWeights& weights, std::span<const double> inputs, double logit) {
  const auto names = shift_feature_names();
  const auto sums = hidden_sums(weights, inputs);
  std::vector<Reason> reasons;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const double value = scaled(weights, inputs, i);
    double without = weights.output_bias;
    for (std::size_t h = 0; h < sums.size(); ++h) {
      without += std::max(0.0, sums[h] - value * weights.hidden[i * sums.size() + h]) * weights.output[h];
    }
    if (std::abs(logit - without) >= kLeastReason) reasons.push_back({std::string(names[i]), logit - without});
  }
  std::stable_sort(reasons.begin(), reasons.end(), [](const auto& a, const auto& b) { return std::abs(a.weight) > std::abs(b.weight); });
  if (reasons.size() > kMaxReasons) reasons.resize(kMaxReasons);
  return reasons;
}

}  // namespace

double shift_logit(const ShiftWeights& weights, std::span<const double> inputs) {
  const auto sums = hidden_sums(weights, inputs);
  double logit = weights.output_bias;
  for (std::size_t h = 0; h < sums.size(); ++h) logit += std::max(0.0, sums[h]) * weights.output[h];
  return logit;
}

ShiftJudgement judge_shift(const TopicTrace& trace, const ShiftUnit& unit, const Similarity& similarity) {
  ShiftJudgement judgement;
  judgement.by_model = !unit.vector.empty();
  if (trace.empty()) {
    judgement.probability = 1;
    return judgement;
  }
  if (const auto cosine = trace.kernel_cosine(unit, similarity)) judgement.similarity = similarity.scale(*cosine);
  const auto inputs = trace.features(unit, similarity);
  const double logit = shift_logit(shift_weights(), inputs);
  judgement.reasons = explain(shift_weights(), inputs, logit);
  const double pause = pause_evidence(trace.gap_seconds(unit));
  if (pause > 0) judgement.reasons.insert(judgement.reasons.begin(), {"pause", pause});
  judgement.probability = 1 / (1 + std::exp(-(logit + pause)));
  return judgement;
}

}  // namespace weft
