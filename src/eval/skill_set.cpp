#include "eval/skill_set.h"

#include <nlohmann/json.hpp>
#include <span>

#include "eval/json_lines.h"

namespace weft {
namespace {

using Json = nlohmann::json;

void read_one(const Json& json, std::size_t file, SkillSet& set) {
  if (json.contains("unrelated")) {
    set.tasks.push_back({json.at("unrelated").get<std::string>(), std::nullopt, json.at("held").get<bool>(), file});
    return;
  }
  Skill skill;
  skill.skill_id = json.at("skill").get<std::string>();
  skill.name = json.at("name").get<std::string>();
  skill.description = json.at("description").get<std::string>();
  skill.trigger_conditions = json.at("when").get<std::vector<std::string>>();
  for (const bool held : {false, true})
    for (const auto& text : json.at(held ? "held" : "tuning").get<std::vector<std::string>>())
      set.tasks.push_back({text, set.skills.size(), held, file});
  set.skills.push_back(std::move(skill));
  set.files.push_back(file);
}

Status read_into(const std::string& path, std::size_t file, SkillSet& set) {
  const auto take = [&](const Json& json, std::size_t) {
    read_one(json, file, set);
    return Status();
  };
  WEFT_CHECK(each_json_line(path, take, R"(each line needs "skill" and its tasks, or "unrelated")"));
  if (set.skills.empty()) return invalid_argument(path + " has no skills");
  return {};
}

}  // namespace

Result<SkillSet> read_skill_set(const std::string& path) { return read_skill_sets(std::span(&path, 1)); }

Result<SkillSet> read_skill_sets(std::span<const std::string> paths) {
  SkillSet set;
  for (std::size_t file = 0; file < paths.size(); ++file) WEFT_CHECK(read_into(paths[file], file, set));
  return set;
}

}  // namespace weft
