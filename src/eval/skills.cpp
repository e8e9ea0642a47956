#include "eval/skills.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "engine/lessons.h"
#include "engine/model_set.h"
#include "eval/json_lines.h"
#include "growth/skill_match.h"
#include "text/json.h"
#include "text/words.h"

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

namespace {

constexpr std::chrono::seconds kModelPatience{60};

}  // namespace

Result<TaskEmbedder> TaskEmbedder::open(const Config& config, const ModelSet& models, bool by_states,
                                        const std::string& vectors) {
  TaskEmbedder made;
  if (by_states) {
    ChatModel* model = models.chat("fast");
    if (model == nullptr || !model->state_space().given())
      return invalid_argument("no chat model is configured whose states could be read",
                              "weft.toml names a local one under [models.NAME], and as fast under [roles]");
    made.states = std::make_unique<StateEmbedder>(*model);
    made.embedder = made.states.get();
    made.similarity = std::make_shared<Similarity>(Similarity::raw());
    if (const std::string& own = config.agent.skill_weights; !own.empty()) {
      WEFT_TRY(made.weights, SkillStates::read_weights(*model, own));
    }
  } else {
    made.embedder = models.embedder();
    made.similarity = models.similarity();
    if (made.embedder != nullptr) WEFT_CHECK(models.wait_ready(Deadline::after(kModelPatience)));
  }
  if (made.embedder == nullptr || vectors.empty()) return made;
  WEFT_TRY(made.kept, VectorFile::open(vectors, *made.embedder));
  made.embedder = made.kept.get();
  return made;
}

namespace {

constexpr std::chrono::minutes kChoicePatience{5};
constexpr std::size_t kMostTold = 3;

// The places of the skills that fit, the best first.
std::vector<std::size_t> fitting(const std::vector<double>& fit) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < fit.size(); ++i)
    if (fit[i] >= kReferred) places.push_back(i);
  std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) { return fit[a] > fit[b]; });
  return places;
}

std::vector<double> fits_of(const std::vector<SkillLikeness>& all) {
  std::vector<double> fits;
  for (const SkillLikeness& one : all) fits.push_back(one.fits);
  return fits;
}

// `without`: how the others fit where its own is missing.
void count(const SkillTask& task, const std::vector<double>& fit, const std::vector<double>& without,
           SkillTally& tally) {
  const auto places = fitting(fit);
  const bool follow = !places.empty() && fit[places.front()] >= kFollowed;
  if (!task.skill) {
    ++tally.unrelated;
    tally.injected += !places.empty();
    tally.injected_to_follow += follow;
    return;
  }
  ++tally.tasks;
  const bool right = !places.empty() && places.front() == *task.skill;
  tally.right_first += right;
  tally.ranked_first +=
      std::max_element(fit.begin(), fit.end()) - fit.begin() == static_cast<std::ptrdiff_t>(*task.skill);
  tally.wrong_first += !places.empty() && !right;
  const auto told = places.begin() + std::min<std::ptrdiff_t>(3, std::ssize(places));
  tally.right_among += std::find(places.begin(), told, *task.skill) != told;
  tally.followed += right && follow;
  ++tally.without;
  const double most = without.empty() ? 0 : *std::max_element(without.begin(), without.end());
  tally.without_injected += most >= kReferred;
  tally.without_to_follow += most >= kFollowed;
}

std::vector<double> fits_without(const Likeness& likeness, std::vector<Skill> skills, const SkillTask& task,
                                 const SkillWeights* weights) {
  if (!task.skill) return {};
  skills.erase(skills.begin() + static_cast<std::ptrdiff_t>(*task.skill));
  return fits_of(skill_likeness(likeness, skills, task.text, weights));
}

