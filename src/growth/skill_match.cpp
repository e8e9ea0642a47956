#include "growth/skill_match.h"

#include <algorithm>
#include <cmath>

#include "base/strings.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
namespace {

// One piece of a line: what lies between two of these goes evenly from one value to the other.
struct Point {
  double raw, scaled;
};

double along(std::span<const Point> curve, double raw) {
  if (raw <= curve.front().raw) return curve.front().scaled;
  for (std::size_t i = 1; i < curve.size(); ++i) {
    if (raw > curve[i].raw) continue;
    const double part = (raw - curve[i - 1].raw) / (curve[i].raw - curve[i - 1].raw);
    return curve[i - 1].scaled + part * (curve[i].scaled - curve[i - 1].scaled);
  }
  return curve.back().scaled;
}

// How near a task and a condition are that have nothing to do with each other, by their languages: texts of one
// language are nearer than those of two, whatever they say. On the scale of log odds; [task][condition], English and
// Chinese.
struct Chance {
  double mean, deviation;
};
constexpr Chance kByChance[2][2] = {{{0.60, 0.73}, {-0.16, 0.69}}, {{-0.04, 0.68}, {0.99, 0.71}}};

// Fitted on the tuning half of tests/data/skills, see `weft eval skills`: what shared words add to meaning, and where
// the two cuts lie.
constexpr double kWordShare = 0.5;
constexpr Point kByMeaning[] = {{0, 0}, {2.8, kReferred}, {3.5, kFollowed}, {6, 1}};
constexpr Point kByWords[] = {{0, 0}, {0.5, kReferred}, {0.75, kFollowed}, {1, 1}};

// How far above chance the likeness is, in deviations.
double above_chance(double likeness, Language task, Language condition) {
  constexpr double kEdge = 1e-6;
  const double inside = std::clamp(likeness, kEdge, 1 - kEdge);
  const Chance& chance = kByChance[task == Language::kChinese][condition == Language::kChinese];
  return (std::log(inside / (1 - inside)) - chance.mean) / chance.deviation;
}

constexpr std::size_t kLongestReference = 2000;

}  // namespace

std::vector<SkillLikeness> skill_likeness(const Likeness& likeness, std::span<const Skill> skills,
                                          std::string_view task) {
  std::vector<std::string> phrases;
  std::vector<std::size_t> ends;
  for (const Skill& skill : skills) {
    phrases.insert(phrases.end(), skill.trigger_conditions.begin(), skill.trigger_conditions.end());
    phrases.push_back(skill.name + ": " + skill.description);
    ends.push_back(phrases.size());
  }
  if (phrases.empty()) return {};
  const auto words = WordLikeness().to_all(task, phrases);
  const auto meaning = likeness.by_meaning() ? likeness.to_all(task, phrases) : std::vector<double>(words.size());
  const Language language = language_of(task);
  std::vector<SkillLikeness> all;
  std::size_t at = 0;
  for (const std::size_t end : ends) {
    SkillLikeness one;
    double best = 0, sum = 0;
    const double count = static_cast<double>(end - at);
    for (; at < end; ++at) {
      const double above = above_chance(meaning[at], language, language_of(phrases[at]));
      best = std::max(best, above);
      sum += above;
      one.words = std::max(one.words, words[at]);
    }
    one.meaning = (best + sum / count) / 2;
    all.push_back(one);
  }
  return all;
}

double fitness(const SkillLikeness& of, bool by_meaning) {
  if (!by_meaning) return along(kByWords, of.words);
  return along(kByMeaning, of.meaning + kWordShare * of.words);
}

std::vector<SkillMatch> match_skills(const Likeness& likeness, std::span<const Skill> skills, std::string_view task,
                                     std::size_t most) {
  const bool by_meaning = likeness.by_meaning();
  const auto all = skill_likeness(likeness, skills, task);
  std::vector<SkillMatch> matches;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double fits = fitness(all[i], by_meaning);
    if (fits < kReferred) continue;
    matches.push_back({skills[i], fits, fits >= kFollowed ? SkillUse::kFollow : SkillUse::kReference});
  }
  std::stable_sort(matches.begin(), matches.end(),
                   [](const SkillMatch& a, const SkillMatch& b) { return a.likeness > b.likeness; });
  if (matches.size() > most) matches.resize(most);
  return matches;
}

std::string skill_text(const SkillMatch& match, std::span<const std::string> resources) {
  const Skill& skill = match.skill;
  std::string text = "## " + skill.name + " [" + skill.skill_id + "]" +
                     (match.use == SkillUse::kFollow ? ": follow it" : ": a reference, follow it or not") + "\n" +
                     skill.description + "\n";
  for (std::size_t i = 0; i < skill.steps.size(); ++i) {
    const SkillStep& step = skill.steps[i];
    text += std::to_string(i + 1) + ". " + step.action + "\n";
    for (const std::string_view line : lines_of(step.details)) text += "   " + std::string(line) + "\n";
    for (std::size_t t = 0; t < step.tools.size(); ++t) text += (t == 0 ? "   tools: " : ", ") + step.tools[t];
    if (!step.tools.empty()) text += "\n";
  }
  if (skill.steps.empty())
    text +=
        (match.use == SkillUse::kFollow ? skill.body : std::string(cut_bytes(skill.body, kLongestReference))) + "\n";
  if (!resources.empty()) text += "Files to read or run only when needed:\n";
  for (const std::string& path : resources) text += "- " + path + "\n";
  return text;
}

}  // namespace weft
