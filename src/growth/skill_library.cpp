#include "growth/skill_library.h"

#include <algorithm>

#include "base/log.h"
#include "growth/owners.h"
#include "growth/skill_file.h"
#include "growth/skill_folder.h"
#include "growth/skill_lesson.h"
#include "growth/skill_match.h"
#include "text/line_diff.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

bool serves(const Skill& skill) {
  return skill.stage != LifeStage::kDeprecated && skill.stage != LifeStage::kRetired &&
         skill.stage != LifeStage::kRefused;
}

Error no_skill(const std::string& id) {
  return not_found("skills: there is no skill \"" + id + "\"", "`weft skill list` shows them");
}

}  // namespace

bool is_told(const Skill& skill) {
  const bool on_trial = skill.stage == LifeStage::kProbation && !is_held_back(skill.gate, version_of(skill));
  return !skill.disabled && (skill.stage == LifeStage::kActive || on_trial);
}

std::string SkillLibrary::today() const { return format_time(with_.clock.now()).substr(0, 10); }

Status SkillLibrary::refresh_folder(const fs::path& folder, std::map<fs::path, File>& into) {
  auto paths = with_.files.list(folder);
  if (!paths.ok()) return paths.error().code == ErrorCode::kNotFound ? Status() : Status(paths.error());
  for (const fs::path& path : *paths) {
    if (path.extension() != ".yaml" && path.extension() != ".yml") continue;
    auto content = with_.files.read(path);
    if (!content.ok() && content.error().code == ErrorCode::kNotFound) continue;
    File file{path, content.value_or(""), {}, {}};
    if (const auto known = files_.find(path);
        content.ok() && known != files_.end() && known->second.content == *content) {
      into[path] = known->second;
      continue;
    }
    const std::string name = path.parent_path().filename().string() + "/" + path.filename().string();
    auto skill = content.ok() ? read_skill(*content, name) : Result<Skill>(content.error());
    if (skill.ok()) {
      file.skill = std::move(skill).value();
    } else {
      file.problem = skill.error().message;
      log_warning("skills.file", file.problem);
    }
    into[path] = std::move(file);
  }
  return {};
}

Status SkillLibrary::refresh() {
  std::map<fs::path, File> now;
  WEFT_CHECK(refresh_folder(with_.places.skills(), now));
  WEFT_CHECK(refresh_folder(with_.places.deprecated_skills(), now));
  std::map<std::string, const File*> ids;
  // What serves counts before what does not: "learned" stands behind "deprecated" in the order of paths.
  for (auto at = now.rbegin(); at != now.rend(); ++at) {
    File& file = at->second;
    if (!file.skill) continue;
    const auto [other, first] = ids.emplace(file.skill->skill_id, &file);
    if (first) continue;
    file.problem = file.path.filename().string() + ": the id \"" + file.skill->skill_id + "\" is that of " +
                   other->second->path.filename().string() + ", too, which counts";
    file.skill.reset();
    file.content.clear();  // looked at again, should the other one go
  }
  files_ = std::move(now);
  return {};
}

SkillLibrary::File* SkillLibrary::file_of(std::string_view id) {
  for (auto& [path, file] : files_)
    if (file.skill && file.skill->skill_id == id) return &file;
  return nullptr;
}

Result<SkillLibrary::File*> SkillLibrary::seen_file(const ScopeKey& scope, const std::string& id) {
  WEFT_CHECK(refresh());
  File* file = file_of(id);
  if (file == nullptr || !is_for(file->skill->owner, scope)) return no_skill(id);
  return file;
}

Result<std::vector<Skill>> SkillLibrary::all() {
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(refresh());
  std::vector<Skill> skills;
  for (const auto& [path, file] : files_)
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
  WEFT_TRY(const File* file, seen_file(scope, id));
  return *file->skill;
}

Result<Skill> SkillLibrary::get(const std::string& id) {
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(refresh());
  const File* file = file_of(id);
  if (file == nullptr || !serves(*file->skill)) return no_skill(id);
  return *file->skill;
}

Result<fs::path> SkillLibrary::path_for(const Skill& skill) const {
  const fs::path folder = serves(skill) ? with_.places.skills() : with_.places.deprecated_skills();
  fs::path path = folder / (skill_file_name(skill.skill_id) + ".yaml");
  if (const auto other = files_.find(path); other != files_.end() && !other->second.problem.empty())
    return conflict("skills: " + other->second.problem, "mend or remove the file; it is left alone until then");
  return path;
}

// A file keeps the name that a person gave it while it stays in its folder.
Status SkillLibrary::write(const Skill& skill, const File* before) {
  WEFT_TRY(fs::path path, path_for(skill));
  const fs::path former = before != nullptr ? before->path : fs::path();
  if (former.parent_path() == path.parent_path()) path = former;
  WEFT_CHECK(with_.files.make_folder(path.parent_path()));
  WEFT_CHECK(write_file(with_.files, path, write_skill(skill), true));
  if (!former.empty() && former != path) {
    WEFT_CHECK(with_.files.remove(former));
    WEFT_CHECK(with_.files.sync_folder(former.parent_path()));
  }
  return refresh();
}

