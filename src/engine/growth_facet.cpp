// What an agent learns, as a facet: each function is one of the service that has the subject.
#include "engine/rules.h"
#include "engine/services.h"
#include "engine/skills.h"
#include "weft/engine.h"

namespace weft {

using Request = RequestContext;

Growth Engine::growth(const Caller& caller) const { return {services(), caller}; }

Status Growth::take_reflection(const Reflection& reflection) const {
  return call(
      [&](const Services& in, const Request& request) { return in.rules->take_reflection(request, reflection); });
}
Result<std::vector<Rule>> Growth::rules() const {
  return call([&](const Services& in, const Request& request) { return in.rules->rules(request); });
}
Result<Rule> Growth::rule(const std::string& id) const {
  WEFT_TRY(auto all, rules());
  for (Rule& rule : all)
    if (rule.id == id) return std::move(rule);
  return not_found("rules: there is no rule \"" + id + "\"", "`weft rule list` shows them");
}
Result<Rule> Growth::change_rule(const std::string& id, const RuleChange& change) const {
  return call([&](const Services& in, const Request& request) { return in.rules->change_rule(request, id, change); });
}
Result<std::string> Growth::rule_diff(const std::string& id, std::int64_t from, std::int64_t to) const {
  return call([&](const Services& in, const Request& request) { return in.rules->rule_diff(request, id, from, to); });
}
Result<std::vector<Rule>> Growth::rules_for(const std::string& task) const {
  return call([&](const Services& in, const Request& request) { return in.rules->rules_for(request, task); });
}
Status Growth::count_report(const TaskReport& report) const {
  return call([&](const Services& in, const Request& request) { return in.rules->count_report(request, report); });
}
Result<std::vector<std::string>> Growth::rule_problems() const {
  return call([&](const Services& in, const Request& request) { return in.rules->rule_problems(request); });
}
Result<std::vector<Mutation>> Growth::mutations() const {
  return call([&](const Services& in, const Request& request) { return in.rules->mutations(request); });
}
Result<std::vector<Mutation>> Growth::propose_mutations(const std::string& skill) const {
  return call([&](const Services& in, const Request& request) { return in.rules->propose(request, skill); });
}
Result<Mutation> Growth::judge_mutation(const std::string& id, bool approve, const std::string& why) const {
  return call(
      [&](const Services& in, const Request& request) { return in.rules->judge_mutation(request, id, approve, why); });
}
Result<Skill> Growth::skill_for(const std::string& skill, const std::string& task) const {
  return call([&](const Services& in, const Request& request) { return in.rules->skill_for(request, skill, task); });
}

Result<std::vector<Skill>> Growth::skills() const {
  return call([](const Services& in, const Request& request) { return in.skills->skills(request); });
}
Result<Skill> Growth::skill(const std::string& id) const {
  return call([&](const Services& in, const Request& request) { return in.skills->skill(request, id); });
}
Result<Skill> Growth::put_skill(const Skill& skill, const std::string& note) const {
  return call([&](const Services& in, const Request& request) { return in.skills->put_skill(request, skill, note); });
}
Result<Skill> Growth::teach_skill(const SkillLesson& lesson) const {
  return call([&](const Services& in, const Request& request) { return in.skills->teach_skill(request, lesson); });
}
Result<Skill> Growth::change_skill(const std::string& id, const SkillChange& change) const {
  return call([&](const Services& in, const Request& request) { return in.skills->change_skill(request, id, change); });
}
Result<std::string> Growth::skill_diff(const std::string& id, std::int64_t from, std::int64_t to) const {
  return call([&](const Services& in, const Request& request) { return in.skills->skill_diff(request, id, from, to); });
}
Result<std::vector<SkillMatch>> Growth::match_skills(const std::string& task) const {
  return call([&](const Services& in, const Request& request) { return in.skills->match_skills(request, task); });
}
Result<Skill> Growth::import_skill(const SkillFolder& folder) const {
  return call([&](const Services& in, const Request& request) { return in.skills->import_skill(request, folder); });
}
Result<SkillFolder> Growth::export_skill(const std::string& id) const {
  return call([&](const Services& in, const Request& request) { return in.skills->export_skill(request, id); });
}
Status Growth::count_skills(const TaskReport& report) const {
  return call([&](const Services& in, const Request& request) { return in.skills->count_skills(request, report); });
}
Result<std::vector<std::string>> Growth::skill_problems() const {
  return call([](const Services& in, const Request& request) { return in.skills->skill_problems(request); });
}

}  // namespace weft
