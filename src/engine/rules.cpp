#include "engine/rules.h"

#include "engine/engine_core.h"
#include "engine/replays.h"
#include "engine/run_learning.h"
#include "engine/scope_request.h"
#include "growth/learning_plan.h"

namespace weft {
namespace {

constexpr std::chrono::milliseconds kLikenessLimit{500};  // then words decide

}  // namespace

Rules::Rules(EngineCore& core, SkillShelf& skills, RunKit& kit)
    : core_(core),
      likeness_(core, kLikenessLimit),
      book_({*core.store,
             *core.documents,
             {core.config.workspace},
             *core.clock,
             likeness_,
             core.config.evolution,
             replay_gate(core)}),
      lab_({disk(),
            {core.config.workspace},
            *core.clock,
            likeness_,
            core.config.evolution,
            skills,
            [this] { return core_.models->chat("main"); },
            [&kit] { return kit.registry(); },
            replay_gate(core)}) {}

bool Rules::learns(const RequestContext& request) const {
  return learns_from(core_.config.workspace, request.scope.key());
}

Status Rules::take_reflection(const RequestContext& request, const Reflection& reflection) {
  Reflection own = reflection;
  WEFT_TRY(own.owner, owner_for(request, own.owner, "reflection " + own.id));
  if (!learns(request)) return learning_is_off(request.scope.key());
  return book_.take(own);
}

Result<std::vector<Rule>> Rules::rules(const RequestContext& request) { return book_.rules(request.scope.key()); }

Result<Rule> Rules::change_rule(const RequestContext& request, const std::string& id, const RuleChange& change) {
  return book_.change(request.scope.key(), id, change);
}

Result<std::string> Rules::rule_diff(const RequestContext& request, const std::string& id, std::int64_t from,
                                     std::int64_t to) {
  return book_.diff(request.scope.key(), id, from, to);
}

Result<std::vector<Rule>> Rules::rules_for(const RequestContext& request, const std::string& task) {
  return book_.rules_for(request.scope.key(), task);
}

Status Rules::count_report(const RequestContext& request, const TaskReport& report) {
  TaskReport own = report;
  WEFT_TRY(own.owner, owner_for(request, own.owner, "task report " + own.id));
  if (!learns(request)) return learning_is_off(request.scope.key());
  WEFT_CHECK(RunLearning(core_.config.workspace).check(own));
  WEFT_CHECK(book_.count(own));
  return lab_.count(own);
}

Result<std::vector<std::string>> Rules::rule_problems(const RequestContext&) { return book_.problems(); }

Result<std::vector<Mutation>> Rules::mutations(const RequestContext& request) { return lab_.list(request.scope.key()); }

Result<std::vector<Mutation>> Rules::propose(const RequestContext& request, const std::string& skill) {
  if (!learns(request)) return learning_is_off(request.scope.key());
  return lab_.propose(request.scope.key(), skill);
}

Result<Mutation> Rules::judge_mutation(const RequestContext& request, const std::string& id, bool approve,
                                       const std::string& why) {
  return lab_.judge_by_person(request.scope.key(), id, approve, why, speaker_of(request));
}

Result<Skill> Rules::skill_for(const RequestContext& request, const std::string& skill, const std::string& task) {
  return lab_.skill_for(request.scope.key(), skill, task);
}

Status Rules::erase(const ErasedLessons& gone, const std::set<std::string>& skills) {
  WEFT_CHECK(book_.erase(gone));
  return lab_.erase(gone, skills);
}

bool Rules::is_on_trial(const RequestContext& request, const std::string& mutation) {
  for (const Mutation& one : lab_.list(request.scope.key()).value_or({}))
    if (one.id == mutation) return one.stage == MutationStage::kTesting;
  return false;
}

}  // namespace weft
