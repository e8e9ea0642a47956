#pragma once

#include <string>
#include <string_view>

#include "growth/mutation_prompt.h"
#include "growth/mutation_trial.h"
#include "weft/growth.h"

namespace weft {

/// What a skill says to do, for comparing: its steps and its body as JSON.
std::string procedure_of(const Skill& skill);

/// One use of a skill or of a change of it.
struct UseLine {
  std::string report, used;  ///< the id that stood in the prompt
  Arm arm = Arm::kOriginal;
  SkillRun use;
};

/// Lines of mutation_tests.jsonl. All have "time", "kind" and what they are about; those of uses and decisions show
/// the figures and the probability as they are then.
std::string proposed_line(const Mutation& mutation, const std::string& base, const std::string& by, Time now);
std::string assigned_line(const Mutation& mutation, const std::string& task, Arm arm, Time now);
std::string use_line(const UseLine& use, const Mutation* test, Time now);
std::string decided_line(const Mutation& mutation, MutationStage stage, const std::string& why, Time now);
std::string gate_line(const Mutation& mutation, const PromotionGate& gate, Time now);
std::string applied_line(const Mutation& mutation, Time now);

}  // namespace weft
