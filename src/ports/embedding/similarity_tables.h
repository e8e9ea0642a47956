#pragma once

#include <span>
#include <string_view>

namespace weft {

/// A calibration that comes with the product.
struct FittedSimilarity {
  std::string_view embedder;      ///< the model's family: embedders whose name holds it
  double slope;
  double middle;
  float english_step;
  std::string_view english_mean;  ///< hexadecimal signed bytes
  float chinese_step;
  std::string_view chinese_mean;
};

std::span<const FittedSimilarity> fitted_similarities();

}  // namespace weft
