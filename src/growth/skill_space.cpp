#include "growth/skill_space.h"

#include <algorithm>
#include <cmath>

#include "base/strings.h"
#include "text/weight_file.h"

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

}  // namespace weft