Result<Skill> SkillLibrary::put_locked(Skill skill, const std::string& note) {
  if (skill.skill_id.empty()) return invalid_argument("skills: a skill needs a skill_id");
  const File* file = file_of(skill.skill_id);
  if (file != nullptr && file->skill->owner != skill.owner)
    return conflict("skills: the id \"" + skill.skill_id + "\" is taken", "choose another one");
  if (file != nullptr) keep_version(*file->skill, with_.clock.now(), note, skill);
  skill.last_updated = today();
  // As a person's file would have to be, so that it can be read again.
  WEFT_TRY(Skill kept, read_skill(write_skill(skill), skill.skill_id));
  WEFT_CHECK(write(kept, file));
  return kept;
}

Result<Skill> SkillLibrary::put(Skill skill, const std::string& note) {
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(refresh());
  return put_locked(std::move(skill), note);
}

Result<Skill> SkillLibrary::changed(const Skill& before, const SkillChange& change) const {
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
      keep_version(before, with_.clock.now(), "rolled back to " + std::to_string(version) + by, after);
      return after;
    }
    case SkillAction::kRemove: return after;
  }
  keep_version(before, with_.clock.now(), std::string(to_string(change.action)) + by, after);
  return after;
}

Status SkillLibrary::remove_files(const File& file) {
  if (!file.skill->folder.empty()) {
    std::error_code failed;
    fs::remove_all(with_.places.skill_folders() / fs::path(file.skill->folder).filename(), failed);
    if (failed) return unavailable("skills: " + file.skill->folder + " cannot be removed: " + failed.message());
  }
  WEFT_CHECK(with_.files.remove(file.path));
  return with_.files.sync_folder(file.path.parent_path());
}

Result<Skill> SkillLibrary::change(const ScopeKey& scope, const std::string& id, const SkillChange& change) {
  const std::lock_guard lock(mutex_);
  WEFT_TRY(const File* file, seen_file(scope, id));
  WEFT_TRY(Skill after, changed(*file->skill, change));
  if (change.action == SkillAction::kRemove) {
    WEFT_CHECK(remove_files(*file));
    WEFT_CHECK(refresh());
    return after;
  }
  after.last_updated = today();
  WEFT_CHECK(write(after, file));
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

// An id that is free, or is one of this owner's own already.
std::string SkillLibrary::free_id(const std::string& wanted, const std::string& owner) {
  std::string id = wanted;
  for (int n = 2;; ++n) {
    const File* file = file_of(id);
    if (file == nullptr || file->skill->owner == owner) return id;
    id = wanted + "_" + std::to_string(n);
  }
}

Result<Skill> SkillLibrary::teach(const SkillLesson& lesson, const std::string& by) {
  WEFT_TRY(Skill skill, skill_from_lesson(lesson));
  skill.owner = lesson.owner;
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(refresh());
  skill.skill_id = free_id(skill_id_for(skill.name), skill.owner);
  return put_locked(std::move(skill), "taught anew by " + by);
}

Result<std::optional<Skill>> SkillLibrary::take_taught(const SkillLesson& lesson, const std::string& source) {
  if (!with_.evolution.learn) return std::optional<Skill>();
  WEFT_TRY(Skill skill, skill_from_lesson(lesson));
  skill.owner = lesson.owner;
  skill.stage = LifeStage::kProbation;
  skill.learned_from = {source};
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(refresh());
  skill.skill_id = free_id(skill_id_for(skill.name), skill.owner);
  for (const auto& [path, file] : files_) {
    if (!file.skill || file.skill->owner != skill.owner) continue;
    const auto& from = file.skill->learned_from;
    const bool known = std::find(from.begin(), from.end(), source) != from.end();
    if (known || (file.skill->skill_id == skill.skill_id && file.skill->pinned)) return std::optional<Skill>();
  }
  WEFT_TRY(Skill kept, put_locked(std::move(skill), "taught anew in " + source));
  return std::optional<Skill>(std::move(kept));
}

Result<Skill> SkillLibrary::import_folder(const SkillFolder& folder, const std::string& by) {
  WEFT_TRY(Skill skill, skill_from_folder(folder));
  skill.owner = folder.owner;
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(refresh());
  skill.skill_id = free_id(skill.skill_id, skill.owner);
  const std::string name = skill_file_name(skill.skill_id);
  skill.folder = "skills/folders/" + name;
  WEFT_CHECK(path_for(skill));
  WEFT_CHECK(write_skill_folder(with_.files, folder, with_.places.skill_folders() / name));
  return put_locked(std::move(skill), "imported anew by " + by);
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
  return match_by(with_.likeness, scope, task, most);
}

std::vector<SkillMatch> SkillLibrary::nearest(const ScopeKey& scope, std::string_view task, std::size_t most) {
  return match_by(with_.likeness, scope, task, most, 0);
}

std::vector<SkillMatch> SkillLibrary::match_by(const Likeness& likeness, const ScopeKey& scope, std::string_view task,
                                               std::size_t most, double least) {
  auto skills = list(scope);
  if (!skills.ok()) {
    log_warning("skills.match", skills.error().message);
    return {};
  }
  std::erase_if(*skills, [](const Skill& skill) { return !is_told(skill); });
  return match_skills(likeness, *skills, task, most, least);
}

std::vector<std::string> SkillLibrary::problems() {
  const std::lock_guard lock(mutex_);
  if (const Status read = refresh(); !read.ok()) return {read.error().message};
  std::vector<std::string> all;
  for (const auto& [path, file] : files_)
    if (!file.problem.empty()) all.push_back(file.problem);
  return all;
}

}  // namespace weft
