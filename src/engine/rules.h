#pragma once

#include <set>
#include <string>
#include <vector>

#include "engine/run_kit.h"
#include "engine/serving_likeness.h"
#include "growth/mutation_lab.h"
#include "growth/rule_book.h"
#include "growth/skill_shelf.h"
#include "weft/growth.h"
#include "weft/skills.h"

namespace weft {

struct EngineCore;

/// What was learnt of how to work: rules, and changes of skills on trial. Safe from any thread; files are made when
/// there is something to keep.
class Rules final {
 public:
  /// Changes of skills are tried on those of `skills` and find other tools in the kit.
  Rules(EngineCore& core, SkillShelf& skills, RunKit& kit);

  // As the facet `Growth` says.
  Status take_reflection(const RequestContext& request, const Reflection& reflection);
  Result<std::vector<Rule>> rules(const RequestContext& request);
  Result<Rule> change_rule(const RequestContext& request, const std::string& id, const RuleChange& change);
  Result<std::string> rule_diff(const RequestContext& request, const std::string& id, std::int64_t from,
                                std::int64_t to);
  Result<std::vector<Rule>> rules_for(const RequestContext& request, const std::string& task);
  Status count_report(const RequestContext& request, const TaskReport& report);
  Result<std::vector<std::string>> rule_problems(const RequestContext& request);
  Result<std::vector<Mutation>> mutations(const RequestContext& request);
  Result<std::vector<Mutation>> propose(const RequestContext& request, const std::string& skill);
  Result<Mutation> judge_mutation(const RequestContext& request, const std::string& id, bool approve,
                                  const std::string& why);
  Result<Skill> skill_for(const RequestContext& request, const std::string& skill, const std::string& task);

  /// Whether anything is learnt from this caller, see `LearningPlan`.
  bool learns(const RequestContext& request) const;

  /// Takes out what was learnt from erased messages. `skills`: those that go.
  Status erase(const ErasedLessons& gone, const std::set<std::string>& skills);

  /// Of one owner's task: the rules on probation that are related to it.
  std::vector<Rule> rules_on_trial(const ScopeKey& scope, std::string_view task) {
    return book_.trial_rules(scope, task);
  }
  /// What waits until it was tried on past tasks, and what these say; see `RuleBook` and `MutationLab`.
  Result<std::vector<Rule>> waiting() { return book_.waiting(); }
  Result<std::vector<Mutation>> mutations_waiting() { return lab_.waiting(); }
  Status settle_rule(const std::string& id, const PromotionGate& gate) { return book_.settle(id, gate); }
  Status settle_mutation(const std::string& id, const PromotionGate& gate) { return lab_.settle(id, gate); }

  /// Whether this is the id of a change of a skill that is on trial.
  bool is_on_trial(const RequestContext& request, const std::string& mutation);
  /// The active rules, each new one behind those before it.
  std::vector<Rule> active_rules(const ScopeKey& scope) { return book_.active_rules(scope); }

 private:
  EngineCore& core_;
  ServingLikeness likeness_;
  RuleBook book_;
  MutationLab lab_;
};

}  // namespace weft
