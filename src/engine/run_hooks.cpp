#include "engine/run_hooks.h"

#include "base/log.h"
#include "growth/reflect_floor.h"
#include "model/scope_key.h"

namespace weft {

LessonTold RunHooks::after_failure(const TaskReport& so_far, const ReportStep& failed) {
  const Reflection seen = floor_error(so_far, failed);
  if (seen.suggestions.empty()) return {};
  return {{}, seen.suggestions.front().strategy};
}

void RunHooks::at_end(const TaskReport& report) {
  const ScopeParts parts = parts_of_scope(report.owner);
  const auto scope = parts.group.empty() ? Scope::of_user(parts.user) : Scope::of_group(parts.group);
  if (!scope.ok()) return log_warning("agent.learn", scope.error().message);
  const RequestContext request{*scope, {}, {}};
  TaskReport told = report;
  if (told.rules.empty())
    for (const Rule& rule : rules_.rules_for(request, told.task).value_or({})) told.rules.push_back(rule.id);
  if (told.skills.empty())
    for (const SkillMatch& one : skills_.fitting(report.owner, told.task)) told.skills.push_back(one.skill.skill_id);
  if (const Status counted = skills_.count_skills(request, told); !counted.ok())
    log_warning("agent.skills", counted.error().message);
  if (const auto reflected = reflections_.reflector().task_end(told, Reflector::Depth::kFloor); !reflected.ok())
    log_warning("agent.reflect", reflected.error().message);
  if (const Status counted = rules_.count_report(request, told); !counted.ok())
    log_warning("agent.rules", counted.error().message);
}

}  // namespace weft
