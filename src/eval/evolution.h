#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weft/config.h"

namespace weft {

/// How one kind of change fared: `runs` tests of a change that truly succeeds by `gain` more often than the original.
struct EvolutionOutcome {
  TrialPolicy decide = TrialPolicy::kPosterior;
  double gain = 0;
  std::int64_t runs = 0, kept = 0, discarded = 0, open = 0;
  double kept_share = 0;
  std::int64_t kept_at_first = 0;  ///< `rates`: at the first comparison
  double arm_uses = 0;             ///< of each of the two, on average
  std::int64_t arm_uses_p90 = 0;
};

struct EvolutionReport {
  double base = 0;  ///< success of the original
  std::vector<EvolutionOutcome> outcomes;
};

struct EvolutionPlan {
  std::int64_t runs = 200;
  double base = 0.85;
  std::vector<double> gains{0.1, 0, -0.1};
  std::uint64_t seed = 1;
};

/// Plays tests of changes whose true success is known, with the code that assigns and decides in earnest, for both
/// ways of deciding. The same plan and settings give the same report.
EvolutionReport simulate_evolution(const EvolutionPlan& plan, EvolutionSettings settings);

std::string to_json(const EvolutionReport& report);

}  // namespace weft
