#include "engine/run_hooks.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/log.h"
#include "engine/scope_request.h"
#include "flow/context/fence.h"
#include "growth/reflect_floor.h"
#include "growth/rule_book.h"
#include "growth/rule_words.h"
#include "growth/skill_folder.h"
#include "text/markup.h"

namespace weft {
LessonTold RunHooks::learnt(const RunState& state) {
  const auto request = request_of_scope(ScopeKey(state.start.owner));
  if (!request.ok()) return {};
  if (!state.learnt.empty()) return withdrawn(*request, state);
  // What is learnt while a task is worked on holds for the next one.
  return state.used.model_calls == 0 ? snapshot(*request, state) : LessonTold();
}

// Of a skill on trial the run gets one of the two, the same as often as it is asked.
LessonTold RunHooks::snapshot(const RequestContext& request, const RunState& state) {
  const std::string& task = state.start.task;
  const ScopeKey scope = request.scope.key();
  LessonTold told;
  // Where nothing is counted nothing is tried either.
  const bool learns = with_.learning.from(state.start);
  const auto active = with_.rules.active_rules(scope);
  const auto trial = learns ? with_.rules.rules_on_trial(scope, task) : std::vector<Rule>();
  for (const auto* rules : {&active, &trial})
    for (const Rule& rule : *rules) told.rules.push_back(versioned_id(rule));
  std::string procedures;
  SkillChoice choice = with_.skills.choose(scope, task);
  if (!choice.matches.empty()) told.skills_by = choice.by;
  for (SkillMatch& match : choice.matches) {
    if (!learns && match.skill.stage == LifeStage::kProbation) continue;
    if (auto used = with_.rules.skill_for(request, match.skill.skill_id, state.run); learns && used.ok())
      match.skill = std::move(used).value();
    told.skills.push_back(versioned_id(match.skill));
    procedures += with_.skills.text_of(match) + "\n";
  }
  for (const std::string& text : {rules_text(active), trial_rules_text(trial), fence_skills(procedures)})
    if (!text.empty()) told.text += (told.text.empty() ? "" : "\n\n") + text;
  return told;
}

// What was told stands in the prompt as long as the task lasts; what does not hold any more is said behind it, once.
LessonTold RunHooks::withdrawn(const RequestContext& request, const RunState& state) {
  std::set<std::string> rules_told, skills_told;
  for (const LessonTold& learnt : state.learnt) {
    rules_told.insert(learnt.rules.begin(), learnt.rules.end());
    skills_told.insert(learnt.skills.begin(), learnt.skills.end());
    for (const std::string& gone : learnt.withdrawn) rules_told.erase(gone), skills_told.erase(gone);
  }
  LessonTold now;
  std::string text;
  const auto withdraw = [&](const std::string& told, const std::string& what, const std::string& instead) {
    now.withdrawn.push_back(told);
    text += "- " + what + (instead.empty() ? "" : "; instead: " + instead) + "\n";
  };
  if (!rules_told.empty()) {
    std::map<std::string, Rule> known;
    for (Rule& rule : with_.rules.rules(request).value_or({})) known[rule.id] = std::move(rule);
    for (const std::string& told : rules_told) {
      const auto rule = known.find(told.substr(0, told.rfind('@')));
      if (rule == known.end()) {
        withdraw(told, "the rule " + told.substr(0, told.rfind('@')), "");
      } else if (!is_told(rule->second)) {
        withdraw(told, rule->second.strategy, "");
      } else if (versioned_id(rule->second) != told) {
        now.rules.push_back(versioned_id(rule->second));
        withdraw(told, "the earlier wording of " + rule->first, rule->second.strategy);
      }
    }
  }
  for (const std::string& told : skills_told) {
    const auto skill = with_.skills.skill(request, told.substr(0, told.rfind('@')));
    // A change on trial is no skill of the library; a skill that was changed since is followed as it was told.
    const bool on_trial = !skill.ok() && with_.rules.is_on_trial(request, told.substr(0, told.rfind('@')));
    if (on_trial || (skill.ok() && is_told(*skill))) continue;
    withdraw(told, "the procedure " + (skill.ok() ? skill->name : told.substr(0, told.rfind('@'))), "");
  }
  if (!text.empty()) now.text = "<withdrawn>\nDoes not hold any more:\n" + escape_text(text) + "</withdrawn>";
  return now;
}

GapsFound RunHooks::gaps_before(const RunState& state, std::span<const ToolInfo> tools) {
  const auto request = request_of_scope(ScopeKey(state.start.owner));
  return request.ok() ? with_.gaps.before(*request, state, tools) : GapsFound();
}

LessonTold RunHooks::after_failure(const TaskReport& so_far, const ReportStep& failed) {
  with_.reflections.step_failed(so_far, failed);
  const Reflection seen = floor_error(so_far, failed);
  LessonTold lesson;
  if (!seen.suggestions.empty()) lesson.text = seen.suggestions.front().strategy;
  return lesson;
}

std::vector<Question> RunHooks::at_end(const RunState& state, const TaskReport& report) {
  const auto request = request_of_scope(ScopeKey(report.owner));
  if (!request.ok()) {
    log_warning("agent.learn", request.error().message);
    return {};
  }
  if (const Status reflected = with_.reflections.run_ended(report); !reflected.ok())
    log_warning("agent.reflect", reflected.error().message);
  if (const Status counted = with_.reflections.count(report); !counted.ok())
    log_warning("agent.count", counted.error().message);
  // A sub-agent's answer is read by the run that started it.
  if (!state.start.parent.empty()) return {};
  // What clashes with a belief is asked to settle the belief.
  const bool learns = with_.learning.from(report);
  return with_.gaps.after(*request, report,
                          learns ? with_.beliefs.told(report.owner).value_or({}) : std::vector<Belief>());
}

}  // namespace weft
