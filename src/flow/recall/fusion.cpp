#include "flow/recall/fusion.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace weft {
namespace {

/// Both arms in one number: shares of the best hit by words, deviations of the cosines.
void fuse_base(const ArmScores& arms, const ScoreScale& scale, const Recipe& recipe, std::vector<float>& base) {
  base.resize(arms.visible.size());
  const float words = scale.best_words > 0 ? static_cast<float>(recipe.words) / scale.best_words : 0;
  const float vector = scale.deviation > 0 ? static_cast<float>(recipe.vector) / scale.deviation : 0;
  const float mean = scale.mean;
  if (arms.all_embedded) {
    for (std::size_t i = 0; i < base.size(); ++i) base[i] = arms.words[i] * words + (arms.vector[i] - mean) * vector;
  } else {
    for (std::size_t i = 0; i < base.size(); ++i)
      base[i] = arms.words[i] * words + static_cast<float>(arms.embedded[i]) * (arms.vector[i] - mean) * vector;
  }
}

/// A message is found for what stands around it: an answer for its question, a reply for the story it replies to.
/// Long messages speak for themselves.
void fuse_neighbours(const Shelf& shelf, const Recipe& recipe, const std::vector<float>& base,
                     std::vector<float>& out) {
  const Shelf::Units& units = shelf.units();
  out.assign(units.size(), 0.0f);
  const auto first = static_cast<float>(recipe.neighbour), second = static_cast<float>(recipe.second_neighbour);
  const auto context = static_cast<float>(recipe.context_words);
  if (first == 0 && second == 0) return;
  const auto from = [&](const std::vector<std::uint32_t>& neighbour, std::size_t unit) {
    const std::uint32_t one = neighbour[unit];
    if (one == Shelf::kNone) return 0.0f;
    const std::uint32_t two = neighbour[one];
    return first * base[one] + (two != Shelf::kNone ? second * base[two] : 0.0f);
  };
  for (std::size_t i = 0; i < units.size(); ++i) {
    const float sum = from(units.previous, i) + from(units.next, i);
    const auto words = static_cast<float>(units.words[i]);
    out[i] = words > context ? sum * context / words : sum;
  }
}

/// The best of each session lifts all of it.
void fuse_sessions(const Shelf& shelf, const Recipe& recipe, const ArmScores& arms, FusedScores& fused) {
  const Shelf::Units& units = shelf.units();
  auto& best = fused.sessions;
  best.assign(shelf.sessions(), 0.0f);
  if (recipe.session == 0) return;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const float score = fused.base[i] + fused.neighbours[i];
    float& most = best[units.session[i]];
    if (score > most && arms.visible[i] != 0) most = score;
  }
  for (float& score : best) score *= static_cast<float>(recipe.session);
}

/// 2 for each unit on one of the days, 1 on the day before or after if single days are meant, else 0.
std::vector<std::uint8_t> units_on(const Shelf& shelf, const std::vector<DayRange>& ranges) {
  const Shelf::Units& units = shelf.units();
  std::vector<std::uint8_t> hits(units.size(), 0);
  for (const DayRange& range : ranges) {
    const std::int32_t margin = range.from == range.to ? 1 : 0;
    for (std::size_t i = 0; i < hits.size(); ++i) {
      const std::int32_t day = units.day[i];
      const bool inside = day >= range.from && day <= range.to,
                 near = day >= range.from - margin && day <= range.to + margin;
      hits[i] = std::max<std::uint8_t>(hits[i], static_cast<std::uint8_t>((inside ? 1 : 0) + (near ? 1 : 0)));
    }
    // Without a margin what is near is inside, so that 1 never stands alone.
  }
  return hits;
}

