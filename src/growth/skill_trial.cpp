// The end of a skill's trial: what its tasks say, and then what past tasks say.
#include "growth/skill_file.h"
#include "growth/skill_library.h"

namespace weft {

void SkillLibrary::activate(Skill& skill, const std::string& note) const {
  Skill ended = skill;
  ended.stage = LifeStage::kActive;
  keep_version(skill, with_.clock.now(), note, ended);
  ended.gate.version = version_of(ended);  // what was tried is what serves now
  skill = std::move(ended);
}

// A person who pinned a skill wants it whatever else is said of it. What waits, or is held back, goes on being counted.
void SkillLibrary::end_trial(Skill& skill, const TaskReport& last) const {
  const std::int64_t known = skill.uses.succeeded + skill.uses.failed, version = version_of(skill);
  if (skill.stage != LifeStage::kProbation || known < with_.evolution.trial_tasks) return;
  const bool good = skill.success_rate >= with_.evolution.trial_rate || skill.pinned;
  const std::string figures = std::to_string(skill.uses.succeeded) + " of " + std::to_string(known) +
                              " tasks succeeded with it, the last was " + last.id;
  if (!good) {
    Skill ended = skill;
    ended.stage = LifeStage::kDeprecated;
    keep_version(skill, with_.clock.now(), std::string(to_string(ended.stage)) + ": " + figures, ended);
    skill = std::move(ended);
    return;
  }
  if (!skill.pinned) {
    if (is_waiting(skill.gate, version) || is_held_back(skill.gate, version)) return;
    skill.gate = gate_of(with_.gate, skill.owner, version, with_.clock);
    if (is_waiting(skill.gate, version)) return;
  }
  const std::string gate = gate_text(skill.gate);
  activate(skill, "active: " + figures + (gate.empty() ? "" : "; " + gate));
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
  WEFT_CHECK(refresh());
  const File* file = file_of(id);
  if (file == nullptr || file->skill->stage != LifeStage::kProbation) return {};
  Skill skill = *file->skill;
  const std::int64_t version = version_of(skill);
  if (!is_waiting(skill.gate, version) || gate.version != version) return {};
  skill.gate = gate;
  if (!is_waiting(gate, version) && !is_held_back(gate, version)) activate(skill, "active: " + gate_text(gate));
  skill.last_updated = today();
  const File now = *file;  // writing reads all files anew
  return write(skill, &now);
}

}  // namespace weft
