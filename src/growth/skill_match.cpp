#include "growth/skill_match.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

#include "base/prompts.h"
#include "base/strings.h"
#include "model/message_reader.h"
#include "text/json.h"
#include "text/utf8.h"
#include "text/weight_file.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr std::array<std::string_view, 2> kLanguages{"english", "chinese"};

std::string entry_of(Language language, std::string_view what) {
  return std::string(kLanguages[static_cast<std::size_t>(language)]) + "_" + std::string(what);
}

ByLanguages pairs(const WeightFile& file, std::string_view name) {
  const auto flat = file.numbers(name, 4);
  return {{{flat[0], flat[1]}, {flat[2], flat[3]}}};
}

constexpr std::string_view kFolder = "skills/";

SkillWeights read_from(const WeightFile& file) {
  SkillWeights read;
  read.embedder = file.text("embedder");
  for (const Language language : {Language::kEnglish, Language::kChinese}) {
    const auto at = static_cast<std::size_t>(language);
    read.tasks[at] = file.scaled(entry_of(language, "tasks"), "step");
    read.conditions[at] = file.scaled(entry_of(language, "conditions"), "step");
  }
  read.chance = pairs(file, "chance");
  read.deviation = pairs(file, "deviation");
  read.nearest = file.number("nearest");
  read.words = file.number("words");
  read.crowd = file.number("crowd");
  read.work = file.scaled("work", "work_step");
  read.work_bias = file.number("work_bias");
  read.work_share = file.number("work_share");
  read.refer = file.number("refer");
  read.follow = file.number("follow");
  return read;
}

// Without the mean, of unit length.
Vector placed(std::span<const float> vector, const Vector& mean) {
  Vector own(vector.begin(), vector.end());
  if (mean.size() == own.size())
    for (std::size_t i = 0; i < own.size(); ++i) own[i] -= mean[i];
  make_unit_length(own);
  return own;
}

// The title and the whole count as much as all conditions together: none of them says enough alone.
double fitted_nearness(const SkillWeights& weights, std::span<const float> task, Language task_language,
                       std::span<const Vector> phrases, Language phrase_language) {
  const Vector own = placed(task, weights.tasks[static_cast<std::size_t>(task_language)]);
  Vector sum(own.size());
  double best = -1, mean = 0;
  const std::size_t conditions = phrases.size() - std::min<std::size_t>(phrases.size(), 2);
  for (std::size_t p = 0; p < phrases.size(); ++p) {
    const Vector theirs = placed(phrases[p], weights.conditions[static_cast<std::size_t>(phrase_language)]);
    const double near = cosine(own, theirs);
    best = std::max(best, near);
    mean += near / static_cast<double>(phrases.size());
    const float share = p < conditions ? 1.0F / static_cast<float>(conditions) : 1.0F;
    for (std::size_t i = 0; i < sum.size() && i < theirs.size(); ++i) sum[i] += share * theirs[i];
  }
  return (make_unit_length(sum) ? cosine(own, sum) : mean) + weights.nearest * best;
}

// The logarithm of the odds that a calibrated similarity gives. The whole has no part in it: it was made without.
double general_nearness(const SkillWeights& weights, const Similarity& similarity, std::span<const float> task,
                        Language task_language, std::span<const Vector> phrases, Language phrase_language) {
  const Vector own = similarity.centre(task, task_language);
  const auto parts = phrases.size() > 1 ? phrases.first(phrases.size() - 1) : phrases;
  double best = -1, mean = 0;
  for (const Vector& phrase : parts) {
    const double near = cosine(own, similarity.centre(phrase, phrase_language));
    best = std::max(best, near);
    mean += near / static_cast<double>(parts.size());
  }
  const double even = (mean + weights.nearest * best) / (1 + weights.nearest);
  constexpr double kEdge = 1e-6;
  const double inside = std::clamp(similarity.scale(even), kEdge, 1 - kEdge);
  return std::log(inside / (1 - inside));
}

}  // namespace

