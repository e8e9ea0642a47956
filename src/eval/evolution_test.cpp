#include "eval/evolution.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

const EvolutionOutcome& of(const EvolutionReport& report, TrialPolicy decide, double gain) {
  for (const EvolutionOutcome& one : report.outcomes)
    if (one.decide == decide && one.gain == gain) return one;
  static const EvolutionOutcome none;
  return none;
}

// The floors of the requirement, on draws of their own.
TEST(Evolution, EV_3_changes_that_are_better_are_kept_and_worse_ones_are_not) {
  for (const std::uint64_t seed : {11U, 12U, 13U}) {
    EvolutionPlan plan;
    plan.seed = seed;
    const EvolutionReport report = simulate_evolution(plan, {});
    EXPECT_GE(of(report, TrialPolicy::kPosterior, 0.1).kept_share, 0.6) << to_json(report);
    EXPECT_LE(of(report, TrialPolicy::kPosterior, -0.1).kept_share, 0.05) << to_json(report);
    EXPECT_LE(of(report, TrialPolicy::kPosterior, 0.1).arm_uses, 150) << to_json(report);
  }
}

// Ten uses, five of each, are a coin: what the specified rule keeps at its first comparison is known exactly from the
// two binomial distributions.
TEST(Evolution, EV_3_the_specified_rule_keeps_what_arithmetic_says) {
  EvolutionPlan plan;
  plan.runs = 1'000;
  const EvolutionReport report = simulate_evolution(plan, {});
  const auto first = [&](double gain) {
    return static_cast<double>(of(report, TrialPolicy::kRates, gain).kept_at_first) / static_cast<double>(plan.runs);
  };
  EXPECT_NEAR(first(0.1), 0.47, 0.05);
  EXPECT_NEAR(first(0), 0.31, 0.05);
  EXPECT_NEAR(first(-0.1), 0.20, 0.05);
  EXPECT_EQ(to_json(report), to_json(simulate_evolution(plan, {}))) << "the same plan gives the same report";
}

}  // namespace
}  // namespace weft
