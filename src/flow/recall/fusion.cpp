#include "flow/recall/fusion.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace weft {
namespace {

float scaled_words(float words, const ScoreScale& scale) { return scale.best_words > 0 ? words / scale.best_words : 0; }
float scaled_vector(float cosine, const ScoreScale& scale) {
  return scale.deviation > 0 ? (cosine - scale.mean) / scale.deviation : 0;
}

void fuse_base(const ArmScores& arms, const ScoreScale& scale, const Recipe& recipe, std::vector<float>& base) {
  base.resize(arms.visible.size());
  const float words = scale.best_words > 0 ? static_cast<float>(recipe.words) / scale.best_words : 0;
  const float vector = scale.deviation > 0 ? static_cast<float>(recipe.vector) / scale.deviation : 0;
  for (std::size_t i = 0; i < base.size(); ++i) {
    const float by_vector = arms.embedded[i] != 0 ? (arms.vector[i] - scale.mean) * vector : 0.0f;
    base[i] = arms.words[i] * words + by_vector;
  }
}

/// A message is found for what stands around it: an answer for its question, a reply for the story it replies to.
void fuse_neighbours(const Shelf& shelf, const Recipe& recipe, const std::vector<float>& base, std::vector<float>& out) {
  const auto units = shelf.units();
  out.assign(units.size(), 0.0f);
  const auto first = static_cast<float>(recipe.neighbour), second = static_cast<float>(recipe.second_neighbour);
  const auto context = static_cast<float>(recipe.context_words);
  if (first == 0 && second == 0) return;
  for (std::size_t i = 0; i < units.size(); ++i) {
    float sum = 0;
    if (const auto one = units[i].previous; one != Shelf::kNone) {
      sum += first * base[one];
      if (const auto two = units[one].previous; two != Shelf::kNone) sum += second * base[two];
    }
    if (const auto one = units[i].next; one != Shelf::kNone) {
      sum += first * base[one];
      if (const auto two = units[one].next; two != Shelf::kNone) sum += second * base[two];
    }
    const auto words = static_cast<float>(units[i].words);
    out[i] = words > context ? sum * context / words : sum;
  }
}

/// `best` becomes the highest base and neighbours of each session.
void fuse_session(const Shelf& shelf, const Recipe& recipe, const ArmScores& arms, FusedScores& fused) {
  const auto units = shelf.units();
  fused.session.assign(units.size(), 0.0f);
  if (recipe.session == 0) return;
  auto& best = fused.scratch;
  best.clear();
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (units[i].session >= best.size()) best.resize(units[i].session + 1, 0.0f);
    if (arms.visible[i] != 0) best[units[i].session] = std::max(best[units[i].session], fused.base[i] + fused.neighbours[i]);
  }
  const auto weight = static_cast<float>(recipe.session);
  for (std::size_t i = 0; i < units.size(); ++i) fused.session[i] = weight * best[units[i].session];
}

/// Days that a question names weigh like a rare word does: a day of the year much, a whole year little. Of several days
/// the one that says most counts.
void fuse_days(const Shelf& shelf, const Recipe& recipe, const QueryHints& hints, const ArmScores& arms, std::vector<float>& out) {
  const auto units = shelf.units();
  out.assign(units.size(), 0.0f);
  if (recipe.day == 0) return;
  std::vector<std::vector<DayRange>> spans;
  for (const NamedDays& named : hints.days) spans.push_back(day_ranges(named, shelf.first_day() - 1, shelf.last_day() + 1));
  for (const DayRange& range : hints.ranges) spans.push_back({range});
  for (const auto& ranges : spans) {
    const auto within = [&ranges](std::int32_t day, std::int32_t margin) {
      return std::any_of(ranges.begin(), ranges.end(), [=](const DayRange& range) {
        return day >= range.from - margin && day <= range.to + margin;
      });
    };
    const bool single = std::all_of(ranges.begin(), ranges.end(), [](const DayRange& range) { return range.from == range.to; });
    std::size_t all = 0, inside = 0;
    for (std::size_t i = 0; i < units.size(); ++i) {
      all += arms.visible[i];
      inside += arms.visible[i] != 0 && within(units[i].day, 0) ? 1 : 0;
    }
    if (inside == 0) continue;
    const double rarity = std::log(1 + (static_cast<double>(all - inside) + 0.5) / (static_cast<double>(inside) + 0.5));
    const auto full = static_cast<float>(recipe.day * rarity), near = static_cast<float>(recipe.near_day) * full;
    for (std::size_t i = 0; i < units.size(); ++i) {
      if (within(units[i].day, 0))
        out[i] = std::max(out[i], full);
      else if (single && within(units[i].day, 1))
        out[i] = std::max(out[i], near);
    }
  }
}

/// Sessions in which somebody who is named takes part: there, what the others say counts less.
std::vector<std::uint8_t> sessions_of_named(const Shelf& shelf, const QueryHints& hints) {
  std::vector<std::uint8_t> sessions;
  if (hints.speakers.empty()) return sessions;
  for (const Shelf::Unit& unit : shelf.units()) {
    if (unit.session >= sessions.size()) sessions.resize(unit.session + 1, 0);
    if (std::find(hints.speakers.begin(), hints.speakers.end(), unit.speaker) != hints.speakers.end()) sessions[unit.session] = 1;
  }
  return sessions;
}