// What a run is told when the model chooses.
void choose(ChatModel& model, const Likeness& likeness, const SkillSet& set, const SkillTask& task,
            SkillsReport& report) {
  const auto ranked = match_skills(likeness, set.skills, task.text, kChosenAmong, 0);
  const SkillChoice choice = chosen_by_model(model, task.text, ranked, kMostTold, Deadline::after(kChoicePatience));
  // The order is the model's; how firmly the first is told, the ranking's.
  const bool follow = !choice.matches.empty() && choice.matches.front().use == SkillUse::kFollow;
  std::vector<double> fit(set.skills.size(), 0);
  for (std::size_t i = 0; i < choice.matches.size(); ++i) {
    const auto at = std::find_if(set.skills.begin(), set.skills.end(), [&](const Skill& skill) {
      return skill.skill_id == choice.matches[i].skill.skill_id;
    });
    fit[static_cast<std::size_t>(at - set.skills.begin())] =
        (follow ? kFollowed : kReferred) + 0.1 / static_cast<double>(i + 1);
  }
  report.not_chosen += !choice.failed.empty();
  count(task, fit, {}, report.chosen);
}

std::string language_name(std::string_view text) { return language_of(text) == Language::kChinese ? "zh" : "en"; }

// What was told.
nlohmann::ordered_json told_json(const SkillTally& tally) {
  return {{"tasks", tally.tasks},
          {"right_first", tally.right_first},
          {"right_among", tally.right_among},
          {"wrong_first", tally.wrong_first},
          {"right_and_followed", tally.followed},
          {"unrelated", tally.unrelated},
          {"unrelated_injected", tally.injected},
          {"unrelated_to_follow", tally.injected_to_follow}};
}

// The same, with what only a ranking has: an order of all, and one without the task's own.
nlohmann::ordered_json json_of(const SkillTally& tally) {
  auto json = told_json(tally);
  json["ranked_first"] = tally.ranked_first;
  json["without_own"] = tally.without;
  json["without_own_injected"] = tally.without_injected;
  json["without_own_to_follow"] = tally.without_to_follow;
  return json;
}

}  // namespace

Result<SkillsReport> eval_skills(const std::string& file, const Likeness& likeness, ChatModel* chooser,
                                 const SkillWeights* weights) {
  WEFT_TRY(const SkillSet set, read_skill_set(file));
  SkillsReport report;
  if (chooser != nullptr) report.chooser = chooser->name();
  for (const SkillTask& task : set.tasks) {
    const auto all = skill_likeness(likeness, set.skills, task.text, weights);
    const auto fit = fits_of(all), without = fits_without(likeness, set.skills, task, weights);
    count(task, fit, without, report.halves[task.held ? 1 : 0]);
    const std::string of =
        language_name(task.text) + (task.skill ? "→" + language_name(set.skills[*task.skill].name) : "");
    if (task.held) count(task, fit, without, report.by_language[of]);
    if (chooser != nullptr && task.held) choose(*chooser, likeness, set, task, report);
  }
  return report;
}

Result<std::string> run_eval_skills(const Config& config, const std::string& file, const SkillsEvalOptions& options) {
  WEFT_TRY(const auto models, ModelSet::open(config));
  WEFT_TRY(const TaskEmbedder by, TaskEmbedder::open(config, *models, options.states, options.vectors));
  std::unique_ptr<Likeness> likeness = std::make_unique<WordLikeness>();
  if (by.embedder != nullptr)
    likeness = std::make_unique<VectorLikeness>(*by.embedder, by.similarity, std::chrono::hours(1));
  ChatModel* chooser = options.choose ? models->chat("fast") : nullptr;
  if (options.choose && chooser == nullptr)
    return invalid_argument("no chat model is configured that could choose",
                            "weft.toml names one under [models.NAME], and as fast under [roles]");
  const SkillWeights* weights = by.weights ? &*by.weights : nullptr;
  WEFT_TRY(SkillsReport report, eval_skills(file, *likeness, chooser, weights));
  report.by = by.embedder != nullptr ? by.embedder->name() : "floor";
  return to_json(report);
}

std::string to_json(const SkillsReport& report) {
  nlohmann::ordered_json json;
  json["by"] = report.by;
  json["tuning"] = json_of(report.halves[0]);
  json["held"] = json_of(report.halves[1]);
  if (!report.chooser.empty()) {
    json["chooser"] = report.chooser;
    json["held_by_choice"] = told_json(report.chosen);
    json["not_chosen"] = report.not_chosen;
  }
  for (const auto& [language, tally] : report.by_language) json["held_by_language"][language] = json_of(tally);
  return write_json(json);
}

}  // namespace weft
