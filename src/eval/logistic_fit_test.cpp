#include "eval/logistic_fit.h"

#include <gtest/gtest.h>

#include <cmath>

namespace weft {
namespace {

TEST(LogisticFit, PF_19_a_curve_finds_the_chances_that_it_is_shown) {
  // Of four rows with the sign three are true, of four without it one is.
  std::vector<SignalRow> rows;
  std::vector<bool> truths;
  for (int i = 0; i < 8; ++i) {
    rows.push_back({i < 4 ? 1.0 : 0.0, 1.0});
    truths.push_back(i < 4 ? i != 0 : i == 4);
  }
  const auto fitted = fit_logistic(rows, truths, std::vector<double>(8, 1), {1e-9, 1e-9});
  const auto chance = [](double logit) { return 1 / (1 + std::exp(-logit)); };
  EXPECT_NEAR(chance(fitted[0] + fitted[1]), 0.75, 1e-6);
  EXPECT_NEAR(chance(fitted[1]), 0.25, 1e-6);
}

TEST(LogisticFit, PF_19_a_penalty_keeps_weights_small_where_rows_are_told_apart) {
  const std::vector<SignalRow> rows{{1, 1}, {-1, 1}};
  const auto weak = fit_logistic(rows, {true, false}, {1, 1}, {0.1, 1e-3});
  const auto strong = fit_logistic(rows, {true, false}, {1, 1}, {10, 1e-3});
  EXPECT_GT(weak[0], strong[0]);
  EXPECT_GT(strong[0], 0);
  EXPECT_TRUE(std::isfinite(weak[0]));
}

TEST(LogisticFit, PF_19_a_row_counts_as_often_as_its_weight_says) {
  const auto twice = fit_logistic({{1}, {1}, {1}}, {true, true, false}, {1, 1, 1}, {0.5});
  const auto weighed = fit_logistic({{1}, {1}}, {true, false}, {2, 1}, {0.5});
  EXPECT_NEAR(twice[0], weighed[0], 1e-9);
}

}  // namespace
}  // namespace weft
