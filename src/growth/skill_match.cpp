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

constexpr Point kByWords[] = {{0, 0}, {0.5, kReferred}, {0.75, kFollowed}, {1, 1}};
constexpr double kSure = 2.5;  // so far behind the second cut there is no doubt left

constexpr std::size_t kLongestReference = 2000;

}  // namespace

std::vector<SkillLikeness> skill_likeness(const Likeness& likeness, std::span<const Skill> skills,
                                          std::string_view task) {
  std::vector<std::string> texts{std::string(task)};
  std::vector<std::size_t> ends;
  for (const Skill& skill : skills) {
    for (std::string& phrase : skill_phrases(skill)) texts.push_back(std::move(phrase));
    ends.push_back(texts.size());
  }
  if (skills.empty()) return {};
  const std::span phrases = std::span(texts).subspan(1);
  const auto words = WordLikeness().to_all(task, phrases);
  const TextVectors found = likeness.vectors(texts);
  const bool any = found.vectors.size() == texts.size() && found.similarity != nullptr && !found.vectors[0].empty();
  const SkillWeights& weights = SkillWeights::of_embedder(found.embedder);
  const double work = any ? work_in(weights, found.vectors[0], language_of(task)) : 0;
  std::vector<SkillLikeness> all;
  std::size_t at = 1;
  for (const std::size_t end : ends) {
    SkillLikeness one;
    one.words = *std::max_element(words.begin() + static_cast<std::ptrdiff_t>(at - 1),
                                  words.begin() + static_cast<std::ptrdiff_t>(end - 1));
    const auto conditions = any ? std::span(found.vectors).subspan(at, end - at) : std::span<const Vector>();
    one.by_meaning =
        any && std::none_of(conditions.begin(), conditions.end(), [](const Vector& vector) { return vector.empty(); });
    if (one.by_meaning)
      one.meaning = nearness(weights, *found.similarity, found.vectors[0], language_of(task), conditions,
                             language_of(texts[end - 1]));
    one.work = work;
    one.fits = fitness(one, weights);
    all.push_back(one);
    at = end;
  }
  return all;
}

double fitness(const SkillLikeness& of, const SkillWeights& weights) {
  if (!of.by_meaning) return along(kByWords, of.words);
  const Point curve[] = {{0, 0}, {weights.refer, kReferred}, {weights.follow, kFollowed}, {weights.follow + kSure, 1}};
  return along(curve, of.meaning + weights.words * of.words + of.work);
}

std::vector<std::string> skill_phrases(const Skill& skill) {
  std::vector<std::string> phrases = skill.trigger_conditions;
  phrases.push_back(skill.name + ": " + skill.description);
  return phrases;
}

std::vector<SkillMatch> match_skills(const Likeness& likeness, std::span<const Skill> skills, std::string_view task,
                                     std::size_t most) {
  const auto all = skill_likeness(likeness, skills, task);
  std::vector<SkillMatch> matches;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double fits = all[i].fits;
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
                     (match.use == SkillUse::kFollow ? ": follow it" : ": a reference, follow it or not") +
                     (skill.stage == LifeStage::kProbation ? "; on trial, not proven yet" : "") + "\n" +
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
