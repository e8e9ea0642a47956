#include "eval/logistic_fit.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace weft {
namespace {

constexpr int kRounds = 30;
constexpr double kSmall = 1e-6;  // of the longest step of any weight

using Matrix = std::vector<std::vector<double>>;  // its lower half

// Solves `matrix` * x = `right` by Cholesky's decomposition; the matrix is positive definite, for it holds the
// penalties.
std::vector<double> solve(Matrix matrix, std::vector<double> right) {
  const std::size_t size = right.size();
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const double sum = std::inner_product(matrix[i].begin(), matrix[i].begin() + static_cast<std::ptrdiff_t>(j),
                                            matrix[j].begin(), 0.0);
      matrix[i][j] = i == j ? std::sqrt(matrix[i][i] - sum) : (matrix[i][j] - sum) / matrix[j][j];
    }
    for (std::size_t j = 0; j < i; ++j) right[i] -= matrix[i][j] * right[j];
    right[i] /= matrix[i][i];
  }
  for (std::size_t i = size; i-- > 0;) {
    for (std::size_t j = i + 1; j < size; ++j) right[i] -= matrix[j][i] * right[j];
    right[i] /= matrix[i][i];
  }
  return right;
}

}  // namespace

std::vector<double> fit_logistic(const std::vector<SignalRow>& rows, const std::vector<bool>& truths,
                                 const std::vector<double>& weights, const std::vector<double>& penalties) {
  const std::size_t size = penalties.size();
  std::vector<double> fitted(size);
  for (int round = 0; round < kRounds; ++round) {
    std::vector<double> slope(size);
    Matrix curvature(size);
    for (std::size_t i = 0; i < size; ++i) {
      curvature[i].resize(i + 1);
      curvature[i][i] = penalties[i];
      slope[i] = penalties[i] * fitted[i];
    }
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const SignalRow& x = rows[row];
      const double chance = 1 / (1 + std::exp(-std::inner_product(x.begin(), x.end(), fitted.begin(), 0.0)));
      const double error = weights[row] * (chance - (truths[row] ? 1 : 0));
      const double bend = weights[row] * chance * (1 - chance);
      for (std::size_t i = 0; i < size; ++i) {
        if (x[i] == 0) continue;
        slope[i] += error * x[i];
        const double part = bend * x[i];
        for (std::size_t j = 0; j <= i; ++j) curvature[i][j] += part * x[j];
      }
    }
    const auto step = solve(std::move(curvature), std::move(slope));
    double longest = 0;
    for (std::size_t i = 0; i < size; ++i) {
      fitted[i] -= step[i];
      longest = std::max(longest, std::abs(step[i]));
    }
    if (longest < kSmall) break;
  }
  return fitted;
}

}  // namespace weft
