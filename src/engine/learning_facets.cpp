// Facets of agents, research and what Weft learns: each function calls the service of its subject.
#include "engine/agents.h"
#include "engine/lessons.h"
#include "engine/questions.h"
#include "engine/reflections.h"
#include "engine/researches.h"
#include "engine/services.h"
#include "engine/talk_learning.h"
#include "weft/engine.h"
#include "weft/facets/research.h"

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

Hindsight Engine::hindsight(const Caller& caller) const { return {services(), caller}; }

Result<Reflection> Hindsight::reflect(const TaskReport& report) const {
  return call([&](const Services& in, const Request& request) { return in.hindsight->reflect(request, report); });
}
Result<ImportedRuns> Hindsight::import_runs(const std::string& text, const std::string& file, bool learn) const {
  return call([&](const Services& in, const Request& request) {
    return in.hindsight->import_runs(request, text, file, learn);
  });
}
Result<Reflection> Hindsight::review(const std::string& day) const {
  return call([&](const Services& in, const Request& request) { return in.hindsight->review(request, day); });
}
Result<Reflection> Hindsight::feedback(const std::string& report, const std::string& text) const {
  return call(
      [&](const Services& in, const Request& request) { return in.hindsight->feedback(request, report, text); });
}
Result<std::vector<Reflection>> Hindsight::reflections() const {
  return call([&](const Services& in, const Request& request) { return in.hindsight->reflections(request); });
}
Result<std::vector<TaskReport>> Hindsight::reports() const {
  return call([&](const Services& in, const Request& request) { return in.hindsight->reports(request); });
}
Result<Reflection> Hindsight::reflection(const std::string& id) const {
  WEFT_TRY(auto all, reflections());
  for (Reflection& one : all)
    if (one.id == id) return std::move(one);
  return not_found("reflections: there is no reflection \"" + id + "\"", "`weft reflect list` shows them");
}

Beliefs Engine::beliefs(const Caller& caller) const { return {services(), caller}; }
Questions Engine::questions(const Caller& caller) const { return {services(), caller}; }

Result<std::vector<Belief>> Beliefs::list() const {
  return call([&](const Services& in, const Request& request) { return in.beliefs->beliefs(request); });
}
Result<Belief> Beliefs::confirm(const std::string& dimension, const std::string& value) const {
  return call([&](const Services& in, const Request& request) {
    return in.beliefs->confirm_belief(request, dimension, value);
  });
}
Result<Belief> Beliefs::reject(const std::string& dimension, const std::string& value) const {
  return call(
      [&](const Services& in, const Request& request) { return in.beliefs->reject_belief(request, dimension, value); });
}
Result<std::size_t> Beliefs::forget(const std::string& dimension, const std::string& value) const {
  return call(
      [&](const Services& in, const Request& request) { return in.beliefs->forget_belief(request, dimension, value); });
}
Result<std::vector<Belief>> Beliefs::learn_edit(const std::string& before, const std::string& after,
                                                const std::string& source) const {
  return call([&](const Services& in, const Request& request) {
    return in.beliefs->learn_edit(request, before, after, source);
  });
}
Result<std::vector<std::string>> Beliefs::problems() const {
  return call([&](const Services& in, const Request& request) { return in.beliefs->belief_problems(request); });
}

Result<std::vector<Question>> Questions::list() const {
  return call([&](const Services& in, const Request& request) { return in.questions->questions(request); });
}
Result<Question> Questions::ask(const Question& question) const {
  return call([&](const Services& in, const Request& request) { return in.questions->ask(request, question); });
}
Result<std::optional<Question>> Questions::next() const {
  return call([&](const Services& in, const Request& request) { return in.questions->next_question(request); });
}
Result<Question> Questions::answer(const std::string& id, const std::string& text, const std::string& arguments) const {
  return call(
      [&](const Services& in, const Request& request) { return in.questions->answer(request, id, text, arguments); });
}
Result<Question> Questions::withdraw(const std::string& id) const {
  return call([&](const Services& in, const Request& request) { return in.questions->withdraw(request, id); });
}

Result<AgentRun> AgentRuns::start(const AgentTask& task) const {
  return call([&](const Services& in, const Request& request) { return in.agents->start(request, task); });
}
Result<AgentRun> AgentRuns::resume(const std::string& run) const {
  return call([&](const Services& in, const Request& request) { return in.agents->resume(request, run); });
}
Result<AgentRun> AgentRuns::interrupt(const std::string& run, const std::string& why) const {
  return call([&](const Services& in, const Request& request) { return in.agents->interrupt(request, run, why); });
}
Result<AgentRun> AgentRuns::say(const std::string& run, const std::string& text) const {
  return call([&](const Services& in, const Request& request) { return in.agents->say(request, run, text); });
}
Result<AgentRun> AgentRuns::answer(const std::string& run, const AgentAnswer& answer) const {
  return call([&](const Services& in, const Request& request) { return in.agents->answer(request, run, answer); });
}
Result<AgentRun> AgentRuns::fork(const std::string& run, std::uint64_t at) const {
  return call([&](const Services& in, const Request& request) { return in.agents->fork(request, run, at); });
}
Result<AgentRun> AgentRuns::show(const std::string& run) const {
  return call([&](const Services& in, const Request& request) { return in.agents->show(request, run); });
}
Result<std::vector<AgentRun>> AgentRuns::list(std::size_t limit, const std::string& after) const {
  return call([&](const Services& in, const Request& request) { return in.agents->list(request, limit, after); });
}
Result<std::vector<BusEvent>> AgentRuns::events(const std::string& run, std::uint64_t since,
                                                std::chrono::milliseconds wait) const {
  return call([&](const Services& in, const Request& request) { return in.agents->events(request, run, since, wait); });
}

Result<ResearchReport> Research::start(const ResearchTask& task) const {
  return call([&](const Services& in, const Request& request) { return in.research->start(request, task); });
}
Result<ResearchReport> Research::resume(const std::string& id) const {
  return call([&](const Services& in, const Request& request) { return in.research->resume(request, id); });
}
Result<ResearchReport> Research::stop(const std::string& id) const {
  return call([&](const Services& in, const Request& request) { return in.research->stop(request, id); });
}
Result<ResearchReport> Research::show(const std::string& id) const {
  return call([&](const Services& in, const Request& request) { return in.research->show(request, id); });
}
Result<std::vector<ResearchReport>> Research::list(std::size_t limit, const std::string& after) const {
  return call([&](const Services& in, const Request& request) { return in.research->list(request, limit, after); });
}
Result<std::vector<BusEvent>> Research::events(const std::string& id, std::uint64_t since,
                                               std::chrono::milliseconds wait) const {
  return call(
      [&](const Services& in, const Request& request) { return in.research->events(request, id, since, wait); });
}

}  // namespace weft