const SkillWeights* SkillWeights::fitted_for(std::string_view name) {
  static const std::vector<SkillWeights> shipped = [] {
    std::vector<SkillWeights> read;
    for (const ShippedWeights& file : std::span(shipped_weights_list, shipped_weights_count))
      if (file.id.starts_with(kFolder)) read.push_back(read_from(shipped_weights(file.id)));
    return read;
  }();
  const std::string wanted = lowered(name);
  const auto found = std::find_if(shipped.begin(), shipped.end(), [&](const SkillWeights& one) {
    return wanted.find(one.embedder) != std::string::npos;
  });
  return found == shipped.end() ? nullptr : &*found;
}

Result<SkillWeights> SkillWeights::parse(std::string_view source, const std::string& path) {
  WEFT_TRY(const WeightFile file, read_weight_file(source, path));
  try {
    SkillWeights read = read_from(file);
    const auto fits = [&](const Vector& vector) { return vector.size() == read.work.size(); };
    if (!std::all_of(read.tasks.begin(), read.tasks.end(), fits) ||
        !std::all_of(read.conditions.begin(), read.conditions.end(), fits))
      return invalid_argument(path + ": its vectors are not of one length", "fit it anew");
    return read;
  } catch (const std::logic_error& error) {
    return invalid_argument(error.what(), "tools/fit/skills.py writes such a file");
  }
}

// Of the logarithm of the odds that a calibrated similarity gives, on the tuning half of tests/data/skills.
const SkillWeights& SkillWeights::general() {
  static const SkillWeights made = [] {
    SkillWeights weights;
    weights.chance = {{{0.60, -0.16}, {-0.04, 0.99}}};
    weights.deviation = {{{0.73, 0.69}, {0.68, 0.71}}};
    weights.nearest = 1;
    weights.words = 0.5;
    weights.refer = 2.8;
    weights.follow = 3.5;
    return weights;
  }();
  return made;
}

const SkillWeights& SkillWeights::of_embedder(std::string_view name) {
  const SkillWeights* fitted = fitted_for(name);
  return fitted != nullptr ? *fitted : general();
}

double raw_nearness(const SkillWeights& weights, const Similarity& similarity, std::span<const float> task,
                    Language task_language, std::span<const Vector> phrases, Language phrase_language) {
  return weights.embedder.empty() ? general_nearness(weights, similarity, task, task_language, phrases, phrase_language)
                                  : fitted_nearness(weights, task, task_language, phrases, phrase_language);
}

double crowding(const SkillWeights& weights, std::size_t skills) {
  return skills < 2 ? 0 : weights.crowd * std::sqrt(std::log(static_cast<double>(skills)));
}

Vector task_place(const SkillWeights& weights, std::span<const float> task, Language language) {
  return placed(task, weights.tasks[static_cast<std::size_t>(language)]);
}

double work_in(const SkillWeights& weights, std::span<const float> task, Language language) {
  if (weights.work.size() != task.size()) return 0;
  const Vector own = task_place(weights, task, language);
  double sum = weights.work_bias;
  for (std::size_t i = 0; i < own.size(); ++i) sum += static_cast<double>(own[i]) * weights.work[i];
  return weights.work_share * sum;
}

double nearness(const SkillWeights& weights, const Similarity& similarity, std::span<const float> task,
                Language task_language, std::span<const Vector> phrases, Language phrase_language) {
  const auto a = static_cast<std::size_t>(task_language), b = static_cast<std::size_t>(phrase_language);
  return (raw_nearness(weights, similarity, task, task_language, phrases, phrase_language) - weights.chance[a][b]) /
         weights.deviation[a][b];
}

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

namespace {

using Json = nlohmann::json;

constexpr const char* kSchema =
    R"({"type":"object","required":["skills"],"properties":{"skills":{"type":"array","maxItems":5,
"items":{"type":"string"}}}})";
// How much of a skill is shown: characters of each text, and how many conditions.
constexpr std::size_t kShownText = 300, kShownConditions = 6;
constexpr std::size_t kLongestTask = 2000, kAnswerBytes = 16 * 1024;
constexpr std::int64_t kAnswerTokens = 256;

