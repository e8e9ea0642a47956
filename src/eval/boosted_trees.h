#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "flow/stream/topic_shift.h"

namespace weft {

/// Examples to learn from, a column a signal.
struct TrainingRows {
  std::vector<std::vector<float>> columns;
  std::vector<std::uint8_t> border;  ///< the answer
  std::vector<float> weight;         ///< their mean shall be 1
};

/// What may be asked of a signal.
enum class Slope : std::int8_t { kFalling = -1, kFree = 0, kRising = 1, kUnused = 2 };

struct BoostingOptions {
  std::size_t trees = 120;
  double rate = 0.1;
  /// Of the rows at an answer. Not their number: where kinds of data weigh the same, a signal of a small kind would
  /// else never be asked for.
  double min_weight = 500;
  double row_share = 0.7;       ///< drawn for each tree
  double column_share = 0.5;    ///< of the signals, likewise
  double ridge = 20;            ///< keeps answers of few rows small
  std::vector<Slope> slopes;    ///< one a column
};

/// Gradient boosting of the logistic loss by trees of four answers over binned signals; the sum of the trees rises and
/// falls with each signal as `slopes` say. The base rate stands in the first tree. From the same rows the same trees.
/// Friedman, "Greedy function approximation" (2001); bounds for monotone signals as in LightGBM's basic method.
std::vector<ShiftTree> fit_trees(const TrainingRows& rows, const BoostingOptions& options);

}  // namespace weft
