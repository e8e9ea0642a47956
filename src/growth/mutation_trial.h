#pragma once

#include <cstdint>
#include <string>

#include "weft/config.h"
#include "weft/growth.h"

namespace weft {

/// Which of the two a task uses.
enum class Arm { kOriginal, kVariant };

/// The arm of the so manyth use of a test, from 1 on. Decided by `rates`: odd ones the original, even ones the variant.
/// By `posterior`: pairs, each in an order drawn from the seed, so that no rhythm of the tasks favours one.
Arm arm_of_use(std::uint64_t use, std::uint64_t seed, const EvolutionSettings& settings);

/// The probability that the first succeeds more often than the second, after so many successes of so many uses each,
/// where before nothing was known (uniform). Exact up to rounding.
double probability_better(std::int64_t successes, std::int64_t uses, std::int64_t than_successes,
                          std::int64_t than_uses);

/// What becomes of a test after one more use with a known outcome; `decided` is empty while it goes on.
struct TrialVerdict {
  MutationStage stage = MutationStage::kTesting;
  std::string decided;
};
TrialVerdict judge(const Mutation& test, const EvolutionSettings& settings);

/// Adds a use with a known outcome, and what that makes of the probability.
void add_use(Mutation& test, Arm arm, bool success);

}  // namespace weft
