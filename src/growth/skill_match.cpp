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
constexpr double kFar = 3;     // and so far before the first no likeness

constexpr std::size_t kLongestReference = 2000;

// Of each skill the most that its conditions or its title share with the task. The whole would share no more.
std::vector<double> shared_words(std::string_view task, std::span<const std::vector<std::string>> phrases) {
  std::vector<std::string> all;
  std::vector<std::size_t> counts;
  for (const auto& of_skill : phrases) {
    counts.push_back(of_skill.size() - (of_skill.size() > 1 ? 1 : 0));
    all.insert(all.end(), of_skill.begin(), of_skill.begin() + static_cast<std::ptrdiff_t>(counts.back()));
  }
  const auto words = WordLikeness().to_all(task, all);
  std::vector<double> most;
  auto at = words.begin();
  for (const std::size_t count : counts) {
    most.push_back(*std::max_element(at, at + static_cast<std::ptrdiff_t>(count)));
    at += static_cast<std::ptrdiff_t>(count);
  }
  return most;
}

}  // namespace

std::vector<SkillLikeness> skill_likeness(const Likeness& likeness, std::span<const Skill> skills,
                                          std::string_view task, const SkillWeights* own) {
  if (skills.empty()) return {};
  std::vector<std::vector<std::string>> phrases;
  std::vector<std::string> texts{std::string(task)};
  for (const Skill& skill : skills) {
    phrases.push_back(skill_phrases(skill));
    texts.insert(texts.end(), phrases.back().begin(), phrases.back().end());
  }
  const auto words = shared_words(task, phrases);
  const TextVectors found = likeness.vectors(texts);
  const bool any = found.vectors.size() == texts.size() && found.similarity != nullptr && !found.vectors[0].empty();
  const SkillWeights& weights = own != nullptr ? *own : SkillWeights::of_embedder(found.embedder);
  const double work = any ? work_in(weights, found.vectors[0], language_of(task)) : 0;
  std::vector<SkillLikeness> all;
  std::size_t at = 1;
  for (std::size_t i = 0; i < phrases.size(); ++i) {
    SkillLikeness one;
    one.words = words[i];
    const auto said = any ? std::span(found.vectors).subspan(at, phrases[i].size()) : std::span<const Vector>();
    one.by_meaning = any && std::none_of(said.begin(), said.end(), [](const Vector& vector) { return vector.empty(); });
    if (one.by_meaning)
      one.meaning = nearness(weights, *found.similarity, found.vectors[0], language_of(task), said,
                             language_of(phrases[i].back()));
    one.work = work;
    all.push_back(one);
    at += phrases[i].size();
  }
  const auto crowd = std::count_if(all.begin(), all.end(), [](const SkillLikeness& one) { return one.by_meaning; });
  for (SkillLikeness& one : all) {
    one.crowd = crowding(weights, static_cast<std::size_t>(crowd));
    one.fits = fitness(one, weights);
  }
  return all;
}

double fitness(const SkillLikeness& of, const SkillWeights& weights) {
  if (!of.by_meaning) return along(kByWords, of.words);
  const Point curve[] = {
      {weights.refer - kFar, 0}, {weights.refer, kReferred}, {weights.follow, kFollowed}, {weights.follow + kSure, 1}};
  return along(curve, of.meaning + weights.words * of.words + of.work - of.crowd);
}

std::vector<std::string> skill_phrases(const Skill& skill) {
  std::vector<std::string> phrases = skill.trigger_conditions;
  const std::string title = skill.name + ": " + skill.description;
  std::string whole = title;
  for (const std::string& condition : skill.trigger_conditions) whole += ". " + condition;
  phrases.push_back(title);
  if (phrases.size() > 1) phrases.push_back(std::move(whole));
  return phrases;
}

std::vector<SkillMatch> match_skills(const Likeness& likeness, std::span<const Skill> skills, std::string_view task,
                                     std::size_t most, double least, const SkillWeights* weights) {
  const auto all = skill_likeness(likeness, skills, task, weights);
  std::vector<SkillMatch> matches;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double fits = all[i].fits;
    if (fits < least) continue;
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
