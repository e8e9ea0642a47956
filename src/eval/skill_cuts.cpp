#include "eval/skill_cuts.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace weft {
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

}  // namespace weft
