#include "growth/skill_match.h"

#include <algorithm>

#include "base/strings.h"
#include "text/utf8.h"

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

// Fitted on the tuning half of tests/data/skills: the share of words, and where the two cuts lie.
constexpr double kWordShare = 0.3;
constexpr Point kByMeaning[] = {{0, 0}, {0.6, kReferred}, {0.75, kFollowed}, {1, 1}};
constexpr Point kByWords[] = {{0, 0}, {0.6, kReferred}, {0.8, kFollowed}, {1, 1}};

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
  const auto meaning = likeness.by_meaning() ? likeness.to_all(task, phrases) : words;
  std::vector<SkillLikeness> all;
  std::size_t at = 0;
  for (const std::size_t end : ends) {
    SkillLikeness one;
    for (; at < end; ++at) {
      one.meaning = std::max(one.meaning, meaning[at]);
      one.words = std::max(one.words, words[at]);
    }
    all.push_back(one);
  }
  return all;
}

double fitness(const SkillLikeness& of, bool by_meaning) {
  if (!by_meaning) return along(kByWords, of.words);
  return along(kByMeaning, (1 - kWordShare) * of.meaning + kWordShare * of.words);
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
