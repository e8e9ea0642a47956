#include "eval/skill_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "base/strings.h"
#include "eval/logistic_fit.h"
#include "flow/memory/likeness.h"
#include "growth/skill_match.h"
#include "text/json.h"
#include "text/weight_file.h"

namespace weft {
namespace {

constexpr std::array<std::size_t, 3> kParts{1, 5, 20};

// Of each skill the most that one of its phrases shares.
std::vector<double> most_of_each(const std::vector<double>& words, const std::vector<SeenSkill>& skills) {
  std::vector<double> most;
  auto at = words.begin();
  for (const SeenSkill& skill : skills) {
    const auto end = at + std::ssize(skill.phrases);
    most.push_back(*std::max_element(at, end));
    at = end;
  }
  return most;
}

// Not by the remainder, by which folds are made: each library has skills of every fold.
std::size_t part_of(std::size_t skill, std::size_t parts) { return skill / kSkillFolds % parts; }

std::vector<SeenLibrary> libraries_of(const SkillSet& set, const std::vector<SeenTask>& tasks) {
  std::vector<SeenLibrary> libraries;
  const std::size_t files = set.files.empty() ? 0 : set.files.back() + 1;
  for (std::size_t file = 0; file < files; ++file)
    for (const std::size_t parts : kParts)
      for (std::size_t part = 0; part < parts; ++part) {
        SeenLibrary library;
        library.parts = parts;
        for (std::size_t s = 0; s < set.skills.size(); ++s)
          if (set.files[s] == file && part_of(s, parts) == part) library.skills.push_back(s);
        for (std::size_t t = 0; t < tasks.size(); ++t)
          if (tasks[t].file == file) library.tasks.push_back(t);
        if (library.skills.size() > 1) libraries.push_back(std::move(library));
      }
  return libraries;
}

}  // namespace

Result<SeenSkills> look_at_skills(const SkillSet& set, Embedder& embedder) {
  const Deadline patient;
  SeenSkills seen;
  std::vector<std::string> phrases;
  for (std::size_t s = 0; s < set.skills.size(); ++s) {
    SeenSkill one;
    one.fold = s % kSkillFolds;
    for (std::string& phrase : skill_phrases(set.skills[s])) {
      WEFT_TRY(Vector vector, embedder.embed(phrase, EmbedUse::kCompare, patient));
      one.phrases.push_back(std::move(vector));
      one.language = language_of(phrase);
      phrases.push_back(std::move(phrase));
    }
    seen.skills.push_back(std::move(one));
  }
  std::size_t unrelated = 0;
  for (const SkillTask& task : set.tasks) {
    if (task.held) continue;
    WEFT_TRY(Vector vector, embedder.embed(task.text, EmbedUse::kCompare, patient));
    SeenTask one{std::move(vector), language_of(task.text),
                 task.skill,        (task.skill ? *task.skill : unrelated++) % kSkillFolds,
                 task.file,         {}};
    one.words = most_of_each(WordLikeness().to_all(task.text, phrases), seen.skills);
    seen.tasks.push_back(std::move(one));
  }
  seen.libraries = libraries_of(set, seen.tasks);
  return seen;
}

namespace {

// How much one that is told rightly counts against one that is told of another skill, and how many unrelated ones may
// be told.
struct Price {
  double right, unrelated;
};
constexpr Price kRefer{6, 0.06}, kFollow{0.5, 0.01};
constexpr double kApart = 0.3;  // the second cut lies above the first by this at least

void take(TopValue& top, double value) {
  ++top.of;
  top.value = std::max(top.value, value);
}

Standing standing_of(const SeenTask& task, std::size_t number, const SeenLibrary& library,
                     const std::vector<double>& values) {
  Standing one;
  one.task = number;
  one.parts = library.parts;
  one.own = task.skill ? Own::kElsewhere : Own::kNone;
  for (const std::size_t skill : library.skills) {
    const bool own = skill == task.skill;
    if (own) one.own = Own::kHere;
    if (values[skill] > one.best.value) one.right = own;
    take(one.best, values[skill]);
    if (!own) take(one.others, values[skill]);
  }
  return one;
}

// What a task gives when the cut goes below its value.
struct Event {
  double value, worth, unrelated;
};

struct Counts {
  double here = 0, missing = 0, unrelated = 0;
};

std::map<std::size_t, Counts> counts_of(const std::vector<Standing>& standings) {
  std::map<std::size_t, Counts> counts;
  for (const Standing& one : standings) {
    Counts& count = counts[one.parts];
    count.here += one.own == Own::kHere;
    count.missing += one.own != Own::kNone;
    count.unrelated += one.own == Own::kNone;
  }
  return counts;
}

std::vector<Event> events_of(const std::vector<Standing>& standings, std::span<const double> work,
                             const SkillWeights& weights, double right) {
  const auto counts = counts_of(standings);
  const auto sizes = static_cast<double>(counts.size());
  std::vector<Event> events;
  for (const Standing& one : standings) {
    const Counts& all = counts.at(one.parts);
    const double first = told_value(one.best, work[one.task], weights);
    if (one.own == Own::kNone) {
      events.push_back({first, 0, 1 / (all.unrelated * sizes)});
      continue;
    }
    if (one.right) events.push_back({first, right / (all.here * sizes), 0});
    events.push_back({told_value(one.others, work[one.task], weights), -1 / (all.missing * sizes), 0});
  }
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return a.value > b.value; });
  return events;
}

