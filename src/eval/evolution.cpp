#include "eval/evolution.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "eval/draw.h"
#include "growth/mutation_lab.h"
#include "text/json.h"

namespace weft {
namespace {

bool happens(Draw& draw, double probability) {
  constexpr std::size_t kParts = 1'000'000;
  return static_cast<double>(draw.below(kParts)) < probability * kParts;
}

// One test from its first use to its end.
Mutation play(double base, double gain, std::uint64_t seed, const EvolutionSettings& settings, bool& kept_at_first) {
  Mutation test;
  test.seed = seed;
  Draw draw(seed);
  for (std::uint64_t use = 1; test.stage == MutationStage::kTesting; ++use) {
    const Arm arm = arm_of_use(use, seed, settings);
    add_use(test, arm, happens(draw, arm == Arm::kVariant ? base + gain : base));
    if (TrialVerdict verdict = judge(test, settings); !verdict.decided.empty()) {
      test.stage = verdict.stage;
      test.decided = std::move(verdict.decided);
    }
    if (static_cast<std::int64_t>(use) == settings.ab_uses) kept_at_first = test.stage == MutationStage::kKept;
  }
  return test;
}

EvolutionOutcome play_all(const EvolutionPlan& plan, double gain, const EvolutionSettings& settings) {
  EvolutionOutcome outcome;
  outcome.decide = settings.decide;
  outcome.gain = gain;
  outcome.runs = plan.runs;
  std::vector<std::int64_t> uses;
  for (std::int64_t run = 0; run < plan.runs; ++run) {
    bool at_first = false;
    const auto seed = plan.seed * 1'000'003 + static_cast<std::uint64_t>(run) * 7919;
    const Mutation test = play(plan.base, gain, seed, settings, at_first);
    outcome.kept += test.stage == MutationStage::kKept;
    outcome.discarded += test.stage == MutationStage::kDiscarded;
    outcome.open += test.stage == MutationStage::kInconclusive;
    outcome.kept_at_first += at_first;
    uses.push_back(std::max(test.original_uses, test.variant_uses));
    outcome.arm_uses += static_cast<double>(uses.back()) / static_cast<double>(plan.runs);
  }
  std::sort(uses.begin(), uses.end());
  if (!uses.empty()) outcome.arm_uses_p90 = uses[uses.size() * 9 / 10];
  outcome.kept_share = plan.runs == 0 ? 0 : static_cast<double>(outcome.kept) / static_cast<double>(plan.runs);
  return outcome;
}

}  // namespace

EvolutionReport simulate_evolution(const EvolutionPlan& plan, EvolutionSettings settings) {
  EvolutionReport report;
  report.base = plan.base;
  for (const TrialPolicy decide : {TrialPolicy::kRates, TrialPolicy::kPosterior}) {
    settings.decide = decide;
    for (const double gain : plan.gains) report.outcomes.push_back(play_all(plan, gain, settings));
  }
  return report;
}

std::string to_json(const EvolutionReport& report) {
  nlohmann::ordered_json out{{"base", report.base}, {"changes", nlohmann::ordered_json::array()}};
  for (const EvolutionOutcome& one : report.outcomes) {
    out["changes"].push_back({{"decide", to_string(one.decide)},
                              {"gain", one.gain},
                              {"runs", one.runs},
                              {"kept", one.kept},
                              {"discarded", one.discarded},
                              {"open", one.open},
                              {"kept_share", one.kept_share},
                              {"arm_uses", one.arm_uses},
                              {"arm_uses_p90", one.arm_uses_p90}});
    if (one.decide == TrialPolicy::kRates) out["changes"].back()["kept_at_first"] = one.kept_at_first;
  }
  return write_json(out);
}

}  // namespace weft
