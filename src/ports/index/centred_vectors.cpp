#include "ports/index/centred_vectors.h"

#include <algorithm>
#include <cmath>

namespace weft {
namespace {

// In four sums, which the processor adds side by side.
double product(std::span<const float> a, std::span<const float> b) {
  std::array<double, 4> sums{};
  std::size_t i = 0;
  for (; i + 4 <= a.size(); i += 4)
    for (std::size_t k = 0; k < 4; ++k) sums[k] += double{a[i + k]} * double{b[i + k]};
  for (; i < a.size(); ++i) sums[0] += double{a[i]} * double{b[i]};
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
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

CentredVectors::CentredVectors(LanguageMeans means) : means_(std::move(means)) {
  for (std::size_t i = 0; i < mean_squares_.size(); ++i) mean_squares_[i] = product(means_.of[i], means_.of[i]);
}

std::size_t CentredVectors::bytes() const {
  return scan_.bytes() + places_.capacity() * sizeof(Place) +
         (means_.of[0].size() + means_.of[1].size()) * sizeof(float);
}

void CentredVectors::set(std::uint32_t slot, std::span<const float> vector) {
  scan_.set(slot, vector);
  if (!means_.fit(vector.size())) return;
  if (places_.size() <= slot) places_.resize(slot + 1);
  const double square = product(vector, vector);
  const auto distance = [&](std::size_t mean) {  // to a mean, squared; never 0
    return std::max(square - 2 * product(vector, means_.of[mean]) + mean_squares_[mean], 1e-12);
  };
  const std::array<double, 2> distances{distance(0), distance(1)};
  const std::uint32_t mean = distances[1] < distances[0] ? 1 : 0;
  places_[slot] = {static_cast<float>(1 / std::sqrt(distances[mean])), mean};
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