/// Days that a question names weigh like a rare word does: a day of the year much, a whole year little. Of several days
/// the one that says most counts.
void fuse_days(const Shelf& shelf, const Recipe& recipe, const QueryHints& hints, const ArmScores& arms,
               std::vector<float>& out) {
  out.clear();
  if (recipe.day == 0) return;
  std::vector<std::vector<DayRange>> spans;
  for (const NamedDays& named : hints.days)
    spans.push_back(day_ranges(named, shelf.first_day() - 1, shelf.last_day() + 1));
  for (const DayRange& range : hints.ranges) spans.push_back({range});
  for (const auto& ranges : spans) {
    const auto hits = units_on(shelf, ranges);
    std::size_t all = 0, inside = 0;
    for (std::size_t i = 0; i < hits.size(); ++i) {
      all += arms.visible[i];
      inside += arms.visible[i] & (hits[i] >> 1);
    }
    if (inside == 0) continue;
    const double rarity = std::log(1 + (static_cast<double>(all - inside) + 0.5) / (static_cast<double>(inside) + 0.5));
    const auto full = static_cast<float>(recipe.day * rarity);
    const std::array<float, 3> weight{0, static_cast<float>(recipe.near_day) * full, full};
    out.resize(hits.size(), 0.0f);
    for (std::size_t i = 0; i < hits.size(); ++i) out[i] = std::max(out[i], weight[hits[i]]);
  }
}

/// In the sessions of somebody who is named, what the others say counts less.
void fuse_speakers(const Shelf& shelf, const Recipe& recipe, const QueryHints& hints, std::vector<float>& out) {
  out.clear();
  if (hints.speakers.empty() || recipe.other_speaker == 0) return;
  const Shelf::Units& units = shelf.units();
  std::vector<std::uint8_t> named(shelf.speakers().size(), 0), sessions(shelf.sessions(), 0);
  for (const std::uint16_t speaker : hints.speakers) named[speaker] = 1;
  for (std::size_t i = 0; i < units.size(); ++i) sessions[units.session[i]] |= named[units.speaker[i]];
  out.resize(units.size());
  const auto less = static_cast<float>(-recipe.other_speaker);
  for (std::size_t i = 0; i < units.size(); ++i)
    out[i] = named[units.speaker[i]] == 0 && sessions[units.session[i]] != 0 ? less : 0.0f;
}

/// What a message is worth before anything is asked: by its length, whether it only asks, and whether the model said
/// it.
class Prior {
 public:
  explicit Prior(const Recipe& recipe) : by_length_(1, 0.0f) {
    const auto weight = static_cast<float>(recipe.substance),
               most = static_cast<float>(recipe.substance_cap * recipe.substance);
    while (weight > 0 && by_length_.back() < most)
      by_length_.push_back(std::min(most, weight * std::log1p(static_cast<float>(by_length_.size()))));
    for (std::size_t traits = 0; traits < by_traits_.size(); ++traits)
      by_traits_[traits] = static_cast<float>(((traits & Shelf::kQuestion) != 0 ? -recipe.question : 0) +
                                              ((traits & Shelf::kAssistant) != 0 ? -recipe.assistant : 0));
  }
  float substance(std::size_t words) const { return by_length_[std::min(words, by_length_.size() - 1)]; }
  float traits(std::uint8_t traits) const { return by_traits_[traits & 7]; }

 private:
  std::vector<float> by_length_;  ///< the cap is reached at few words, so this is short
  std::array<float, 8> by_traits_{};
};

void sum_up(const Shelf& shelf, const ArmScores& arms, const Recipe& recipe, FusedScores& fused) {
  const Shelf::Units& units = shelf.units();
  const Prior prior(recipe);
  auto& total = fused.total;
  total.resize(units.size());
  for (std::size_t i = 0; i < total.size(); ++i)
    total[i] = fused.base[i] + fused.neighbours[i] + fused.sessions[units.session[i]] +
               prior.substance(units.words[i]) + prior.traits(units.traits[i]);
  for (std::size_t i = 0; i < fused.days.size(); ++i) total[i] += fused.days[i];
  for (std::size_t i = 0; i < fused.speakers.size(); ++i) total[i] += fused.speakers[i];
  if (arms.all_embedded) return;
  for (std::size_t i = 0; i < total.size(); ++i) {
    const bool found = arms.words[i] != 0 || arms.embedded[i] != 0 || fused.neighbours[i] != 0 ||
                       (!fused.days.empty() && fused.days[i] != 0);
    if (arms.visible[i] == 0 || !found) total[i] = -std::numeric_limits<float>::infinity();
  }
}

}  // namespace

