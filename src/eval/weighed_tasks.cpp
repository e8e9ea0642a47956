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

// What a model has said before, by its name, the task and the skill.
class KeptWordings {
 public:
  explicit KeptWordings(ChatModel& model) : model_(model) {}

  Status open(const std::string& path) {
    if (path.empty()) return {};
    if (std::filesystem::exists(path))
      WEFT_CHECK(each_json_line(path, [this](const Json& line, std::size_t) {
        known_[line.at("of").get<std::string>()] = line.at("log").get<double>();
        return Status();
      }));
    file_.open(path, std::ios::app);
    return file_ ? Status() : Status(unavailable("cannot write " + path));
  }

  Result<double> log(const std::string& task, const Skill* skill) {
    const std::string of = model_.name() + "\n" + task + "\n" + (skill == nullptr ? std::string() : skill->skill_id);
    if (const auto found = known_.find(of); found != known_.end()) return found->second;
    WEFT_TRY(const double log, wording_log(model_, task, skill, Deadline()));
    if (file_.is_open()) file_ << write_json(Json{{"of", of}, {"log", log}}) << std::endl;
    return log;
  }

 private:
  ChatModel& model_;
  std::map<std::string, double> known_;
  std::ofstream file_;
};

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
                                             const std::string& kept, bool held) {
  KeptWordings known(model);
  WEFT_CHECK(known.open(kept));
  std::vector<WeighedTask> all;
  for (std::size_t i = 0; i < set.tasks.size(); ++i) {
    const SkillTask& task = set.tasks[i];
    if (task.held != held) continue;
    const auto shown = match_skills(likeness, set.skills, task.text, kChosenAmong, 0);
    WeighedTask one{i, task.skill, {}, {}, {}};
    if (shown.empty() || shown.front().likeness < kWorthAsking) {
      all.push_back(std::move(one));
      continue;
    }
    for (const SkillMatch& match : shown) {
      one.shown.push_back(place_of(set, match.skill));
      one.likeness.push_back(match.likeness);
    }
    for (std::size_t k = 0; k <= shown.size(); ++k) {
      WEFT_TRY(const double log, known.log(task.text, k < shown.size() ? &shown[k].skill : nullptr));
      one.wording.push_back(log);
    }
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace weft
