// What was learnt: rules, and changes of skills.
#include "model/growth_records.h"
#include "surface/api/list_operation.h"
#include "surface/api/ownership.h"

namespace weft {
namespace {

struct AskedChange {
  std::string skill;
};
struct Judgement {
  bool approve = false;
  std::string why;
};
struct DiffAnswer {
  std::string id, diff;
};

}  // namespace

WEFT_DESCRIBED(AskedChange);
WEFT_DESCRIBED(Judgement);
WEFT_DESCRIBED(DiffAnswer);

template <>
const Record<AskedChange>& record<AskedChange>() {
  static const auto made = Record<AskedChange>("ProposeMutations", "Which skill is to be changed.", RecordUse::kAsked)
                               .field("skill", &AskedChange::skill, "its id", {.required = true});
  return made;
}

template <>
const Record<Judgement>& record<Judgement>() {
  static const auto made =
      Record<Judgement>("JudgeMutation", "What a person decides of a change.", RecordUse::kAsked)
          .field("approve", &Judgement::approve, "true: try it, or keep it where it is on trial; false: discard it")
          .field("why", &Judgement::why, "the reason, kept with it");
  return made;
}

template <>
const Record<DiffAnswer>& record<DiffAnswer>() {
  static const auto made = Record<DiffAnswer>("RuleDiff", "Two versions compared.", RecordUse::kTold)
                               .field("id", &DiffAnswer::id, "of the rule")
                               .field("diff", &DiffAnswer::diff, "line by line; empty: they are the same");
  return made;
}

template <>
inline constexpr std::string_view kListName<Rule> = "rules";
template <>
inline constexpr std::string_view kListName<Mutation> = "mutations";

namespace {

// All, or those that a task is told.
Result<std::vector<Rule>> get_rules(const Call& call) {
  const auto growth = call.engine.growth(call.context);
  const std::string task = call.text("task");
  return task.empty() ? growth.rules() : growth.rules_for(task);
}

std::string key_of(const Rule& one) { return one.id; }

Result<Rule> get_rule(const Call& call) { return call.engine.growth(call.context).rule(call.path("id")); }

Result<Rule> change_rule(const Call& call, RuleChange change) {
  const auto growth = call.engine.growth(call.context);
  WEFT_TRY(const Rule rule, growth.rule(call.path("id")));
  WEFT_CHECK(check_may_change(call.request.access, rule.owner));
  return growth.change_rule(call.path("id"), change);
}

Result<DiffAnswer> diff_rule(const Call& call) {
  WEFT_TRY(const auto from, call.number("from", 0));
  WEFT_TRY(const auto to, call.number("to", 0));
  WEFT_TRY(auto diff, call.engine.growth(call.context).rule_diff(call.path("id"), from, to));
  return DiffAnswer{call.path("id"), std::move(diff)};
}

Result<std::vector<Mutation>> get_mutations(const Call& call) { return call.engine.growth(call.context).mutations(); }

std::string key_of(const Mutation& one) { return one.id; }

Result<List<Mutation>> propose_mutations(const Call& call, AskedChange asked) {
  const auto growth = call.engine.growth(call.context);
  WEFT_TRY(const Skill skill, growth.skill(asked.skill));
  WEFT_CHECK(check_may_change(call.request.access, skill.owner));
  WEFT_TRY(auto made, growth.propose_mutations(asked.skill));
  return List<Mutation>{std::move(made)};
}

// A change belongs to whom its skill belongs to.
Status check_mutation(const Call& call) {
  if (!call.request.access.bound()) return {};
  const auto growth = call.engine.growth(call.context);
  WEFT_TRY(const auto all, growth.mutations());
  for (const Mutation& one : all) {
    if (one.id != call.path("id")) continue;
    WEFT_TRY(const Skill skill, growth.skill(one.skill_id));
    return check_may_change(call.request.access, skill.owner);
  }
  return {};
}

Result<Mutation> judge_mutation(const Call& call, Judgement judgement) {
  WEFT_CHECK(check_mutation(call));
  return call.engine.growth(call.context).judge_mutation(call.path("id"), judgement.approve, judgement.why);
}

}  // namespace

std::vector<Operation> growth_operations() {
  constexpr Whose kScope = Whose::kScope;
  return {
      list_operation<Rule>("rules", "GET /v1/rules", "rules in every stage, or those that a task is told", kScope,
                           ListOrder::kAsGiven, get_rules, key_of,
                           {text_parameter("task", "what is to be done: gives what a prompt for it would hold")}),
      operation("rule", "GET /v1/rules/{id}", "one rule with its history", kScope, get_rule),
      operation("change_rule", "POST /v1/rules/{id}",
                "approve, refuse, retire, pin, unpin, disable, enable, rollback or edit it", kScope, change_rule),
      operation(
          "rule_diff", "GET /v1/rules/{id}/diff", "what changed between two versions", kScope, diff_rule,
          {number_parameter("from", "0: the one before the newest", 0), number_parameter("to", "0: the newest", 0)}),
      list_operation<Mutation>("mutations", "GET /v1/mutations", "changes of skills on trial, waiting and decided",
                               kScope, ListOrder::kAsGiven, get_mutations, key_of),
      operation("propose_mutations", "POST /v1/mutations", "propose changes of a skill that does well", kScope,
                propose_mutations),
      operation("judge_mutation", "POST /v1/mutations/{id}", "approve or refuse a change", kScope, judge_mutation),
  };
}

}  // namespace weft
