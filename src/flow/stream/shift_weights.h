#pragma once

#include <cstddef>
#include <span>

namespace weft {

/// A network of one hidden layer: each input has its mean taken away, is scaled and held within ±`kShiftClip`; an
/// unknown one counts as its mean. Views of tables that live as long as the program.
struct ShiftWeights {
  std::span<const float> mean;     ///< one for each input
  std::span<const float> scale;    ///< what an input is multiplied with
  std::span<const float> hidden;   ///< inputs × hidden units, by input
  std::span<const float> bias;     ///< one for each hidden unit
  std::span<const float> output;   ///< one for each hidden unit
  float output_bias = 0;
};

inline constexpr double kShiftClip = 4;

/// The table fitted on conversations in both languages.
const ShiftWeights& shift_weights();

/// The logit for the inputs. Their number must be the table's.
double shift_logit(const ShiftWeights& weights, std::span<const double> inputs);

}  // namespace weft