struct Cut {
  double value = 0, worth = 0;
};

// Halfway to what would be told next: what was seen last need not be the least that is right.
Cut best_cut(const std::vector<Event>& events, double most_unrelated) {
  Cut best{events.empty() ? 0 : events.front().value, 0};
  double worth = 0, unrelated = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    worth += events[i].worth;
    unrelated += events[i].unrelated;
    if (unrelated > most_unrelated) break;
    if (worth > best.worth) best = {(events[i].value + events[std::min(i + 1, events.size() - 1)].value) / 2, worth};
  }
  return best;
}

}  // namespace

std::vector<Standing> standings_of(const SeenSkills& seen, const std::vector<std::vector<double>>& values,
                                   const std::function<bool(const SeenTask&)>& wanted) {
  std::vector<Standing> standings;
  for (const SeenLibrary& library : seen.libraries)
    for (const std::size_t task : library.tasks)
      if (wanted(seen.tasks[task])) standings.push_back(standing_of(seen.tasks[task], task, library, values[task]));
  return standings;
}

double told_value(const TopValue& top, double work, const SkillWeights& weights) {
  return top.value + weights.work_share * work - crowding(weights, top.of);
}

SkillCuts best_cuts(const std::vector<Standing>& standings, std::span<const double> work, const SkillWeights& weights) {
  SkillCuts cuts;
  const Cut refer = best_cut(events_of(standings, work, weights, kRefer.right), kRefer.unrelated);
  const Cut follow = best_cut(events_of(standings, work, weights, kFollow.right), kFollow.unrelated);
  cuts.refer = refer.value;
  cuts.follow = std::max(follow.value, refer.value + kApart);
  cuts.worth = refer.worth + follow.worth;
  return cuts;
}