Json told(const Skill& skill) {
  Json one{{"id", skill.skill_id}, {"name", preview(skill.name, kShownText)}, {"when", Json::array()}};
  one["what"] = preview(skill.description, kShownText);
  for (const std::string& condition : skill.trigger_conditions)
    if (one["when"].size() < kShownConditions) one["when"].push_back(preview(condition, kShownText));
  return one;
}

ChatRequest request_for(std::string_view question, std::string_view task, std::span<const SkillMatch> ranked) {
  Json data{{"task", preview(task, kLongestTask)}, {"procedures", Json::array()}};
  for (const SkillMatch& match : ranked) data["procedures"].push_back(told(match.skill));
  ChatRequest request;
  request.json_schema = kSchema;
  request.max_tokens = kAnswerTokens;
  request.messages = {make_message(Role::kSystem, std::string(question)),
                      make_message(Role::kUser, data.dump(1, ' ', false, Json::error_handler_t::replace))};
  return request;
}

// The named ones in the order of the answer; an id that was not shown makes the whole answer worthless.
Result<std::vector<SkillMatch>> read_choice(std::string_view answer, std::span<const SkillMatch> ranked) {
  WEFT_TRY(const Json json, read_json(answer, {.max_bytes = kAnswerBytes, .max_depth = 4}, "choice of skills"));
  const auto list = json.is_object() ? json.find("skills") : json.end();
  if (!json.is_object() || list == json.end() || !list->is_array())
    return invalid_argument("the answer is no object with skills");
  std::vector<SkillMatch> chosen;
  for (const Json& id : *list) {
    const auto named = [&](const SkillMatch& match) {
      return id.is_string() && id.get_ref<const std::string&>() == match.skill.skill_id;
    };
    const auto found = std::find_if(ranked.begin(), ranked.end(), named);
    if (found == ranked.end()) return invalid_argument("the answer names a skill that was not shown");
    if (std::none_of(chosen.begin(), chosen.end(), named)) chosen.push_back(*found);
  }
  return chosen;
}

Result<SkillChoice> by_name(ChatModel& model, std::string_view task, std::span<const SkillMatch> shown,
                            const Deadline& deadline) {
  const Prompt prompt = shipped_prompt("skills", language_of(task) == Language::kChinese ? "zh" : "en");
  WEFT_TRY(const ChatReply reply, model.complete(request_for(prompt.text, task, shown), deadline));
  WEFT_TRY(auto chosen, read_choice(reply.message.content, shown));
  return SkillChoice{std::move(chosen), prompt.id + ", " + model.name(), {}};
}

}  // namespace

SkillChoice chosen_by_ranking(std::span<const SkillMatch> ranked, std::size_t most) {
  SkillChoice choice;
  choice.by = "ranking";
  for (const SkillMatch& match : ranked)
    if (match.likeness >= kReferred && choice.matches.size() < most) choice.matches.push_back(match);
  return choice;
}

SkillChoice chosen_by_model(ChatModel& model, std::string_view task, std::span<const SkillMatch> ranked,
                            std::size_t most, const Deadline& deadline) {
  SkillChoice floor = chosen_by_ranking(ranked, most);
  const auto shown = ranked.first(std::min(ranked.size(), kChosenAmong));
  if (shown.empty() || shown.front().likeness < kWorthAsking) return floor;
  auto chosen = by_name(model, task, shown, deadline);
  if (!chosen.ok()) {
    floor.failed = chosen.error().message;
    return floor;
  }
  if (chosen->matches.size() > most) chosen->matches.resize(most);
  for (SkillMatch& match : chosen->matches) match.likeness = std::max(match.likeness, kReferred);
  return std::move(*chosen);
}

}  // namespace weft
