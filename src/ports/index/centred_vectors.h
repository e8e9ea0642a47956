#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ports/index/vector_scan.h"

namespace weft {

/// Mean vectors of unrelated texts, one a language. What texts of a language share says nothing of what they are about;
/// without it cosines tell more. Empty: nothing is taken away.
struct LanguageMeans {
  std::array<std::vector<float>, 2> of;  ///< both empty, or as long as the vectors

  bool fit(std::size_t dimensions) const {
    return dimensions > 0 && of[0].size() == dimensions && of[1].size() == dimensions;
  }

  /// The mean that a vector lies nearest to: that of its text's language.
  std::size_t nearest(std::span<const float> vector) const;
};

/// A scan that gives plain products as well as cosines of vectors without the mean of their language. The vectors are
/// kept as they are; beside each stand two numbers. Locking as for `VectorScan`.
class CentredVectors {
 public:
  explicit CentredVectors(LanguageMeans means = {});

  void set(std::uint32_t slot, std::span<const float> vector);
  void clear(std::uint32_t slot) { scan_.clear(slot); }
  bool has(std::uint32_t slot) const { return scan_.has(slot); }

  /// See `VectorScan::dot`.
  void dot(std::span<const float> query, std::span<float> scores) const { scan_.dot(query, scores); }

  /// Cosines of `query` and each slot's vector, both without the mean of their language; plain products where no means
  /// are known. Slots without a vector get 0.
  void cosines(std::span<const float> query, std::span<float> scores) const;

  std::size_t count() const { return scan_.count(); }
  std::size_t bytes() const;  ///< of memory, about
  std::size_t dimensions() const { return scan_.dimensions(); }

 private:
  struct Place {
    float inverse = 0;  ///< of the length without the mean
    std::uint32_t mean = 0;
  };

  LanguageMeans means_;
  std::array<double, 2> mean_squares_{};
  VectorScan scan_;
  std::vector<Place> places_;
};

}  // namespace weft
