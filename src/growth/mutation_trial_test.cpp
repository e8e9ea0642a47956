#include "growth/mutation_trial.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace weft {
namespace {

EvolutionSettings literal() {
  EvolutionSettings settings;
  settings.decide = TrialPolicy::kRates;
  return settings;
}

Mutation test_with(std::int64_t original, std::int64_t of, std::int64_t variant, std::int64_t variant_of) {
  Mutation test;
  test.original_successes = original;
  test.original_uses = of;
  test.variant_successes = variant;
  test.variant_uses = variant_of;
  test.probability_better = probability_better(variant, variant_of, original, of);
  return test;
}

TEST(MutationTrial, EV_3_odd_uses_are_the_originals_and_even_ones_the_variants) {
  for (std::uint64_t use = 1; use <= 20; ++use)
    EXPECT_EQ(arm_of_use(use, 7, literal()), use % 2 == 1 ? Arm::kOriginal : Arm::kVariant) << use;
}

TEST(MutationTrial, EV_3_pairs_are_drawn_from_the_seed_and_stay_balanced) {
  std::map<Arm, int> first;
  for (std::uint64_t pair = 0; pair < 1'000; ++pair) {
    const Arm a = arm_of_use(2 * pair + 1, 42, {}), b = arm_of_use(2 * pair + 2, 42, {});
    EXPECT_NE(a, b);
    EXPECT_EQ(a, arm_of_use(2 * pair + 1, 42, {}));
    ++first[a];
  }
  EXPECT_NEAR(first[Arm::kVariant], 500, 60);
}

// Against a sum over a fine grid.
TEST(MutationTrial, EV_3_the_probability_is_that_of_two_beta_distributions) {
  const auto by_grid = [](double s, double n, double t, double m) {
    const int steps = 20'000;
    double below = 0, sum = 0, whole_x = 0, whole_y = 0;
    std::vector<double> x(steps), y(steps);
    for (int i = 0; i < steps; ++i) {
      const double p = (i + 0.5) / steps;
      x[static_cast<std::size_t>(i)] = std::exp(s * std::log(p) + (n - s) * std::log(1 - p));
      y[static_cast<std::size_t>(i)] = std::exp(t * std::log(p) + (m - t) * std::log(1 - p));
      whole_x += x[static_cast<std::size_t>(i)];
      whole_y += y[static_cast<std::size_t>(i)];
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
      sum += x[i] / whole_x * (below + y[i] / whole_y / 2);
      below += y[i] / whole_y;
    }
    return sum;
  };
  EXPECT_DOUBLE_EQ(probability_better(0, 0, 0, 0), 0.5);
  for (const auto& [s, n, t, m] : std::vector<std::array<int, 4>>{
           {5, 5, 4, 5}, {0, 10, 10, 10}, {120, 150, 105, 150}, {3, 40, 9, 30}, {150, 150, 149, 150}})
    EXPECT_NEAR(probability_better(s, n, t, m), by_grid(s, n, t, m), 1e-4) << s << "/" << n << " " << t << "/" << m;
}

TEST(MutationTrial, EV_3_rates_are_compared_after_n_uses_with_the_bounds) {
  EXPECT_EQ(judge(test_with(2, 5, 4, 4), literal()).stage, MutationStage::kTesting);
  EXPECT_EQ(judge(test_with(4, 5, 5, 5), literal()).stage, MutationStage::kKept);
  EXPECT_EQ(judge(test_with(5, 5, 4, 5), literal()).stage, MutationStage::kDiscarded);
  EXPECT_EQ(judge(test_with(4, 5, 4, 5), literal()).stage, MutationStage::kTesting);
  EvolutionSettings settings = literal();
  settings.min_improvement = 0.25;
  EXPECT_EQ(judge(test_with(4, 5, 5, 5), settings).stage, MutationStage::kTesting);
  settings.tolerance = 0.25;
  EXPECT_EQ(judge(test_with(5, 5, 4, 5), settings).stage, MutationStage::kTesting);
}

TEST(MutationTrial, EV_3_in_sequence_it_is_decided_when_it_is_sure_and_not_before) {
  const EvolutionSettings settings;
  EXPECT_EQ(judge(test_with(2, 10, 10, 10), settings).stage, MutationStage::kTesting) << "too few to say";
  const TrialVerdict kept = judge(test_with(30, 50, 45, 50), settings);
  EXPECT_EQ(kept.stage, MutationStage::kKept);
  EXPECT_NE(kept.decided.find("better with probability"), std::string::npos) << kept.decided;
  EXPECT_EQ(judge(test_with(45, 50, 30, 50), settings).stage, MutationStage::kDiscarded);
  EXPECT_EQ(judge(test_with(40, 50, 42, 50), settings).stage, MutationStage::kTesting);
  EXPECT_EQ(judge(test_with(128, 150, 130, 150), settings).stage, MutationStage::kInconclusive);
}

}  // namespace
}  // namespace weft
