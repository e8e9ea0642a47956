#pragma once

#include <vector>

namespace weft {

/// A row of signals; the last one is 1, for the bias.
using SignalRow = std::vector<double>;

/// Fits a logistic curve by Newton's method: the weights under which what is `true` is likely and what is not is not,
/// with `penalties` on half the square of each weight. `weights` say how much a row counts. All rows are as long as
/// `penalties`. Deterministic.
std::vector<double> fit_logistic(const std::vector<SignalRow>& rows, const std::vector<bool>& truths,
                                 const std::vector<double>& weights, const std::vector<double>& penalties);

}  // namespace weft
