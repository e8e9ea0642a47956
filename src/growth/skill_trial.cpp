// How skills do: whether they were followed, what their tasks say of them, and the end of their trials.
#include <algorithm>

#include "base/lowered.h"
#include "growth/owners.h"
#include "growth/rule_words.h"
#include "growth/skill_file.h"
#include "growth/skill_library.h"
#include "model/growth_records.h"

namespace weft {
namespace {

constexpr std::int64_t kIneffective = 5;

// Tools in their order, with whatever else between them.
bool tools_in_order(const Skill& skill, const TaskReport& report) {
  auto at = report.steps.begin();
  bool any = false;
  for (const SkillStep& step : skill.steps) {
    if (step.tools.empty()) continue;
    any = true;
    at = std::find_if(at, report.steps.end(), [&](const ReportStep& done) {
      return std::find(step.tools.begin(), step.tools.end(), done.tool) != step.tools.end();
    });
    if (at == report.steps.end()) return false;
    ++at;
  }
  return any;
}

void activate(Skill& skill, const std::string& note, Time now) {
  Skill ended = skill;
  ended.stage = LifeStage::kActive;
  keep_version(skill, now, note, ended);
  ended.gate.version = version_of(ended);  // what was tried is what serves now
  skill = std::move(ended);
}

// A person who pinned a skill wants it whatever else is said of it. What waits, or is held back, goes on being counted.
void end_trial(const SkillPorts& with, Skill& skill, const TaskReport& last) {
  const std::int64_t known = skill.uses.succeeded + skill.uses.failed, version = version_of(skill);
  if (skill.stage != LifeStage::kProbation || known < with.evolution.trial_tasks) return;
  const bool good = skill.success_rate >= with.evolution.trial_rate || skill.pinned;
  const std::string figures = std::to_string(skill.uses.succeeded) + " of " + std::to_string(known) +
                              " tasks succeeded with it, the last was " + last.id;
  if (!good) {
    Skill ended = skill;
    ended.stage = LifeStage::kDeprecated;
    keep_version(skill, with.clock.now(), std::string(to_string(ended.stage)) + ": " + figures, ended);
    skill = std::move(ended);
    return;
  }
  if (!skill.pinned) {
    if (is_waiting(skill.gate, version) || is_held_back(skill.gate, version)) return;
    skill.gate = gate_of(with.gate, skill.owner, version, with.clock);
    if (is_waiting(skill.gate, version)) return;
  }
  const std::string gate = gate_text(skill.gate);
  activate(skill, "active: " + figures + (gate.empty() ? "" : "; " + gate), with.clock.now());
}

}  // namespace

bool was_followed(const Skill& skill, const TaskReport& report) {
  if (tools_in_order(skill, report)) return true;
  const std::string name = lowered(skill.name), id = lowered(skill.skill_id);
  const auto names = [&](const std::string& text) {
    const std::string low = lowered(text);
    return low.find(name) != std::string::npos || low.find(id) != std::string::npos;
  };
  return names(report.output) ||
         std::any_of(report.steps.begin(), report.steps.end(), [&](const auto& step) { return names(step.thought); });
}

// The line first: a crash between the two loses a count in the file, which the log still has.
Status SkillLibrary::count_one(const TaskReport& report, const StoredSkills::File& file, bool is_new) {
  Skill skill = *file.skill;
  const Outcome outcome = witnessed_outcome(report);
  const bool followed = was_followed(skill, report);
  WEFT_CHECK(uses_.add(report, skill, followed, outcome));
  UseCount& uses = skill.uses;
  uses.injected += is_new;
  uses.followed += is_new && followed;
  uses.succeeded += outcome == Outcome::kSuccess;
  uses.failed += outcome == Outcome::kFailure;
  if (outcome != Outcome::kUnknown)
    uses.ineffective_in_a_row = outcome == Outcome::kSuccess ? 0 : uses.ineffective_in_a_row + 1;
  if (const std::int64_t known = uses.succeeded + uses.failed; known > 0)
    skill.success_rate = static_cast<double>(uses.succeeded) / static_cast<double>(known);
  end_trial(with_, skill, report);
  if (uses.ineffective_in_a_row >= kIneffective && !skill.pinned && skill.stage != LifeStage::kDeprecated) {
    Skill ended = skill;
    ended.stage = LifeStage::kDeprecated;
    keep_version(skill, with_.clock.now(),
                 "deprecated: " + std::to_string(uses.ineffective_in_a_row) +
                     " tasks in a row failed with it, the last " + report.id,
                 ended);
    skill = std::move(ended);
  }
  return files_.write(skill, &file);
}

Status SkillLibrary::count(const TaskReport& report) {
  if (report.skills.empty() || report.provenance == Provenance::kImported) return {};
  if (report.id.empty()) return invalid_argument("skills: a task report needs an id", "it is what makes it count once");
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(files_.refresh());
  const bool open = witnessed_outcome(report) == Outcome::kUnknown;
  for (const std::string& id : report.skills) {
    const StoredSkills::File* file = files_.find(id);
    const bool own = file != nullptr && is_for(file->skill->owner, report.owner);
    WEFT_TRY(const auto before, uses_.counted(report.id, id));
    const bool is_known = before && (*before != Outcome::kUnknown || open);
    if (!own || is_known) continue;
    const StoredSkills::File now = *file;  // writing reads all files anew
    WEFT_CHECK(count_one(report, now, !before));
  }
  return {};
}

Result<std::vector<Skill>> SkillLibrary::waiting() {
  WEFT_TRY(auto skills, all());
  std::erase_if(skills, [](const Skill& skill) {
    return skill.stage != LifeStage::kProbation || !is_waiting(skill.gate, version_of(skill));
  });
  return skills;
}

Status SkillLibrary::settle(const std::string& id, const PromotionGate& gate) {
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(files_.refresh());
  const StoredSkills::File* file = files_.find(id);
  if (file == nullptr || file->skill->stage != LifeStage::kProbation) return {};
  Skill skill = *file->skill;
  const std::int64_t version = version_of(skill);
  if (!is_waiting(skill.gate, version) || gate.version != version) return {};
  skill.gate = gate;
  if (!is_waiting(gate, version) && !is_held_back(gate, version))
    activate(skill, "active: " + gate_text(gate), with_.clock.now());
  skill.last_updated = format_time(with_.clock.now()).substr(0, 10);
  const StoredSkills::File now = *file;  // writing reads all files anew
  return files_.write(skill, &now);
}

}  // namespace weft
