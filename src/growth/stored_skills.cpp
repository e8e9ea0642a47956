#include "growth/stored_skills.h"

#include "base/log.h"
#include "growth/skill_file.h"
#include "growth/skill_folder.h"

namespace weft {

namespace fs = std::filesystem;

bool serves(const Skill& skill) {
  return skill.stage != LifeStage::kDeprecated && skill.stage != LifeStage::kRetired &&
         skill.stage != LifeStage::kRefused;
}

Status StoredSkills::refresh_folder(const fs::path& folder, Files& into) {
  auto paths = disk_.list(folder);
  if (!paths.ok()) return paths.error().code == ErrorCode::kNotFound ? Status() : Status(paths.error());
  for (const fs::path& path : *paths) {
    if (path.extension() != ".yaml" && path.extension() != ".yml") continue;
    auto content = disk_.read(path);
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

Status StoredSkills::refresh() {
  Files now;
  WEFT_CHECK(refresh_folder(places_.skills(), now));
  WEFT_CHECK(refresh_folder(places_.deprecated_skills(), now));
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

const StoredSkills::File* StoredSkills::find(std::string_view id) const {
  for (auto& [path, file] : files_)
    if (file.skill && file.skill->skill_id == id) return &file;
  return nullptr;
}

Result<fs::path> StoredSkills::path_for(const Skill& skill) const {
  const fs::path folder = serves(skill) ? places_.skills() : places_.deprecated_skills();
  fs::path path = folder / (skill_file_name(skill.skill_id) + ".yaml");
  if (const auto other = files_.find(path); other != files_.end() && !other->second.problem.empty())
    return conflict("skills: " + other->second.problem, "mend or remove the file; it is left alone until then");
  return path;
}

Status StoredSkills::write(const Skill& skill, const File* before) {
  WEFT_TRY(fs::path path, path_for(skill));
  const fs::path former = before != nullptr ? before->path : fs::path();
  if (former.parent_path() == path.parent_path()) path = former;
  WEFT_CHECK(disk_.make_folder(path.parent_path()));
  WEFT_CHECK(write_file(disk_, path, write_skill(skill), true));
  if (!former.empty() && former != path) {
    WEFT_CHECK(disk_.remove(former));
    WEFT_CHECK(disk_.sync_folder(former.parent_path()));
  }
  return refresh();
}

Result<Skill> StoredSkills::put(Skill skill, const std::string& note) {
  if (skill.skill_id.empty()) return invalid_argument("skills: a skill needs a skill_id");
  const File* file = find(skill.skill_id);
  if (file != nullptr && file->skill->owner != skill.owner)
    return conflict("skills: the id \"" + skill.skill_id + "\" is taken", "choose another one");
  if (file != nullptr) keep_version(*file->skill, clock_.now(), note, skill);
  skill.last_updated = format_time(clock_.now()).substr(0, 10);
  // As a person's file would have to be, so that it can be read again.
  WEFT_TRY(Skill kept, read_skill(write_skill(skill), skill.skill_id));
  WEFT_CHECK(write(kept, file));
  return kept;
}

Status StoredSkills::remove(const File& file) {
  if (!file.skill->folder.empty()) {
    std::error_code failed;
    fs::remove_all(places_.skill_folders() / fs::path(file.skill->folder).filename(), failed);
    if (failed) return unavailable("skills: " + file.skill->folder + " cannot be removed: " + failed.message());
  }
  WEFT_CHECK(disk_.remove(file.path));
  return disk_.sync_folder(file.path.parent_path());
}

std::string StoredSkills::free_id(const std::string& wanted, const std::string& owner) const {
  std::string id = wanted;
  for (int n = 2;; ++n) {
    const File* file = find(id);
    if (file == nullptr || file->skill->owner == owner) return id;
    id = wanted + "_" + std::to_string(n);
  }
}

}  // namespace weft