ScoreScale measure_scale(std::span<const ArmScores* const> shelves) {
  ScoreScale scale;
  double sum = 0, squares = 0;
  std::size_t count = 0;
  for (const ArmScores* arms : shelves) {
    for (const float words : arms->words) scale.best_words = words > scale.best_words ? words : scale.best_words;
    // What is not embedded or hidden has 0. Sums of stretches in single precision, which is quicker, are exact enough.
    constexpr std::size_t kStretch = 1024;
    for (std::size_t begin = 0; begin < arms->vector.size(); begin += kStretch) {
      const std::size_t end = std::min(begin + kStretch, arms->vector.size());
      float part = 0, part_squares = 0;
      for (std::size_t i = begin; i < end; ++i) {
        part += arms->vector[i];
        part_squares += arms->vector[i] * arms->vector[i];
      }
      sum += part;
      squares += part_squares;
    }
    count += arms->all_embedded ? arms->embedded.size()
                                : static_cast<std::size_t>(std::count(arms->embedded.begin(), arms->embedded.end(), 1));
  }
  scale.count = count;
  if (count < 2) return scale;
  const double mean = sum / static_cast<double>(count);
  scale.mean = static_cast<float>(mean);
  // Below this the cosines are all equal but for rounding.
  const double variance = squares / static_cast<double>(count) - mean * mean;
  scale.deviation = variance > 1e-9 ? static_cast<float>(std::sqrt(variance)) : 0;
  return scale;
}

void fuse(const Shelf& shelf, const ArmScores& arms, const ScoreScale& scale, const QueryHints& hints,
          const Recipe& recipe, FusedScores& fused) {
  fuse_base(arms, scale, recipe, fused.base);
  fuse_neighbours(shelf, recipe, fused.base, fused.neighbours);
  fuse_sessions(shelf, recipe, arms, fused);
  fuse_days(shelf, recipe, hints, arms, fused.days);
  fuse_speakers(shelf, recipe, hints, fused.speakers);
  sum_up(shelf, arms, recipe, fused);
}

std::vector<Signal> explain(const Shelf& shelf, std::size_t unit, const ArmScores& arms, const ScoreScale& scale,
                            const Recipe& recipe, const FusedScores& fused) {
  const Shelf::Units& units = shelf.units();
  const Prior prior(recipe);
  std::vector<Signal> signals;
  const auto add = [&signals](const char* name, double value, double share) {
    if (share != 0) signals.push_back({name, value, share});
  };
  const double words = scale.best_words > 0 ? arms.words[unit] / scale.best_words : 0;
  const double deviations = scale.deviation > 0 ? (arms.vector[unit] - scale.mean) / scale.deviation : 0;
  add("words", arms.words[unit], recipe.words * words);
  if (arms.embedded[unit] != 0) add("vector", arms.vector[unit], recipe.vector * deviations);
  add("neighbours", fused.neighbours[unit], fused.neighbours[unit]);
  const double session = fused.sessions[units.session[unit]];
  add("session", recipe.session > 0 ? session / recipe.session : 0, session);
  if (!fused.days.empty()) add("days", recipe.day > 0 ? fused.days[unit] / recipe.day : 0, fused.days[unit]);
  if (!fused.speakers.empty()) add("speaker", 1, fused.speakers[unit]);
  add("substance", units.words[unit], prior.substance(units.words[unit]));
  add("question", 1, prior.traits(units.traits[unit] & Shelf::kQuestion));
  add("assistant", 1, prior.traits(units.traits[unit] & Shelf::kAssistant));
  return signals;
}

}  // namespace weft
