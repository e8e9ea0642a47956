#include "eval/known_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace weft {
namespace {

constexpr std::size_t kWeights = std::tuple_size_v<decltype(RelevanceCurves::weights)>;
constexpr int kRounds = 8, kSteps = 1500;
constexpr double kRate = 0.3, kRidge = 1e-3;
constexpr double kLeastSpread = 1e-9;  // a feature below it is the same everywhere

using Values = std::array<double, kWeights>;

/// One hit to fit to.
struct Example {
  Values values;
  double chosen = 0;  ///< what the weights that are not fitted add
  double target = 0, weight = 0;
};

Values values_of(const RelevanceFeatures& features) {
  Values values{};
  for (std::size_t i = 0; i < kWeights; ++i) values[i] = features.*relevance_curves().weights[i].value;
  return values;
}

bool is_chosen(std::size_t i) { return relevance_curves().weights[i].sign == RelevanceWeight::Sign::kChosen; }

/// What the weights that are not fitted add. They stand in the curve and are no part of the descent.
double chosen_part(const FittedCurve& curve, const Values& values) {
  double sum = 0;
  for (std::size_t i = 0; i < kWeights; ++i)
    if (is_chosen(i)) sum += curve.weights[i] * values[i];
  return sum;
}

double score(const FittedCurve& curve, const Values& values) {
  double sum = curve.bias;
  for (std::size_t i = 0; i < kWeights; ++i) sum += curve.weights[i] * values[i];
  return sum;
}

/// The hits that stand for each case under the curve of the round before.
std::vector<Example> choose(const std::vector<const KnownCase*>& cases, const FittedCurve& curve, bool first) {
  std::map<std::pair<std::string, bool>, double> counts;
  std::vector<Example> chosen;
  std::vector<std::pair<std::string, bool>> side;
  for (const KnownCase* one : cases) {
    const Values* best = nullptr;
    Values values, highest;
    double most = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < one->hits.size(); ++i) {
      values = values_of(one->hits[i]);
      const double now = first ? values[0] + values[1] : score(curve, values);
      if (now <= most) continue;
      most = now;
      highest = values;
      best = &highest;
    }
    if (best == nullptr) continue;
    chosen.push_back({*best, chosen_part(curve, *best), one->own ? 1.0 : 0.0, 0});
    side.emplace_back(one->set, one->own);
    counts[side.back()] += 1;
  }
  for (std::size_t i = 0; i < chosen.size(); ++i) chosen[i].weight = 1 / counts[side[i]];
  return chosen;
}

/// What a feature is shifted and scaled by, so that all are steps of about one.
struct Scale {
  Values mean{}, spread{};
};

Scale scale_of(const std::vector<Example>& examples) {
  Scale scale;
  double all = 0;
  for (const Example& one : examples) all += one.weight;
  for (std::size_t i = 0; i < kWeights; ++i) {
    double sum = 0, squares = 0;
    for (const Example& one : examples) sum += one.weight * one.values[i];
    scale.mean[i] = sum / all;
    for (const Example& one : examples) squares += one.weight * std::pow(one.values[i] - scale.mean[i], 2);
    scale.spread[i] = is_chosen(i) ? 0 : std::sqrt(squares / all);
  }
  return scale;
}

/// Gradient descent. Weights of what speaks for a hit may not fall below zero, so that more matched words never lower
/// its relevance.
FittedCurve descend(const std::vector<Example>& examples, FittedCurve curve) {
  const Scale scale = scale_of(examples);
  double all = 0;
  for (const Example& one : examples) all += one.weight;
  Values weights{}, momentum{};
  double bias = 0, bias_momentum = 0;
  for (int step = 0; step < kSteps; ++step) {
    Values slope{};
    double bias_slope = 0;
    for (const Example& one : examples) {
      double sum = bias + one.chosen;
      for (std::size_t i = 0; i < kWeights; ++i)
        if (scale.spread[i] > kLeastSpread) sum += weights[i] * (one.values[i] - scale.mean[i]) / scale.spread[i];
      const double wrong = one.weight / all * (1 / (1 + std::exp(-sum)) - one.target);
      bias_slope += wrong;
      for (std::size_t i = 0; i < kWeights; ++i)
        if (scale.spread[i] > kLeastSpread) slope[i] += wrong * (one.values[i] - scale.mean[i]) / scale.spread[i];
    }
    bias_momentum = 0.9 * bias_momentum + bias_slope;
    bias -= kRate * bias_momentum;
    for (std::size_t i = 0; i < kWeights; ++i) {
      momentum[i] = 0.9 * momentum[i] + slope[i] + kRidge * weights[i];
      weights[i] -= kRate * momentum[i];
      const RelevanceWeight& one = relevance_curves().weights[i];
      if (one.sign == RelevanceWeight::Sign::kFor && weights[i] < 0) weights[i] = 0;
    }
  }
  curve.bias = bias;
  for (std::size_t i = 0; i < kWeights; ++i) {
    if (is_chosen(i)) continue;
    curve.weights[i] = 0;
    if (scale.spread[i] <= kLeastSpread) continue;
    curve.weights[i] = weights[i] / scale.spread[i];
    curve.bias -= curve.weights[i] * scale.mean[i];
  }
  return curve;
}

/// The score under which that share of the own questions lies, every set weighing the same.
double quantile(const std::vector<const KnownCase*>& cases, const FittedCurve& curve, double share) {
  std::map<std::string, std::size_t> counts;
  std::vector<std::pair<double, const std::string*>> best;
  for (const KnownCase* one : cases) {
    if (!one->own || one->hits.empty()) continue;
    double most = -std::numeric_limits<double>::infinity();
    for (const RelevanceFeatures& hit : one->hits) most = std::max(most, score(curve, values_of(hit)));
    best.emplace_back(most, &one->set);
    ++counts[one->set];
  }
  std::sort(best.begin(), best.end());
  double sum = 0;
  for (const auto& [value, set] : best) {
    sum += 1 / static_cast<double>(counts[*set] * counts.size());
    if (sum > share) return value;
  }
  return 0;
}

}  // namespace

double relevance_by(const FittedCurve& curve, const RelevanceFeatures& features) {
  return 1 / (1 + std::exp(-score(curve, values_of(features))));
}

FittedCurve fit_relevance(std::span<const KnownCase> cases, bool vectors, double refused) {
  std::vector<const KnownCase*> fitted;
  for (const KnownCase& one : cases)
    if (!one.held_out && one.vectors == vectors) fitted.push_back(&one);
  FittedCurve curve;
  for (std::size_t i = 0; i < kWeights; ++i) {
    const RelevanceWeight& one = relevance_curves().weights[i];
    if (is_chosen(i)) curve.weights[i] = vectors ? one.vectors : one.words;
  }
  for (int round = 0; round < kRounds; ++round) {
    const auto examples = choose(fitted, curve, round == 0);
    if (examples.empty()) return curve;
    curve = descend(examples, curve);
  }
  curve.bias -= quantile(fitted, curve, refused);
  return curve;
}

double area_under_curve(std::vector<double> own, std::vector<double> foreign) {
  if (own.empty() || foreign.empty()) return 0.5;
  std::sort(foreign.begin(), foreign.end());
  double above = 0;
  for (const double value : own) {
    const auto less = std::lower_bound(foreign.begin(), foreign.end(), value);
    const auto equal = std::upper_bound(less, foreign.end(), value);
    above += static_cast<double>(less - foreign.begin()) + 0.5 * static_cast<double>(equal - less);
  }
  return above / static_cast<double>(own.size() * foreign.size());
}

}  // namespace weft