void fuse_rest(const Shelf& shelf, const Recipe& recipe, const QueryHints& hints, std::vector<float>& out) {
  const auto units = shelf.units();
  out.resize(units.size());
  const auto question = static_cast<float>(recipe.question), assistant = static_cast<float>(recipe.assistant);
  const auto substance = static_cast<float>(recipe.substance), cap = static_cast<float>(recipe.substance_cap);
  // ln(1 + words) reaches the cap at few words, so that a table of it is short.
  std::vector<float> by_length(1, 0.0f);
  while (substance > 0 && by_length.back() < substance * cap)
    by_length.push_back(substance * std::min(cap, std::log1p(static_cast<float>(by_length.size()))));
  const auto longest = static_cast<std::uint32_t>(by_length.size() - 1);
  for (std::size_t i = 0; i < units.size(); ++i) {
    const Shelf::Unit& unit = units[i];
    out[i] = by_length[std::min(unit.words, longest)] - (unit.question ? question : 0.0f) - (unit.assistant ? assistant : 0.0f);
  }
  const auto sessions = sessions_of_named(shelf, hints);
  if (sessions.empty()) return;
  const auto other = static_cast<float>(recipe.other_speaker);
  for (std::size_t i = 0; i < units.size(); ++i) {
    const bool named = std::find(hints.speakers.begin(), hints.speakers.end(), units[i].speaker) != hints.speakers.end();
    if (!named && sessions[units[i].session] != 0) out[i] -= other;
  }
}

}  // namespace

ScoreScale measure_scale(std::span<const ArmScores* const> shelves) {
  ScoreScale scale;
  double sum = 0, squares = 0;
  std::size_t count = 0;
  for (const ArmScores* arms : shelves) {
    for (std::size_t i = 0; i < arms->visible.size(); ++i) {
      scale.best_words = std::max(scale.best_words, arms->words[i]);
      if (arms->embedded[i] == 0) continue;
      const double cosine = arms->vector[i];
      sum += cosine;
      squares += cosine * cosine;
      ++count;
    }
  }
  if (count < 2) return scale;
  const double mean = sum / static_cast<double>(count);
  scale.mean = static_cast<float>(mean);
  scale.deviation = static_cast<float>(std::sqrt(std::max(0.0, squares / static_cast<double>(count) - mean * mean)));
  return scale;
}

void fuse(const Shelf& shelf, const ArmScores& arms, const ScoreScale& scale, const QueryHints& hints, const Recipe& recipe,
          FusedScores& fused) {
  fuse_base(arms, scale, recipe, fused.base);
  fuse_neighbours(shelf, recipe, fused.base, fused.neighbours);
  fuse_session(shelf, recipe, arms, fused);
  fuse_days(shelf, recipe, hints, arms, fused.days);
  fuse_rest(shelf, recipe, hints, fused.rest);
  fused.total.resize(fused.base.size());
  for (std::size_t i = 0; i < fused.total.size(); ++i) {
    const bool found = arms.words[i] != 0 || arms.embedded[i] != 0 || fused.neighbours[i] != 0 || fused.days[i] != 0;
    const bool evidence = arms.visible[i] != 0 && found;
    fused.total[i] = evidence ? fused.base[i] + fused.neighbours[i] + fused.session[i] + fused.days[i] + fused.rest[i]
                              : -std::numeric_limits<float>::infinity();
  }
}

std::vector<Signal> explain(const Shelf& shelf, std::size_t unit, const ArmScores& arms, const ScoreScale& scale,
                            const QueryHints& hints, const Recipe& recipe, const FusedScores& fused) {
  std::vector<Signal> signals;
  const auto add = [&signals](const char* name, double value, double share) {
    if (share != 0) signals.push_back({name, value, share});
  };
  add("words", arms.words[unit], recipe.words * scaled_words(arms.words[unit], scale));
  if (arms.embedded[unit] != 0) add("vector", arms.vector[unit], recipe.vector * scaled_vector(arms.vector[unit], scale));
  add("neighbours", fused.neighbours[unit], fused.neighbours[unit]);
  add("session", recipe.session > 0 ? fused.session[unit] / recipe.session : 0, fused.session[unit]);
  add("days", recipe.day > 0 ? fused.days[unit] / recipe.day : 0, fused.days[unit]);
  const Shelf::Unit& one = shelf.units()[unit];
  const double substance = std::min(recipe.substance_cap, std::log1p(one.words));
  const double question = one.question ? -recipe.question : 0, assistant = one.assistant ? -recipe.assistant : 0;
  add("substance", one.words, recipe.substance * substance);
  add("question", 1, question);
  add("assistant", 1, assistant);
  const double speaker = fused.rest[unit] - recipe.substance * substance - question - assistant;
  if (!hints.speakers.empty() && speaker < -recipe.other_speaker / 2) add("speaker", 1, speaker);
  return signals;
}

}  // namespace weft
