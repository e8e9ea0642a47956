#include "eval/boosted_trees.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace weft {
namespace {

/// Three signals: the first pushes up, the second down, the third says nothing.
TrainingRows drawn_rows(std::size_t count) {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> any(0, 1);
  TrainingRows rows;
  rows.columns.resize(3);
  for (std::size_t i = 0; i < count; ++i) {
    float values[3];
    for (std::size_t c = 0; c < 3; ++c) rows.columns[c].push_back(values[c] = any(random));
    const double logit = 4 * static_cast<double>(values[0]) - 4 * static_cast<double>(values[1]) - 1;
    rows.border.push_back(static_cast<double>(any(random)) < 1 / (1 + std::exp(-logit)) ? 1 : 0);
    rows.weight.push_back(1);
  }
  return rows;
}

BoostingOptions few_rows() {
  BoostingOptions options;
  options.min_weight = 100;
  options.column_share = 1;
  options.slopes = {Slope::kRising, Slope::kFalling, Slope::kFree};
  return options;
}

double answer(const std::vector<ShiftTree>& trees, double a, double b, double c = 0.5) {
  const double signals[] = {a, b, c};
  return shift_logit(trees, signals);
}

TEST(BoostedTrees, PF_19_come_near_the_truth_that_drew_the_rows) {
  const auto trees = fit_trees(drawn_rows(20000), few_rows());
  EXPECT_EQ(trees.size(), few_rows().trees);
  for (const double a : {0.1, 0.5, 0.9})
    for (const double b : {0.1, 0.5, 0.9}) EXPECT_NEAR(answer(trees, a, b), 4 * a - 4 * b - 1, 0.6) << a << ' ' << b;
}

TEST(BoostedTrees, PF_19_are_monotone_where_they_are_to_be_whatever_the_rows_say) {
  const auto rows = drawn_rows(6000);
  for (const Slope first : {Slope::kRising, Slope::kFalling}) {
    BoostingOptions options = few_rows();
    options.slopes[0] = first;
    const auto trees = fit_trees(rows, options);
    std::mt19937 random(2);
    std::uniform_real_distribution<double> any(0, 1);
    for (int i = 0; i < 3000; ++i) {
      const double low = any(random), high = std::min(1.0, low + any(random) / 4), b = any(random), c = any(random);
      const double rise = answer(trees, high, b, c) - answer(trees, low, b, c);
      EXPECT_GE(first == Slope::kRising ? rise : -rise, -1e-9);
    }
  }
}

TEST(BoostedTrees, PF_19_the_same_rows_give_the_same_trees_and_unused_signals_are_not_asked_for) {
  const auto rows = drawn_rows(3000);
  BoostingOptions options = few_rows();
  options.slopes[1] = Slope::kUnused;
  const auto once = fit_trees(rows, options), twice = fit_trees(rows, options);
  for (std::size_t i = 0; i < once.size(); ++i)
    for (std::size_t n = 0; n < once[i].nodes.size(); ++n) {
      EXPECT_NE(once[i].nodes[n].signal, 1);
      EXPECT_EQ(once[i].nodes[n].signal, twice[i].nodes[n].signal);
      EXPECT_EQ(once[i].nodes[n].value, twice[i].nodes[n].value);
    }
}

TEST(BoostedTrees, PF_19_rows_of_more_weight_count_for_more) {
  TrainingRows rows = drawn_rows(4000);
  for (std::size_t i = 0; i < rows.weight.size(); ++i) rows.weight[i] = rows.border[i] != 0 ? 1.5F : 0.5F;
  EXPECT_GT(answer(fit_trees(rows, few_rows()), 0.5, 0.5), answer(fit_trees(drawn_rows(4000), few_rows()), 0.5, 0.5));
}

TEST(BoostedTrees, PF_19_a_signal_that_few_rows_of_great_weight_have_is_asked_for) {
  TrainingRows rows = drawn_rows(4000);
  for (std::size_t i = 0; i < 60; ++i) {
    rows.columns[2][i] += 2;
    rows.border[i] = 1;
  }
  BoostingOptions options = few_rows();
  const auto added = [&] {
    const auto trees = fit_trees(rows, options);
    return answer(trees, 0.5, 0.5, 2.5) - answer(trees, 0.5, 0.5);
  };
  const double of_few = added();
  for (std::size_t i = 0; i < 60; ++i) rows.weight[i] = 5;
  EXPECT_GT(added(), of_few + 1);
}

}  // namespace
}  // namespace weft
