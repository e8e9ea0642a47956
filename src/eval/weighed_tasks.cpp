#include "eval/weighed_tasks.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "eval/json_lines.h"
#include "growth/skill_choice.h"
#include "growth/skill_match.h"
#include "text/json.h"

namespace weft {
namespace {

using Json = nlohmann::json;

// What a model has said before, by its name, the task and the skills that were shown.
class KeptWeighings {
 public:
  Status open(const std::string& path) {
    if (path.empty()) return {};
    if (std::filesystem::exists(path))
      WEFT_CHECK(each_json_line(path, [this](const Json& line, std::size_t) {
        known_[line.at("of").get<std::string>()] = {line.at("letters").get<std::vector<double>>(),
                                                    line.at("worded").get<std::vector<double>>()};
        return Status();
      }));
    file_.open(path, std::ios::app);
    return file_ ? Status() : Status(unavailable("cannot write " + path));
  }

  const SkillWeighing* find(const std::string& of) const {
    const auto found = known_.find(of);
    return found == known_.end() ? nullptr : &found->second;
  }

  void keep(const std::string& of, const SkillWeighing& weighing) {
    if (!file_.is_open()) return;
    file_ << write_json(Json{{"of", of}, {"letters", weighing.letters}, {"worded", weighing.worded}}) << std::endl;
  }

 private:
  std::map<std::string, SkillWeighing> known_;
  std::ofstream file_;
};

std::string key_of(const ChatModel& model, const SkillTask& task, std::span<const SkillMatch> shown) {
  std::string key = model.name() + "\n" + task.text;
  for (const SkillMatch& match : shown) key += "\n" + match.skill.skill_id;
  return key;
}

std::size_t place_of(const SkillSet& set, const Skill& skill) {
  const auto found = std::find_if(set.skills.begin(), set.skills.end(),
                                  [&](const Skill& one) { return one.skill_id == skill.skill_id; });
  return static_cast<std::size_t>(found - set.skills.begin());
}

}  // namespace

std::size_t WeighedTask::right() const {
  return static_cast<std::size_t>((skill ? std::find(shown.begin(), shown.end(), *skill) : shown.end()) -
                                  shown.begin());
}

Result<std::vector<WeighedTask>> weigh_tasks(const SkillSet& set, const Likeness& likeness, ChatModel& model,
                                             const std::string& kept) {
  KeptWeighings known;
  WEFT_CHECK(known.open(kept));
  std::vector<WeighedTask> all;
  for (std::size_t i = 0; i < set.tasks.size(); ++i) {
    const SkillTask& task = set.tasks[i];
    if (task.held) continue;
    const auto shown = match_skills(likeness, set.skills, task.text, kChosenAmong, 0);
    if (shown.empty() || shown.front().likeness < kWorthAsking) continue;
    WeighedTask one{i, task.skill, {}, {}, {}};
    for (const SkillMatch& match : shown) {
      one.shown.push_back(place_of(set, match.skill));
      one.likeness.push_back(match.likeness);
    }
    const std::string key = key_of(model, task, shown);
    if (const SkillWeighing* said = known.find(key)) {
      one.weighing = *said;
    } else {
      WEFT_TRY(one.weighing, weigh_skills(model, task.text, shown, Deadline()));
      known.keep(key, one.weighing);
    }
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace weft
