#include "growth/skill_crystal.h"

#include <algorithm>
#include <map>

#include "growth/rule_book.h"
#include "growth/rule_words.h"
#include "growth/skill_match.h"
#include "growth/trace_findings.h"
#include "text/utf8.h"
#include "text/value.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr std::size_t kFewestSteps = 2, kMostSteps = 20, kMostConditions = 6;
constexpr std::size_t kLongestName = 80, kLongestTask = 300, kLongestValue = 120;  // bytes

// What was done, without what failed on the way.
std::vector<const ReportStep*> deeds_of(const TaskReport& report) {
  std::vector<const ReportStep*> deeds;
  for (const ReportStep& step : report.steps)
    if (!step.tool.empty() && !step_failed(step)) deeds.push_back(&step);
  return deeds;
}

bool same_way(const std::vector<const ReportStep*>& a, const std::vector<const ReportStep*>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const ReportStep* one, const ReportStep* other) { return one->tool == other->tool; });
}

// Whoever was told of a procedure shows that this one works, and no other.
bool may_witness(const TaskReport& report, const std::string& owner) {
  return report.owner == owner && report.provenance == Provenance::kOwnRun && report.skills.empty() &&
         !report.task.empty() && report.learn;
}

// The model's own word is not enough.
bool is_seen(const TaskReport& report) {
  return report.outcome_by == Witness::kVerifier || report.outcome_by == Witness::kUser;
}

struct Witnesses {
  std::vector<const TaskReport*> succeeded;
  std::size_t known = 0;
};

Witnesses witnesses_of(const TaskReport& newest, std::span<const TaskReport> all, const Likeness& likeness,
                       double related) {
  const auto way = deeds_of(newest);
  std::vector<const TaskReport*> same;
  std::vector<std::string> tasks;
  for (const TaskReport& report : all) {
    if (report.id == newest.id || !may_witness(report, newest.owner) || !is_seen(report)) continue;
    if (!same_way(way, deeds_of(report))) continue;
    same.push_back(&report);
    tasks.push_back(preview(report.task, kLongestTask));
  }
  Witnesses found{{&newest}, 1};
  const auto alike = likeness.to_all(preview(newest.task, kLongestTask), tasks);
  for (std::size_t i = 0; i < same.size(); ++i) {
    if (alike[i] < related) continue;
    ++found.known;
    if (settled_outcome(*same[i]) == Outcome::kSuccess) found.succeeded.push_back(same[i]);
  }
  return found;
}

bool are_independent(const std::vector<const TaskReport*>& reports, std::size_t needed) {
  std::vector<RuleEvidence> evidence;
  for (const TaskReport* report : reports)
    // A day of its own for each: here days do not count.
    evidence.push_back({{}, report->session, report->task, {report->id}, report->id, report->outcome, {}});
  return independent(evidence, needed);
}

std::map<std::string, std::string> arguments_of(const ReportStep& step) {
  std::map<std::string, std::string> members;
  const auto read = parse_value(step.arguments, {}, "arguments");
  const auto* object = read.ok() ? read->object() : nullptr;
  if (object == nullptr) return members;
  for (const auto& [name, value] : *object) members[name] = value.text() != nullptr ? *value.text() : to_json(value);
  return members;
}

// What was the same each time is said, of what was not only its name.
std::string details_of(const std::vector<const ReportStep*>& calls, bool chinese) {
  std::string same, own;
  for (const auto& [name, value] : arguments_of(*calls.front())) {
    const bool always = std::all_of(calls.begin(), calls.end(), [&, &name = name, &value = value](const auto* call) {
      const auto theirs = arguments_of(*call);
      const auto at = theirs.find(name);
      return at != theirs.end() && at->second == value;
    });
    if (always && value.size() <= kLongestValue)
      same += (same.empty() ? "" : ", ") + name + " = " + value;
    else
      own += (own.empty() ? "" : ", ") + name;
  }
  if (!own.empty()) own = (chinese ? "按任务而定：" : "as the task says: ") + own;
  return same + (same.empty() || own.empty() ? "" : "\n") + own;
}

}  // namespace

std::vector<std::string> tools_of(const Skill& skill) {
  std::vector<std::string> tools;
  for (const SkillStep& step : skill.steps) tools.insert(tools.end(), step.tools.begin(), step.tools.end());
  return tools;
}

bool is_for(const Skill& skill, std::string_view task, const Likeness& likeness, double related) {
  const auto alike = likeness.to_all(task, skill_phrases(skill));
  return std::any_of(alike.begin(), alike.end(), [related](double one) { return one >= related; });
}

std::optional<Skill> crystallised(const TaskReport& newest, std::span<const TaskReport> all, const Likeness& likeness,
                                  const EvolutionSettings& settings) {
  const auto way = deeds_of(newest);
  if (way.size() < kFewestSteps || way.size() > kMostSteps || !may_witness(newest, newest.owner)) return std::nullopt;
  if (!is_seen(newest) || settled_outcome(newest) != Outcome::kSuccess) return std::nullopt;
  const Witnesses found = witnesses_of(newest, all, likeness, settings.related);
  const auto good = static_cast<double>(found.succeeded.size());
  if (good < settings.trial_rate * static_cast<double>(found.known)) return std::nullopt;
  if (!are_independent(found.succeeded, static_cast<std::size_t>(settings.reflections))) return std::nullopt;

  Skill skill;
  skill.owner = newest.owner;
  skill.origin = SkillOrigin::kReflection;
  skill.stage = LifeStage::kProbation;
  skill.name = preview(newest.task, kLongestName);
  const bool chinese = language_of(newest.task) == Language::kChinese;
  skill.description = (chinese ? "这样做过并成功的任务数：" : "the way in which tasks like this succeeded: ") +
                      std::to_string(found.succeeded.size());
  for (const TaskReport* report : found.succeeded) {
    skill.learned_from.push_back(report->id);
    if (skill.trigger_conditions.size() < kMostConditions)
      skill.trigger_conditions.push_back(preview(report->task, kLongestTask));
  }
  std::string text;
  for (std::size_t i = 0; i < way.size(); ++i) {
    std::vector<const ReportStep*> calls;
    for (const TaskReport* report : found.succeeded) calls.push_back(deeds_of(*report)[i]);
    SkillStep step{(chinese ? "调用 " : "Call ") + way[i]->tool, details_of(calls, chinese), {way[i]->tool}};
    text += step.action + "\n" + step.details + "\n";
    skill.steps.push_back(std::move(step));
  }
  if (loosens_safety(text)) return std::nullopt;
  return skill;
}

}  // namespace weft
