#include "eval/calibrate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

#include "eval/draw.h"
#include "eval/segment.h"

namespace weft {
namespace {

constexpr std::size_t kReach = 2;        // neighbours up to this far apart make pairs of one topic
constexpr int kNewtonSteps = 50;
constexpr double kRidge = 1e-4;          // keeps the slope finite where the data can be parted without error

struct Sample {
  Vector vector;
  std::size_t dialogue = 0;
  std::size_t topic = 0;
};

struct Pair {
  double cosine = 0;
  bool same = false;
};

Language main_language(const LabelledDialogue& dialogue) {
  std::string all;
  for (const auto& turn : dialogue.turns) all += turn.text + " ";
  return language_of(all);
}

Result<std::vector<Sample>> embed_dialogues(const std::vector<const LabelledDialogue*>& dialogues, Embedder& embedder,
                                            std::size_t most) {
  std::size_t turns = 0;
  for (const auto* dialogue : dialogues) turns += dialogue->turns.size();
  const std::size_t step = std::max<std::size_t>(1, turns / std::max<std::size_t>(1, most));
  std::vector<Sample> samples;
  for (std::size_t d = 0; d < dialogues.size() && samples.size() < most; d += step) {
    const auto& dialogue = *dialogues[d];
    for (std::size_t i = 0; i < dialogue.turns.size() && samples.size() < most; ++i) {
      auto vector = embedder.embed(dialogue.turns[i].text, EmbedUse::kCompare, Deadline());
      if (!vector.ok() && vector.error().code == ErrorCode::kInvalidArgument) continue;
      if (!vector.ok()) return vector.error();
      const auto topic = std::upper_bound(dialogue.starts.begin(), dialogue.starts.end(), i) - dialogue.starts.begin();
      samples.push_back({std::move(vector).value(), d, static_cast<std::size_t>(topic)});
    }
  }
  return samples;
}

Vector mean_of(const std::vector<Sample>& samples) {
  if (samples.empty()) return {};
  std::vector<double> sums(samples.front().vector.size(), 0);
  for (const auto& sample : samples) {
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += sample.vector[i];
  }
  Vector mean;
  for (const double sum : sums) mean.push_back(static_cast<float>(sum / static_cast<double>(samples.size())));
  return mean;
}

void add_pairs(const std::vector<Sample>& samples, std::vector<Pair>& pairs) {
  Draw draw;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    for (std::size_t j = i + 1; j <= i + kReach && j < samples.size(); ++j) {
      const auto& a = samples[i];
      const auto& b = samples[j];
      if (a.dialogue == b.dialogue && a.topic == b.topic) pairs.push_back({cosine(a.vector, b.vector), true});
    }
    const auto& a = samples[i];
    for (std::size_t k = 0; k < kReach; ++k) {
      const auto& b = samples[draw.below(samples.size())];
      if (a.dialogue != b.dialogue || a.topic != b.topic) pairs.push_back({cosine(a.vector, b.vector), false});
    }
  }
}

/// The cosine that parts the pairs best, both kinds weighing the same, and how well.
std::pair<double, double> best_cut(std::vector<Pair> pairs) {
  std::sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) { return a.cosine < b.cosine; });
  const auto same =
      static_cast<double>(std::count_if(pairs.begin(), pairs.end(), [](const auto& pair) { return pair.same; }));
  const double other = static_cast<double>(pairs.size()) - same;
  std::pair<double, double> best{0, 0};
  double same_below = 0;
  double other_below = 0;
  for (std::size_t i = 0; i + 1 < pairs.size(); ++i) {
    (pairs[i].same ? same_below : other_below) += 1;
    const double accuracy = ((same - same_below) / same + other_below / other) / 2;
    if (accuracy > best.second) best = {(pairs[i].cosine + pairs[i + 1].cosine) / 2, accuracy};
  }
  return best;
}

/// Slope of the logistic regression of "same topic" on the cosine, both kinds weighing the same.
double fit_slope(const std::vector<Pair>& pairs) {
  const auto same =
      static_cast<double>(std::count_if(pairs.begin(), pairs.end(), [](const auto& pair) { return pair.same; }));
  const double other = static_cast<double>(pairs.size()) - same;
  double a = 0;
  double b = 0;
  for (int step = 0; step < kNewtonSteps; ++step) {
    std::array<double, 2> gradient = {-kRidge * a, 0};
    std::array<double, 3> hessian = {kRidge, 0, 1e-9};
    for (const auto& pair : pairs) {
      const double weight = 0.5 / (pair.same ? same : other);
      const double p = 1 / (1 + std::exp(-(a * pair.cosine + b)));
      const double error = weight * ((pair.same ? 1.0 : 0.0) - p);
      const double curve = weight * p * (1 - p);
      gradient[0] += error * pair.cosine;
      gradient[1] += error;
      hessian[0] += curve * pair.cosine * pair.cosine;
      hessian[1] += curve * pair.cosine;
      hessian[2] += curve;
    }
    const double determinant = hessian[0] * hessian[2] - hessian[1] * hessian[1];
    if (determinant <= 0) break;
    a += (hessian[2] * gradient[0] - hessian[1] * gradient[1]) / determinant;
    b += (hessian[0] * gradient[1] - hessian[1] * gradient[0]) / determinant;
  }
  return a;
}

}  // namespace

Result<Calibration> calibrate_similarity(const std::vector<std::string>& files, Embedder& embedder,
                                         const CalibrateOptions& options) {
  std::vector<LabelledDialogue> dialogues;
  for (const auto& file : files) {
    WEFT_TRY(auto read, read_labelled_dialogues(file));
    std::move(read.begin(), read.end(), std::back_inserter(dialogues));
  }
  std::array<std::vector<const LabelledDialogue*>, 2> by_language;
  for (const auto& dialogue : dialogues)
    by_language[static_cast<std::size_t>(main_language(dialogue))].push_back(&dialogue);
  Calibration result;
  std::array<Vector, 2> means;
  std::vector<Pair> pairs;
  for (std::size_t l = 0; l < by_language.size(); ++l) {
    WEFT_TRY(auto samples, embed_dialogues(by_language[l], embedder, options.texts_per_language));
    result.texts += static_cast<std::int64_t>(samples.size());
    means[l] = mean_of(samples);
    const Similarity centring(embedder.name(), l == 0 ? means[l] : Vector{}, l == 1 ? means[l] : Vector{}, 1, 0);
    for (auto& sample : samples) sample.vector = centring.centre(sample.vector, static_cast<Language>(l));
    add_pairs(samples, pairs);
  }
  const auto same = std::count_if(pairs.begin(), pairs.end(), [](const auto& pair) { return pair.same; });
  if (same == 0 || static_cast<std::size_t>(same) == pairs.size()) {
    return invalid_argument("calibration: no pairs of both kinds",
                            "give dialogues with at least two topics and two turns in one");
  }
  const auto [cut, accuracy] = best_cut(pairs);
  const double slope = std::max(1.0, fit_slope(pairs));
  result.pairs = static_cast<std::int64_t>(pairs.size());
  result.best_cosine = cut;
  result.balanced_accuracy = accuracy;
  result.similarity =
      Similarity(embedder.name(), means[0], means[1], slope, cut - std::log(options.cut / (1 - options.cut)) / slope);
  return result;
}

}  // namespace weft
