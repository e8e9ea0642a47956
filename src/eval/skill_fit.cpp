#include "eval/skill_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "eval/logistic_fit.h"
#include "flow/memory/likeness.h"
#include "growth/skill_match.h"
#include "text/json.h"
#include "text/weight_file.h"

namespace weft {
namespace {

constexpr std::size_t kFolds = 5;
constexpr double kTold = 0.06, kToFollow = 0.02;  // of unrelated tasks
constexpr double kNearest[] = {0, 0.3, 0.6, 1}, kWords[] = {0, 0.3, 0.5, 0.7, 1}, kWork[] = {0, 0.2, 0.4, 0.7, 1, 1.5};
constexpr double kWorkPenalty = 1;

struct SeenTask {
  Vector vector;
  Language language = Language::kEnglish;
  std::optional<std::size_t> skill;
  std::size_t fold = 0;
  std::vector<double> words;  ///< of each skill
};

struct SeenSkill {
  std::vector<Vector> conditions;
  Language language = Language::kEnglish;
};

struct Seen {
  std::vector<SeenTask> tasks;
  std::vector<SeenSkill> skills;
};

// Which fold is left out; none where all are seen.
using LeftOut = std::optional<std::size_t>;

Result<Seen> look_at(const SkillSet& set, Embedder& embedder) {
  const Deadline patient;
  Seen seen;
  std::vector<std::string> phrases;
  for (const Skill& skill : set.skills) {
    SeenSkill one;
    for (const std::string& phrase : skill_phrases(skill)) {
      WEFT_TRY(Vector vector, embedder.embed(phrase, EmbedUse::kCompare, patient));
      one.conditions.push_back(std::move(vector));
      one.language = language_of(phrase);
      phrases.push_back(phrase);
    }
    seen.skills.push_back(std::move(one));
  }
  std::size_t unrelated = 0;
  for (const SkillTask& task : set.tasks) {
    if (task.held) continue;
    WEFT_TRY(Vector vector, embedder.embed(task.text, EmbedUse::kCompare, patient));
    SeenTask one{
        std::move(vector), language_of(task.text), task.skill, (task.skill ? *task.skill : unrelated++) % kFolds, {}};
    const auto words = WordLikeness().to_all(task.text, phrases);
    auto at = words.begin();
    for (const SeenSkill& skill : seen.skills) {
      const auto end = at + std::ssize(skill.conditions);
      one.words.push_back(*std::max_element(at, end));
      at = end;
    }
    seen.tasks.push_back(std::move(one));
  }
  return seen;
}

void add(Vector& sum, std::span<const float> vector) {
  sum.resize(vector.size());
  for (std::size_t i = 0; i < vector.size(); ++i) sum[i] += vector[i];
}

void divide(Vector& sum, std::size_t count) {
  for (float& number : sum) number /= static_cast<float>(std::max<std::size_t>(1, count));
}

void fit_means(const Seen& seen, LeftOut out, SkillWeights& weights) {
  std::array<std::size_t, 2> tasks{}, conditions{};
  for (const SeenTask& task : seen.tasks) {
    if (task.fold == out) continue;
    const auto at = static_cast<std::size_t>(task.language);
    add(weights.tasks[at], task.vector);
    ++tasks[at];
  }
  for (std::size_t i = 0; i < seen.skills.size(); ++i) {
    if (i % kFolds == out) continue;
    const auto at = static_cast<std::size_t>(seen.skills[i].language);
    for (const Vector& condition : seen.skills[i].conditions) add(weights.conditions[at], condition);
    conditions[at] += seen.skills[i].conditions.size();
  }
  for (std::size_t at = 0; at < 2; ++at) {
    divide(weights.tasks[at], tasks[at]);
    divide(weights.conditions[at], conditions[at]);
  }
}

using Table = std::vector<std::vector<double>>;  // [task][skill]

Table nearness_of_all(const Seen& seen, const Similarity& similarity, const SkillWeights& weights) {
  Table table;
  for (const SeenTask& task : seen.tasks) {
    auto& row = table.emplace_back();
    for (const SeenSkill& skill : seen.skills)
      row.push_back(raw_nearness(weights, similarity, task.vector, task.language, skill.conditions, skill.language));
  }
  return table;
}

void fit_chance(const Seen& seen, LeftOut out, const Table& near, SkillWeights& weights) {
  ByLanguages sum{}, squares{}, count{};
  for (std::size_t t = 0; t < seen.tasks.size(); ++t)
    for (std::size_t s = 0; s < seen.skills.size(); ++s) {
      if (seen.tasks[t].fold == out || s % kFolds == out || seen.tasks[t].skill == s) continue;
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
void fit_work(const Seen& seen, const std::vector<std::size_t>& from, SkillWeights& weights) {
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
std::vector<double> fit_work(const Seen& seen, LeftOut out, SkillWeights& weights) {
  std::vector<std::size_t> all;
  for (std::size_t t = 0; t < seen.tasks.size(); ++t)
    if (seen.tasks[t].fold != out) all.push_back(t);
  std::vector<double> work(seen.tasks.size());
  weights.work_share = 1;
  for (std::size_t part = 0; part < kFolds; ++part) {
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (i % kFolds != part) others.push_back(all[i]);
    fit_work(seen, others, weights);
    for (std::size_t i = part; i < all.size(); i += kFolds)
      work[all[i]] = work_in(weights, seen.tasks[all[i]].vector, seen.tasks[all[i]].language);
  }
  fit_work(seen, all, weights);
  return work;
}

struct Best {
  double value = -1e9;
  std::size_t skill = 0;
};

// `work`: of the task, by its share.
Best best_of(const Seen& seen, const Table& near, const SkillWeights& weights, std::size_t t, double work,
             std::optional<std::size_t> without = std::nullopt) {
  Best best;
  for (std::size_t s = 0; s < seen.skills.size(); ++s) {
    if (s == without) continue;
    const auto a = static_cast<std::size_t>(seen.tasks[t].language);
    const auto b = static_cast<std::size_t>(seen.skills[s].language);
    const double value =
        (near[t][s] - weights.chance[a][b]) / weights.deviation[a][b] + weights.words * seen.tasks[t].words[s] + work;
    if (value > best.value) best = {value, s};
  }
  return best;
}

// From which value on so large a share of unrelated tasks is told of a skill.
double cut_at(std::vector<double> unrelated, double share) {
  std::sort(unrelated.begin(), unrelated.end());
  const auto kept = static_cast<std::size_t>((1 - share) * static_cast<double>(unrelated.size()));
  return unrelated.empty() ? 0 : unrelated[std::min(kept, unrelated.size() - 1)];
}

// What a cut is worth: each task that is told of the right skill first counts two, and each that would be told of
// another one, were its own missing, takes one away. Else a request that is only work would be told of whatever is
// nearest.
struct Values {
  std::vector<double> unrelated, right, others;
};

std::int64_t worth(const Values& values, double cut) {
  const auto told = [cut](const std::vector<double>& all) {
    return std::count_if(all.begin(), all.end(), [cut](double value) { return value >= cut; });
  };
  return 2 * told(values.right) - told(values.others);
}

// Sets the cuts, and gives what they are worth.
std::int64_t fit_cuts(const Seen& seen, LeftOut out, const Table& near, std::span<const double> work,
                      SkillWeights& weights) {
  Values values;
  for (std::size_t t = 0; t < seen.tasks.size(); ++t) {
    const SeenTask& task = seen.tasks[t];
    if (task.fold == out) continue;
    const double share = weights.work_share * work[t];
    const Best best = best_of(seen, near, weights, t, share);
    if (!task.skill) {
      values.unrelated.push_back(best.value);
      continue;
    }
    if (task.skill == best.skill) values.right.push_back(best.value);
    values.others.push_back(task.skill == best.skill ? best_of(seen, near, weights, t, share, task.skill).value
                                                     : best.value);
  }
  double cut = cut_at(values.unrelated, kTold);
  for (const double value : values.right)
    if (value > cut && worth(values, value) > worth(values, cut)) cut = value;
  weights.refer = rounded(cut, 3);
  weights.follow = rounded(std::max(cut_at(values.unrelated, kToFollow), weights.refer + 0.3), 3);
  return worth(values, cut);
}

SkillWeights fit_without(const Seen& seen, LeftOut out, const Similarity& similarity, const std::string& embedder) {
  SkillWeights weights;
  weights.embedder = embedder;
  fit_means(seen, out, weights);
  const std::vector<double> work = fit_work(seen, out, weights);
  SkillWeights best = weights;
  std::int64_t most = std::numeric_limits<std::int64_t>::min();
  for (const double nearest : kNearest) {
    weights.nearest = nearest;
    const Table near = nearness_of_all(seen, similarity, weights);
    fit_chance(seen, out, near, weights);
    for (const double words : kWords)
      for (const double share : kWork) {
        weights.words = words;
        weights.work_share = share;
        if (const std::int64_t worth = fit_cuts(seen, out, near, work, weights); worth > most) {
          most = worth;
          best = weights;
        }
      }
  }
  return best;
}

void measure(const Seen& seen, LeftOut only, const Similarity& similarity, const SkillWeights& weights,
             SkillFitReport& report) {
  const Table near = nearness_of_all(seen, similarity, weights);
  for (std::size_t t = 0; t < seen.tasks.size(); ++t) {
    const SeenTask& task = seen.tasks[t];
    if (only && task.fold != only) continue;
    const Best best = best_of(seen, near, weights, t, work_in(weights, task.vector, task.language));
    report.ranked_first += task.skill == best.skill;
    const bool told = best.value >= weights.refer;
    (task.skill ? report.tasks : report.unrelated) += 1;
    if (!task.skill) report.told += told;
    if (task.skill) {
      const double work = work_in(weights, task.vector, task.language);
      report.without_told += best_of(seen, near, weights, t, work, task.skill).value >= weights.refer;
    }
    if (task.skill == best.skill) report.right_first += told;
  }
}

nlohmann::ordered_json json_of(const SkillFitReport& report) {
  return {{"tasks", report.tasks},
          {"right_first", report.right_first},
          {"ranked_first", report.ranked_first},
          {"without_own_told", report.without_told},
          {"unrelated", report.unrelated},
          {"unrelated_told", report.told}};
}

}  // namespace

Result<FittedSkills> fit_skills(const SkillSet& set, Embedder& embedder, const Similarity& similarity) {
  WEFT_TRY(const Seen seen, look_at(set, embedder));
  const std::string family = embedder.name().substr(0, embedder.name().rfind("-q"));
  FittedSkills fitted;
  for (std::size_t fold = 0; fold < kFolds; ++fold)
    measure(seen, fold, similarity, fit_without(seen, fold, similarity, family), fitted.left_out);
  fitted.weights = fit_without(seen, std::nullopt, similarity, family);
  measure(seen, std::nullopt, similarity, fitted.weights, fitted.fitted);
  fitted.source = fitted.weights.source();
  return fitted;
}

std::string to_json(const FittedSkills& fitted) {
  nlohmann::ordered_json json;
  json["nearest"] = fitted.weights.nearest;
  json["words"] = fitted.weights.words;
  json["work_share"] = fitted.weights.work_share;
  json["refer"] = fitted.weights.refer;
  json["follow"] = fitted.weights.follow;
  json["fitted"] = json_of(fitted.fitted);
  json["left_out"] = json_of(fitted.left_out);
  return write_json(json);
}

}  // namespace weft