namespace {

constexpr double kNearest[] = {0, 0.3}, kWords[] = {0, 0.2, 0.4}, kWork[] = {0.1, 0.2, 0.3, 0.4, 0.6};
constexpr double kCrowd[] = {0, 0.4, 0.8, 1.2, 1.6};
constexpr double kWorkPenalty = 1;

void add(Vector& sum, std::span<const float> vector) {
  sum.resize(vector.size());
  for (std::size_t i = 0; i < vector.size(); ++i) sum[i] += vector[i];
}

void divide(Vector& sum, std::size_t count) {
  for (float& number : sum) number /= static_cast<float>(std::max<std::size_t>(1, count));
}

void fit_means(const SeenSkills& seen, LeftOut out, SkillWeights& weights) {
  std::array<std::size_t, 2> tasks{}, conditions{};
  for (const SeenTask& task : seen.tasks) {
    if (task.fold == out) continue;
    const auto at = static_cast<std::size_t>(task.language);
    add(weights.tasks[at], task.vector);
    ++tasks[at];
  }
  for (std::size_t i = 0; i < seen.skills.size(); ++i) {
    if (seen.skills[i].fold == out) continue;
    const auto at = static_cast<std::size_t>(seen.skills[i].language);
    for (const Vector& condition : seen.skills[i].phrases) add(weights.conditions[at], condition);
    conditions[at] += seen.skills[i].phrases.size();
  }
  for (std::size_t at = 0; at < 2; ++at) {
    divide(weights.tasks[at], tasks[at]);
    divide(weights.conditions[at], conditions[at]);
  }
}

using Table = std::vector<std::vector<double>>;  // [task][skill]

Table nearness_of_all(const SeenSkills& seen, const Similarity& similarity, const SkillWeights& weights) {
  Table table;
  for (const SeenTask& task : seen.tasks) {
    auto& row = table.emplace_back();
    for (const SeenSkill& skill : seen.skills)
      row.push_back(raw_nearness(weights, similarity, task.vector, task.language, skill.phrases, skill.language));
  }
  return table;
}

void fit_chance(const SeenSkills& seen, LeftOut out, const Table& near, SkillWeights& weights) {
  ByLanguages sum{}, squares{}, count{};
  for (std::size_t t = 0; t < seen.tasks.size(); ++t)
    for (std::size_t s = 0; s < seen.skills.size(); ++s) {
      if (seen.tasks[t].fold == out || seen.skills[s].fold == out || seen.tasks[t].skill == s) continue;
      const auto a = static_cast<std::size_t>(seen.tasks[t].language);
      const auto b = static_cast<std::size_t>(seen.skills[s].language);
      sum[a][b] += near[t][s];
      squares[a][b] += near[t][s] * near[t][s];
      ++count[a][b];
    }
  for (std::size_t a = 0; a < 2; ++a)
    for (std::size_t b = 0; b < 2; ++b) {
      weights.chance[a][b] = rounded(sum[a][b] / count[a][b], 4);
      const double mean = sum[a][b] / count[a][b];
      weights.deviation[a][b] = rounded(std::sqrt(std::max(1e-6, squares[a][b] / count[a][b] - mean * mean)), 4);
    }
}

// Which tasks are work for some skill, and not an errand or a question: the direction is fitted on `from`.
void fit_work(const SeenSkills& seen, const std::vector<std::size_t>& from, SkillWeights& weights) {
  std::vector<SignalRow> rows;
  std::vector<bool> truths;
  for (const std::size_t t : from) {
    const Vector own = task_place(weights, seen.tasks[t].vector, seen.tasks[t].language);
    rows.emplace_back(own.begin(), own.end()).push_back(1);
    truths.push_back(seen.tasks[t].skill.has_value());
  }
  if (rows.empty()) return;
  std::vector<double> penalties(rows.front().size(), kWorkPenalty);
  penalties.back() = 1e-3;
  const auto fitted = fit_logistic(rows, truths, std::vector<double>(rows.size(), 1), penalties);
  weights.work.assign(fitted.begin(), fitted.end() - 1);
  weights.work_bias = rounded(fitted.back(), 4);
}

// The direction from all that is not left out; and for what is fitted behind it, of each task by a direction that never
// saw it.
std::vector<double> fit_work(const SeenSkills& seen, LeftOut out, SkillWeights& weights) {
  std::vector<std::size_t> all;
  for (std::size_t t = 0; t < seen.tasks.size(); ++t)
    if (seen.tasks[t].fold != out) all.push_back(t);
  std::vector<double> work(seen.tasks.size());
  weights.work_share = 1;
  for (std::size_t part = 0; part < kSkillFolds; ++part) {
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (i % kSkillFolds != part) others.push_back(all[i]);
    fit_work(seen, others, weights);
    for (std::size_t i = part; i < all.size(); i += kSkillFolds)
      work[all[i]] = work_in(weights, seen.tasks[all[i]].vector, seen.tasks[all[i]].language);
  }
  fit_work(seen, all, weights);
  return work;
}

// What each task has in common with each skill, without its work.
Table values_of(const SeenSkills& seen, const Table& near, const SkillWeights& weights) {
  Table values = near;
  for (std::size_t t = 0; t < values.size(); ++t)
    for (std::size_t s = 0; s < values[t].size(); ++s) {
      const auto a = static_cast<std::size_t>(seen.tasks[t].language);
      const auto b = static_cast<std::size_t>(seen.skills[s].language);
      values[t][s] =
          (near[t][s] - weights.chance[a][b]) / weights.deviation[a][b] + weights.words * seen.tasks[t].words[s];
    }
  return values;
}

// The weights of telling, by how much the cuts are worth under them.
void fit_telling(const std::vector<Standing>& standings, std::span<const double> work, SkillWeights& weights,
                 SkillWeights& best, double& most) {
  for (const double crowd : kCrowd)
    for (const double share : kWork) {
      weights.crowd = crowd;
      weights.work_share = share;
      const SkillCuts cuts = best_cuts(standings, work, weights);
      if (cuts.worth <= most) continue;
      most = cuts.worth;
      weights.refer = rounded(cuts.refer, 3);
      weights.follow = rounded(cuts.follow, 3);
      best = weights;
    }
}

SkillWeights fit_without(const SeenSkills& seen, LeftOut out, const Similarity& similarity,
                         const std::string& embedder) {
  SkillWeights weights;
  weights.embedder = embedder;
  fit_means(seen, out, weights);
  const std::vector<double> work = fit_work(seen, out, weights);
  SkillWeights best = weights;
  double most = -1e9;
  for (const double nearest : kNearest) {
    weights.nearest = nearest;
    const Table near = nearness_of_all(seen, similarity, weights);
    fit_chance(seen, out, near, weights);
    for (const double words : kWords) {
      weights.words = words;
      const auto standings =
          standings_of(seen, values_of(seen, near, weights), [&](const SeenTask& task) { return task.fold != out; });
      fit_telling(standings, work, weights, best, most);
    }
  }
  return best;
}

void measure(const SeenSkills& seen, LeftOut only, const Similarity& similarity, const SkillWeights& weights,
             SkillFitReport& report) {
  const Table values = values_of(seen, nearness_of_all(seen, similarity, weights), weights);
  std::vector<double> work;
  for (const SeenTask& task : seen.tasks) work.push_back(work_in(weights, task.vector, task.language));
  SkillWeights whole = weights;  // its share is in already
  whole.work_share = 1;
  for (const Standing& one :
       standings_of(seen, values, [&](const SeenTask& task) { return !only || task.fold == only; })) {
    SkillFitTally& tally = report[one.parts];
    const double first = told_value(one.best, work[one.task], whole);
    if (one.own == Own::kNone) {
      ++tally.unrelated;
      tally.told += first >= weights.refer;
      tally.to_follow += first >= weights.follow;
      continue;
    }
    if (one.own == Own::kHere) {
      ++tally.tasks;
      tally.ranked_first += one.right;
      tally.right_first += one.right && first >= weights.refer;
      tally.right_to_follow += one.right && first >= weights.follow;
    }
    const double other = told_value(one.others, work[one.task], whole);
    ++tally.without;
    tally.without_told += other >= weights.refer;
    tally.without_to_follow += other >= weights.follow;
  }
}

nlohmann::ordered_json json_of(const SkillFitReport& report) {
  nlohmann::ordered_json json;
  for (const auto& [parts, tally] : report)
    json["libraries_of_a_" + std::to_string(parts) + "th"] = {{"tasks", tally.tasks},
                                                              {"right_first", tally.right_first},
                                                              {"right_to_follow", tally.right_to_follow},
                                                              {"ranked_first", tally.ranked_first},
                                                              {"without_own", tally.without},
                                                              {"without_own_told", tally.without_told},
                                                              {"without_own_to_follow", tally.without_to_follow},
                                                              {"unrelated", tally.unrelated},
                                                              {"unrelated_told", tally.told},
                                                              {"unrelated_to_follow", tally.to_follow}};
  return json;
}

}  // namespace

Result<FittedSkills> fit_skills(const SkillSet& set, Embedder& embedder, const Similarity& similarity) {
  WEFT_TRY(const SeenSkills seen, look_at_skills(set, embedder));
  const std::string family = lowered(embedder.name().substr(0, embedder.name().rfind("-q")));
  FittedSkills fitted;
  for (std::size_t fold = 0; fold < kSkillFolds; ++fold)
    measure(seen, fold, similarity, fit_without(seen, fold, similarity, family), fitted.left_out);
  fitted.weights = fit_without(seen, std::nullopt, similarity, family);
  measure(seen, std::nullopt, similarity, fitted.weights, fitted.fitted);
  fitted.source = fitted.weights.source();
  return fitted;
}

std::string to_json(const FittedSkills& fitted) {
  const SkillWeights& weights = fitted.weights;
  nlohmann::ordered_json json{{"nearest", weights.nearest},       {"words", weights.words},
                              {"work_share", weights.work_share}, {"crowd", weights.crowd},
                              {"refer", weights.refer},           {"follow", weights.follow}};
  json["fitted"] = json_of(fitted.fitted);
  json["left_out"] = json_of(fitted.left_out);
  return write_json(json);
}

}  // namespace weft
