#include "ports/embedding/similarity.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <utility>

#include "base/log.h"
#include "base/strings.h"
#include "text/json.h"
#include "text/weight_file.h"

namespace weft {
namespace {

// Of an embedder nobody has measured: cosines of unrelated texts near 0 and of one topic above 0.2 are what most give.
constexpr double kGuessedSlope = 5;
constexpr double kGuessedMiddle = 0.12;

// The calibrations that ship, by the model's family: embedders whose name holds it.
constexpr std::string_view kShipped = "similarity/";

}  // namespace

Similarity::Similarity(std::string embedder, Vector english_mean, Vector chinese_mean, double slope, double middle)
    : embedder_(std::move(embedder)),
      means_{std::move(english_mean), std::move(chinese_mean)},
      slope_(slope),
      middle_(middle),
      fitted_(true) {}

Similarity Similarity::raw() {
  Similarity similarity;
  similarity.raw_ = true;
  return similarity;
}

Similarity Similarity::for_embedder(std::string_view name) {
  const std::string wanted = lowered(name);
  for (const ShippedWeights& file : std::span(shipped_weights_list, shipped_weights_count)) {
    if (!file.id.starts_with(kShipped) || wanted.find(file.id.substr(kShipped.size())) == std::string::npos) continue;
    auto fitted = parse(file.source);
    if (!fitted.ok()) throw std::logic_error("weights/" + std::string(file.id) + ".json: " + fitted.error().message);
    fitted->embedder_ = name;
    return std::move(*fitted);
  }
  log_warning("similarity.unknown", "no calibration for the embedder \"" + std::string(name) +
                                        "\": similarities are a guess; tools/fit/similarity.py fits one");
  Similarity guess(std::string(name), {}, {}, kGuessedSlope, kGuessedMiddle);
  guess.fitted_ = false;
  return guess;
}

Result<Similarity> Similarity::parse(std::string_view json) {
  WEFT_TRY(const nlohmann::json value, read_json(json, JsonLimits{}, "calibration"));
  try {
    Similarity similarity(value.at("embedder").get<std::string>(), value.at("english_mean").get<Vector>(),
                          value.at("chinese_mean").get<Vector>(), value.at("slope").get<double>(),
                          value.at("middle").get<double>());
    const bool sound = std::isfinite(similarity.slope_) && similarity.slope_ > 0 && std::isfinite(similarity.middle_);
    if (!sound)
      return invalid_argument("calibration: the slope must be positive", "fit it again with tools/fit/similarity.py");
    return similarity;
  } catch (const nlohmann::json::exception& error) {
    return invalid_argument(std::string("calibration: ") + error.what(), "fit it again with tools/fit/similarity.py");
  }
}

Vector Similarity::centre(std::span<const float> vector, Language language) const {
  Vector centred(vector.begin(), vector.end());
  const auto& mean = means_[static_cast<std::size_t>(language)];
  if (raw_ || mean.size() != centred.size()) return centred;
  double norm = 0;
  for (std::size_t i = 0; i < centred.size(); ++i) {
    centred[i] -= mean[i];
    norm += static_cast<double>(centred[i]) * centred[i];
  }
  if (norm <= 0) return centred;
  const auto factor = static_cast<float>(1 / std::sqrt(norm));
  for (float& value : centred) value *= factor;
  return centred;
}

double Similarity::scale(double cosine) const {
  return raw_ ? cosine : 1 / (1 + std::exp(-slope_ * (cosine - middle_)));
}

double Similarity::between(std::span<const float> a, Language a_language, std::span<const float> b,
                           Language b_language) const {
  const Vector x = centre(a, a_language);
  const Vector y = centre(b, b_language);
  if (x.size() != y.size()) return 0;
  return scale(cosine(x, y));
}

}  // namespace weft
