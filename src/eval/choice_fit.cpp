#include "eval/choice_fit.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "eval/logistic_fit.h"
#include "text/json.h"
#include "text/weight_file.h"

namespace weft {
namespace {

constexpr double kMostTold = 0.06, kLeastCut = 0.1;
constexpr std::size_t kParts = 5;
constexpr int kDigits = 4;

// What speaks for one of the shown skills, or for none of them: ranking, wording, and that it is none.
SignalRow signals_of(const WeighedTask& task, std::size_t place) {
  const bool none = place == task.likeness.size();
  return {none ? 0 : task.likeness[place], task.wording[place], none ? 1. : 0.};
}

SignalRow difference(SignalRow of, const SignalRow& from) {
  for (std::size_t i = 0; i < of.size(); ++i) of[i] -= from[i];
  return of;
}

ChoiceWeights fitted_on(const std::vector<WeighedTask>& tasks) {
  std::vector<SignalRow> rows;
  std::vector<double> counts;
  for (const WeighedTask& task : tasks) {
    if (task.shown.empty()) continue;
    const SignalRow right = signals_of(task, task.right());
    for (std::size_t i = 0; i <= task.likeness.size(); ++i) {
      if (i == task.right()) continue;
      rows.push_back(difference(right, signals_of(task, i)));
      counts.push_back(1. / static_cast<double>(task.likeness.size()));
    }
  }
  const auto found = fit_logistic(rows, std::vector<bool>(rows.size(), true), counts, {0.01, 0.01, 0.01});
  return {found[0], found[1], found[2], 0};
}

struct First {
  double chance = 0;
  std::size_t place = 0;
};

First first_of(const WeighedTask& task, const ChoiceWeights& weights) {
  if (task.shown.empty()) return {-1, 0};
  const auto chances = choice_chances(task.likeness, task.wording, weights);
  const auto best = std::max_element(chances.begin(), chances.end() - 1);
  return {*best, static_cast<std::size_t>(best - chances.begin())};
}

double cut_of(const std::vector<WeighedTask>& tasks, const ChoiceWeights& weights) {
  std::vector<double> unrelated;
  for (const WeighedTask& task : tasks)
    if (!task.skill) unrelated.push_back(first_of(task, weights).chance);
  std::sort(unrelated.rbegin(), unrelated.rend());
  const auto may = static_cast<std::size_t>(kMostTold * static_cast<double>(unrelated.size()));
  return unrelated.size() > may ? std::max(kLeastCut, std::nextafter(unrelated[may], 1.)) : kLeastCut;
}

ChoiceWeights with_cut(const std::vector<WeighedTask>& tasks) {
  ChoiceWeights weights = fitted_on(tasks);
  for (double* one : {&weights.ranking, &weights.wording, &weights.none}) *one = rounded(*one, kDigits);
  // Up: rounded down, one more would be told.
  const double step = std::pow(10., -kDigits);
  weights.told = rounded(cut_of(tasks, weights) + step / 2, kDigits);
  return weights;
}

void add(ChoiceTally& all, const ChoiceTally& more) {
  all.tasks += more.tasks;
  all.right += more.right;
  all.wrong += more.wrong;
  all.unrelated += more.unrelated;
  all.told += more.told;
}

// All tasks of a skill are of one part; those without one are dealt out.
ChoiceTally unseen_tally(const std::vector<WeighedTask>& tasks) {
  ChoiceTally all;
  for (std::size_t part = 0; part < kParts; ++part) {
    std::vector<WeighedTask> seen, left_out;
    for (const WeighedTask& task : tasks)
      (task.skill.value_or(task.task) % kParts == part ? left_out : seen).push_back(task);
    if (!left_out.empty() && !seen.empty()) add(all, choice_tally(left_out, with_cut(seen)));
  }
  return all;
}

nlohmann::ordered_json json_of(const ChoiceTally& tally) {
  return {{"tasks", tally.tasks},
          {"right_first", tally.right},
          {"wrong_first", tally.wrong},
          {"unrelated", tally.unrelated},
          {"unrelated_told", tally.told}};
}

}  // namespace

ChoiceTally choice_tally(const std::vector<WeighedTask>& tasks, const ChoiceWeights& weights) {
  ChoiceTally tally;
  for (const WeighedTask& task : tasks) {
    const First first = first_of(task, weights);
    const bool told = first.chance >= weights.told;
    (task.skill ? tally.tasks : tally.unrelated) += 1;
    if (!task.skill) tally.told += told;
    if (task.skill && told) (first.place == task.right() ? tally.right : tally.wrong) += 1;
  }
  return tally;
}

Result<ChoiceFit> fit_choice(const std::vector<WeighedTask>& tasks) {
  if (tasks.empty()) return invalid_argument("there are no tasks to fit on", "their \"tuning\" tasks count");
  ChoiceFit fit;
  fit.weights = with_cut(tasks);
  fit.fitted = choice_tally(tasks, fit.weights);
  fit.unseen = unseen_tally(tasks);
  fit.source = fit.weights.source();
  return fit;
}

std::string to_json(const ChoiceFit& fit) {
  nlohmann::ordered_json json{{"fitted", json_of(fit.fitted)}, {"unseen", json_of(fit.unseen)}};
  if (fit.held) json["held"] = json_of(*fit.held);
  return write_json(json);
}

}  // namespace weft
