#include "growth/skill_library.h"

#include <algorithm>

#include "base/log.h"
#include "growth/owners.h"
#include "growth/skill_crystal.h"
#include "growth/skill_file.h"
#include "growth/skill_folder.h"
#include "growth/skill_lesson.h"
#include "growth/skill_match.h"
#include "text/line_diff.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

Error no_skill(const std::string& id) {
  return not_found("skills: there is no skill \"" + id + "\"", "`weft skill list` shows them");
}

Result<Skill> changed(const Skill& before, const SkillChange& change, Time now) {
  Skill after = before;
  const std::string by = " by " + change.by + (change.why.empty() ? "" : ": " + change.why);
  switch (change.action) {
    case SkillAction::kPin: after.pinned = true; return after;
    case SkillAction::kUnpin: after.pinned = false; return after;
    case SkillAction::kDisable: after.disabled = true; return after;
    case SkillAction::kEnable:
      after.disabled = false;
      if (serves(before)) return after;
      after.stage = LifeStage::kActive;
      after.uses.ineffective_in_a_row = 0;
      break;
    case SkillAction::kApprove:
      if (before.stage == LifeStage::kActive) return after;
      after.stage = LifeStage::kActive;
      after.uses.ineffective_in_a_row = 0;
      break;
    case SkillAction::kRetire: after.stage = LifeStage::kRetired; break;
    case SkillAction::kRollBack: {
      const auto& history = before.version_history;
      if (history.empty()) return not_found("skill \"" + before.skill_id + "\" has no earlier version");
      const std::int64_t version = change.version != 0 ? change.version : history.back().version;
      WEFT_TRY(after, skill_version(before, version));
      after.uses = before.uses;
      after.gate = {};
      after.success_rate = before.success_rate;
      after.pinned = before.pinned;
      after.disabled = before.disabled;
      if (!serves(after)) after.stage = LifeStage::kActive;
      keep_version(before, now, "rolled back to " + std::to_string(version) + by, after);
      return after;
    }
    case SkillAction::kRemove: return after;
  }
  keep_version(before, now, std::string(to_string(change.action)) + by, after);
  return after;
}

Result<const StoredSkills::File*> seen_file(StoredSkills& files, const ScopeKey& scope, const std::string& id) {
  WEFT_CHECK(files.refresh());
  const StoredSkills::File* file = files.find(id);
  if (file == nullptr || !is_for(file->skill->owner, scope)) return no_skill(id);
  return file;
}

}  // namespace

bool is_told(const Skill& skill) {
  const bool on_trial = skill.stage == LifeStage::kProbation && !is_held_back(skill.gate, version_of(skill));
  return !skill.disabled && (skill.stage == LifeStage::kActive || on_trial);
}

Result<std::vector<Skill>> SkillLibrary::all() {
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(files_.refresh());
  std::vector<Skill> skills;
  for (const auto& [path, file] : files_.files())
    if (file.skill) skills.push_back(*file.skill);
  std::sort(skills.begin(), skills.end(), [](const Skill& a, const Skill& b) {
    return std::pair(!serves(a), a.skill_id) < std::pair(!serves(b), b.skill_id);
  });
  return skills;
}

Result<std::vector<Skill>> SkillLibrary::list(const ScopeKey& scope) {
  WEFT_TRY(auto skills, all());
  std::erase_if(skills, [&](const Skill& skill) { return !is_for(skill.owner, scope); });
  return skills;
}

Result<Skill> SkillLibrary::find(const ScopeKey& scope, const std::string& id) {
  const std::lock_guard lock(mutex_);
  WEFT_TRY(const StoredSkills::File* file, seen_file(files_, scope, id));
  return *file->skill;
}

Result<Skill> SkillLibrary::get(const std::string& id) {
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(files_.refresh());
  const StoredSkills::File* file = files_.find(id);
  if (file == nullptr || !serves(*file->skill)) return no_skill(id);
  return *file->skill;
}

Result<Skill> SkillLibrary::put(Skill skill, const std::string& note) {
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(files_.refresh());
  return files_.put(std::move(skill), note);
}

Result<Skill> SkillLibrary::change(const ScopeKey& scope, const std::string& id, const SkillChange& change) {
  const std::lock_guard lock(mutex_);
  WEFT_TRY(const StoredSkills::File* file, seen_file(files_, scope, id));
  WEFT_TRY(Skill after, changed(*file->skill, change, with_.clock.now()));
  if (change.action == SkillAction::kRemove) {
    WEFT_CHECK(files_.remove(*file));
    WEFT_CHECK(files_.refresh());
    return after;
  }
  after.last_updated = format_time(with_.clock.now()).substr(0, 10);
  WEFT_CHECK(files_.write(after, file));
  return after;
}

Result<std::string> SkillLibrary::diff(const ScopeKey& scope, const std::string& id, std::int64_t from,
                                       std::int64_t to) {
  WEFT_TRY(const Skill skill, find(scope, id));
  const std::int64_t newest = to != 0 ? to : version_of(skill);
  std::int64_t older = from;
  for (const OldVersion& old : skill.version_history)
    if (from == 0 && old.version < newest) older = old.version;
  if (older == 0) return std::string();
  WEFT_TRY(Skill before, skill_version(skill, older));
  WEFT_TRY(Skill after, skill_version(skill, newest));
  for (Skill* one : {&before, &after}) {
    one->uses = {};
    one->success_rate = 0;
    one->last_updated.clear();
  }
  const std::string old_text = write_skill(before), new_text = write_skill(after);
  return show_diff(line_diff(old_text, new_text));
}

