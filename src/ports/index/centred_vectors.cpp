#include "ports/index/centred_vectors.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace weft {
namespace {

double product(std::span<const float> a, std::span<const float> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// Of |v − mean|; never 0.
double length_without(std::span<const float> vector, std::span<const float> mean) {
  const double square = product(vector, vector) - 2 * product(vector, mean) + product(mean, mean);
  return std::sqrt(std::max(square, 1e-12));
}

}  // namespace

std::size_t LanguageMeans::nearest(std::span<const float> vector) const {
  return length_without(vector, of[1]) < length_without(vector, of[0]) ? 1 : 0;
}

void CentredVectors::set(std::uint32_t slot, std::span<const float> vector) {
  scan_.set(slot, vector);
  if (!means_.fit(vector.size())) return;
  if (places_.size() <= slot) places_.resize(slot + 1);
  const std::size_t mean = means_.nearest(vector);
  places_[slot] = {static_cast<float>(1 / length_without(vector, means_.of[mean])), static_cast<std::uint32_t>(mean)};
}

// With q' = (q − mean) / |q − mean|, the cosine is (q'·v − q'·mean of v) / |v − mean of v|.
void CentredVectors::cosines(std::span<const float> query, std::span<float> scores) const {
  if (!means_.fit(query.size())) return scan_.dot(query, scores);
  const std::vector<float>& mean = means_.of[means_.nearest(query)];
  const double length = length_without(query, mean);
  std::vector<float> centred(query.size());
  for (std::size_t i = 0; i < centred.size(); ++i) centred[i] = static_cast<float>((query[i] - mean[i]) / length);
  const std::array<float, 2> at{static_cast<float>(product(centred, means_.of[0])),
                                static_cast<float>(product(centred, means_.of[1]))};
  scan_.dot(centred, scores);
  const std::size_t slots = std::min(scores.size(), places_.size());
  for (std::uint32_t slot = 0; slot < slots; ++slot)
    if (scan_.has(slot)) scores[slot] = (scores[slot] - at[places_[slot].mean]) * places_[slot].inverse;
}

}  // namespace weft
