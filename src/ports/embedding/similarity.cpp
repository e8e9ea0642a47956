#include "ports/embedding/similarity.h"

#include <cmath>

namespace weft {

Similarity::Similarity(std::string embedder, Vector english_mean, Vector chinese_mean, double slope, double middle)
    : embedder_(std::move(embedder)), means_{std::move(english_mean), std::move(chinese_mean)}, slope_(slope), middle_(middle), fitted_(true) {}

Similarity Similarity::raw() {
  Similarity similarity;
  similarity.raw_ = true;
  return similarity;
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

double Similarity::scale(double cosine) const { return raw_ ? cosine : 1 / (1 + std::exp(-slope_ * (cosine - middle_))); }

double Similarity::between(std::span<const float> a, Language a_language, std::span<const float> b, Language b_language) const {
  const Vector x = centre(a, a_language);
  const Vector y = centre(b, b_language);
  if (x.size() != y.size()) return 0;
  return scale(cosine(x, y));
}

}  // namespace weft