Result<Skill> SkillLibrary::teach(const SkillLesson& lesson, const std::string& by) {
  WEFT_TRY(Skill skill, skill_from_lesson(lesson));
  skill.owner = lesson.owner;
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(files_.refresh());
  skill.skill_id = files_.free_id(skill_id_for(skill.name), skill.owner);
  return files_.put(std::move(skill), "taught anew by " + by);
}

Result<std::optional<Skill>> SkillLibrary::take_taught(const SkillLesson& lesson, const std::string& source) {
  if (!with_.evolution.learn) return std::optional<Skill>();
  WEFT_TRY(Skill skill, skill_from_lesson(lesson));
  skill.owner = lesson.owner;
  skill.stage = LifeStage::kProbation;
  skill.learned_from = {source};
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(files_.refresh());
  skill.skill_id = files_.free_id(skill_id_for(skill.name), skill.owner);
  for (const auto& [path, file] : files_.files()) {
    if (!file.skill || file.skill->owner != skill.owner) continue;
    const auto& from = file.skill->learned_from;
    const bool known = std::find(from.begin(), from.end(), source) != from.end();
    if (known || (file.skill->skill_id == skill.skill_id && file.skill->pinned)) return std::optional<Skill>();
  }
  WEFT_TRY(Skill kept, files_.put(std::move(skill), "taught anew in " + source));
  return std::optional<Skill>(std::move(kept));
}

Result<Skill> SkillLibrary::import_folder(const SkillFolder& folder, const std::string& by) {
  WEFT_TRY(Skill skill, skill_from_folder(folder));
  skill.owner = folder.owner;
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(files_.refresh());
  skill.skill_id = files_.free_id(skill.skill_id, skill.owner);
  const std::string name = skill_file_name(skill.skill_id);
  skill.folder = "skills/folders/" + name;
  WEFT_CHECK(files_.path_for(skill));
  WEFT_CHECK(write_skill_folder(with_.files, folder, with_.places.skill_folders() / name));
  return files_.put(std::move(skill), "imported anew by " + by);
}

Result<SkillFolder> SkillLibrary::export_folder(const ScopeKey& scope, const std::string& id) {
  WEFT_TRY(const Skill skill, find(scope, id));
  std::vector<SkillFile> beside;
  for (const std::string& path : resources(skill)) {
    const fs::path folder = with_.places.skill_folders() / fs::path(skill.folder).filename();
    WEFT_TRY(std::string content, with_.files.read(folder / path));
    beside.push_back({path, std::move(content)});
  }
  return folder_from_skill(skill, std::move(beside));
}

std::vector<std::string> SkillLibrary::resources(const Skill& skill) const {
  if (skill.folder.empty()) return {};
  // A person may have written anything there: only the name of the folder counts.
  return skill_resources(with_.places.skill_folders() / fs::path(skill.folder).filename());
}

std::vector<SkillMatch> SkillLibrary::match(const ScopeKey& scope, std::string_view task, std::size_t most) {
  return match_skills(with_.likeness, told(scope), task, most);
}

std::vector<Skill> SkillLibrary::told(const ScopeKey& scope) {
  auto skills = list(scope);
  if (!skills.ok()) {
    log_warning("skills.match", skills.error().message);
    return {};
  }
  std::erase_if(*skills, [](const Skill& skill) { return !is_told(skill); });
  return std::move(*skills);
}

Result<std::optional<Skill>> SkillLibrary::crystallise(const TaskReport& newest, std::span<const TaskReport> all) {
  if (!with_.evolution.learn) return std::optional<Skill>();
  auto made = crystallised(newest, all, with_.likeness, with_.evolution);
  if (!made) return made;
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(files_.refresh());
  for (const auto& [path, file] : files_.files())
    if (file.skill && is_for(file.skill->owner, made->owner) && tools_of(*file.skill) == tools_of(*made) &&
        is_for(*file.skill, newest.task, with_.likeness, with_.evolution.related))
      return std::optional<Skill>();
  for (int n = 1; made->skill_id.empty() || files_.find(made->skill_id) != nullptr; ++n)
    made->skill_id = skill_id_for(made->name) + (n == 1 ? "" : "_" + std::to_string(n));
  WEFT_TRY(Skill kept, files_.put(std::move(*made), {}));
  return std::optional<Skill>(std::move(kept));
}

Result<std::set<std::string>> SkillLibrary::made_of(const ErasedLessons& gone) {
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(files_.refresh());
  std::set<std::string> ids;
  for (const auto& [path, file] : files_.files()) {
    if (!file.skill) continue;
    const Skill& skill = *file.skill;
    const bool learnt = std::any_of(skill.learned_from.begin(), skill.learned_from.end(), [&](const std::string& from) {
      return gone.reflections.contains(from) || gone.reports.contains(from);
    });
    if ((gone.everything && skill.owner == gone.owner) || (learnt && gone.repeats(file.content)))
      ids.insert(skill.skill_id);
  }
  return ids;
}

Status SkillLibrary::erase(const ErasedLessons& gone) {
  if (gone.empty()) return {};
  WEFT_TRY(const auto ids, made_of(gone));
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(files_.refresh());
  WEFT_CHECK(uses_.erase(ids, gone));
  const StoredSkills::Files files = files_.files();
  for (const auto& [path, file] : files)
    if (file.skill && ids.contains(file.skill->skill_id)) WEFT_CHECK(files_.remove(file));
  return files_.refresh();
}

std::vector<std::string> SkillLibrary::problems() {
  const std::lock_guard lock(mutex_);
  if (const Status read = files_.refresh(); !read.ok()) return {read.error().message};
  std::vector<std::string> all;
  for (const auto& [path, file] : files_.files())
    if (!file.problem.empty()) all.push_back(file.problem);
  return all;
}

}  // namespace weft
