#include "growth/skill_shelf.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"
#include "base/log.h"
#include "model/growth_records.h"
#include "text/yaml_record.h"

namespace weft {

std::string file_name_of(const std::string& id) {
  std::string name;
  for (const char c : id) {
    if (is_letter(c) || is_digit(c) || c == '-' || c == '_')
      name += c;
    else
      name += fmt::format(".{:02x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
  }
  return name;
}

Result<std::vector<Skill>> SkillFiles::list() {
  auto paths = files_.list(places_.skills());
  if (!paths.ok()) {
    if (paths.error().code == ErrorCode::kNotFound) return std::vector<Skill>();
    return paths.error();
  }
  std::sort(paths->begin(), paths->end());
  std::vector<Skill> skills;
  for (const auto& path : *paths) {
    if (path.extension() != ".yaml") continue;
    WEFT_TRY(const std::string text, files_.read(path));
    auto skill = read_yaml_record<Skill>(text, path.filename().string());
    if (skill.ok())
      skills.push_back(std::move(skill).value());
    else
      log_warning("skills.file", skill.error().message);
  }
  return skills;
}

Result<Skill> SkillFiles::get(const std::string& id) {
  WEFT_TRY(auto skills, list());
  for (Skill& skill : skills)
    if (skill.skill_id == id) return std::move(skill);
  return not_found("skills: there is no skill \"" + id + "\"");
}

Status SkillFiles::put(const Skill& skill, const std::string& note) {
  Skill kept = skill;
  kept.last_updated = format_time(clock_.now()).substr(0, 10);
  if (auto before = get(skill.skill_id); before.ok()) {
    kept.version_history = std::move(before->version_history);
    const std::int64_t version = kept.version_history.empty() ? 1 : kept.version_history.back().version + 1;
    before->version_history.clear();
    kept.version_history.push_back({version, clock_.now(), note, to_json(*before)});
  } else if (before.error().code != ErrorCode::kNotFound) {
    return before.error();
  }
  WEFT_CHECK(files_.make_folder(places_.skills()));
  return write_file(files_, places_.skills() / (file_name_of(skill.skill_id) + ".yaml"), to_yaml(kept), true);
}

}  // namespace weft
