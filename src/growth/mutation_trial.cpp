#include "growth/mutation_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace weft {
namespace {

// Spreads a number over all bits (the finalizer of SplitMix64).
std::uint64_t mixed(std::uint64_t number) {
  number += 0x9E3779B97F4A7C15ULL;
  number = (number ^ (number >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  number = (number ^ (number >> 27U)) * 0x94D049BB133111EBULL;
  return number ^ (number >> 31U);
}

double rate(std::int64_t successes, std::int64_t uses) {
  return uses == 0 ? 0 : static_cast<double>(successes) / static_cast<double>(uses);
}

std::string figures(const Mutation& test) {
  return fmt::format("{} of {} with the change, {} of {} without, better with probability {:.3f}",
                     test.variant_successes, test.variant_uses, test.original_successes, test.original_uses,
                     test.probability_better);
}

// The rule as it is specified: after N uses the rates are compared; what is between the bounds goes on.
MutationStage by_rates(const Mutation& test, const EvolutionSettings& settings) {
  const std::int64_t uses = test.original_uses + test.variant_uses;
  if (uses == 0 || uses % settings.ab_uses != 0) return MutationStage::kTesting;
  const double gain =
      rate(test.variant_successes, test.variant_uses) - rate(test.original_successes, test.original_uses);
  if (gain > settings.min_improvement) return MutationStage::kKept;
  return gain < -settings.tolerance ? MutationStage::kDiscarded : MutationStage::kTesting;
}

// Who looks after every use finds by chance, sooner or later, what he looks for. So early decisions to keep need more:
// of the doubt that is allowed at the end a share that grows with the uses.
double needed_to_keep(std::int64_t uses, const EvolutionSettings& settings) {
  const double share = static_cast<double>(uses) / static_cast<double>(settings.max_arm_uses);
  return 1 - (1 - settings.keep_probability) * std::clamp(share, 0.0, 1.0);
}

MutationStage by_posterior(const Mutation& test, const EvolutionSettings& settings) {
  const std::int64_t uses = std::min(test.original_uses, test.variant_uses);
  if (uses < settings.min_arm_uses) return MutationStage::kTesting;
  if (test.probability_better >= needed_to_keep(uses, settings)) return MutationStage::kKept;
  return test.probability_better <= settings.drop_probability ? MutationStage::kDiscarded : MutationStage::kTesting;
}

}  // namespace

Arm arm_of_use(std::uint64_t use, std::uint64_t seed, const EvolutionSettings& settings) {
  const bool second = use % 2 == 0;
  if (settings.decide == TrialPolicy::kRates) return second ? Arm::kVariant : Arm::kOriginal;
  const bool swapped = (mixed(seed ^ mixed((use - 1) / 2)) & 1U) != 0;
  return second != swapped ? Arm::kVariant : Arm::kOriginal;
}

// P(X > Y) of two Beta distributions with whole parameters is a sum of as many terms as the first has successes.
double probability_better(std::int64_t successes, std::int64_t uses, std::int64_t than_successes,
                          std::int64_t than_uses) {
  const auto b = static_cast<double>(uses - successes + 1);
  const auto c = static_cast<double>(than_successes + 1), d = static_cast<double>(than_uses - than_successes + 1);
  const auto log_beta = [](double x, double y) { return std::lgamma(x) + std::lgamma(y) - std::lgamma(x + y); };
  const double whole = log_beta(c, d);
  double sum = 0;
  for (std::int64_t i = 0; i <= successes; ++i) {
    const auto k = static_cast<double>(i);
    sum += std::exp(log_beta(c + k, b + d) - std::log(b + k) - log_beta(1 + k, b) - whole);
  }
  return std::clamp(sum, 0.0, 1.0);
}

TrialVerdict judge(const Mutation& test, const EvolutionSettings& settings) {
  const MutationStage stage =
      settings.decide == TrialPolicy::kRates ? by_rates(test, settings) : by_posterior(test, settings);
  switch (stage) {
    case MutationStage::kKept: return {stage, "better: " + figures(test)};
    case MutationStage::kDiscarded: return {stage, "worse: " + figures(test)};
    default: break;
  }
  if (std::min(test.original_uses, test.variant_uses) >= settings.max_arm_uses)
    return {MutationStage::kInconclusive, "no difference was seen, the original stays: " + figures(test)};
  return {};
}

void add_use(Mutation& test, Arm arm, bool success) {
  (arm == Arm::kVariant ? test.variant_uses : test.original_uses) += 1;
  (arm == Arm::kVariant ? test.variant_successes : test.original_successes) += success;
  test.probability_better =
      probability_better(test.variant_successes, test.variant_uses, test.original_successes, test.original_uses);
}

}  // namespace weft
