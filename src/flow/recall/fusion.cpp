#include "flow/recall/fusion.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "flow/recall/context_words.h"
#include "text/words.h"

namespace weft {
namespace {

void hide(const ArmScores& scores, std::vector<float>& values) {
  if (scores.all_visible) return;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = scores.visible[i] != 0 ? values[i] : 0.0F;
}

/// The mean over the parts that have a vector: a long text that is wholly about something lies nearer to it than one
/// that touches it once.
void mean_of_parts(const Shelf& shelf, const std::vector<float>& slots, std::vector<float>& units) {
  const Shelf::Units& all = shelf.units();
  units.resize(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    float sum = 0;
    int count = 0;
    for (std::uint32_t slot = all.first_slot[i]; slot < all.first_slot[i] + all.slots[i]; ++slot) {
      if (!shelf.vectors().has(slot)) continue;
      sum += slots[slot];
      ++count;
    }
    units[i] = count > 0 ? sum / static_cast<float>(count) : 0;
  }
}

/// The best part of each unit, 0 for what is hidden. Most shelves have one part a unit, and then the array is the same.
std::span<const float> best_of_parts(const Shelf& shelf, const ArmScores& scores, std::vector<float>& slots,
                                     std::vector<float>& units) {
  const Shelf::Units& all = shelf.units();
  if (!shelf.single()) {
    units.resize(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto first = slots.begin() + all.first_slot[i];
      units[i] = all.slots[i] == 1 ? *first : *std::max_element(first, first + all.slots[i]);
    }
  }
  std::vector<float>& best = shelf.single() ? slots : units;
  hide(scores, best);
  return best;
}

}  // namespace

Filter filter_of(const RecallQuery& query, const ScopeIndex::Reading& index) {
  Filter filter;
  if (query.from) filter.from_ms = query.from->ms;
  if (query.to) filter.to_ms = query.to->ms;
  if (query.session) {
    filter.session = index.session(*query.session);
    filter.nothing = !filter.session;
  }
  if (query.not_session) filter.not_session = index.session(*query.not_session);
  return filter;
}

void mark_visible(const Shelf& shelf, const Filter& filter, ArmScores& scores) {
  const Shelf::Units& units = shelf.units();
  auto& visible = scores.visible;
  visible.resize(units.size());
  const bool filtered = filter.nothing || filter.from_ms || filter.to_ms || filter.session || filter.not_session;
  scores.all_visible = !filtered && shelf.all_active();
  for (std::size_t i = 0; i < visible.size(); ++i) visible[i] = units.traits[i] & ShelfUnits::kActive;
  static_assert(ShelfUnits::kActive == 1);
  if (filter.nothing) std::fill(visible.begin(), visible.end(), std::uint8_t{0});
  const auto keep = [&visible](const auto& column, const auto& fits) {
    for (std::size_t i = 0; i < visible.size(); ++i) visible[i] &= fits(column[i]) ? 1 : 0;
  };
  if (filter.from_ms) keep(units.time_ms, [from = *filter.from_ms](std::int64_t ms) { return ms >= from; });
  if (filter.to_ms) keep(units.time_ms, [to = *filter.to_ms](std::int64_t ms) { return ms <= to; });
  if (filter.session) keep(units.session, [only = *filter.session](std::uint32_t session) { return session == only; });
  if (filter.not_session)
    keep(units.session, [no = *filter.not_session](std::uint32_t session) { return session != no; });
}

void score_words(const Shelf& shelf, std::span<const WordsIndex::QueryTerm> terms, const Recipe& recipe,
                 ArmScores& scores) {
  // In context, parts are only compared with each other.
  const bool parts = !recipe.in_context || !shelf.single();
  scores.slot_words.assign(parts ? shelf.rows().size() : 0, 0.0f);
  if (parts) shelf.words().score(terms, recipe.bm25, scores.slot_words);
  if (!recipe.in_context) {
    scores.words = best_of_parts(shelf, scores, scores.slot_words, scores.unit_words);
    return;
  }
  score_in_context(shelf, terms, recipe.bm25, scores.context, scores.unit_words);
  hide(scores, scores.unit_words);
  scores.words = scores.unit_words;
}

void score_vectors(const Shelf& shelf, std::span<const float> query, const Recipe& recipe, ArmScores& scores) {
  const Shelf::Units& units = shelf.units();
  const CentredVectors& vectors = shelf.vectors();
  const bool scanned = !query.empty() && query.size() == vectors.dimensions();
  scores.slot_vector.resize(shelf.rows().size());
  scores.all_embedded = scanned && scores.all_visible && vectors.count() == shelf.rows().size();
  scores.embedded.assign(units.size(), scores.all_embedded ? 1 : 0);
  if (scanned && recipe.centred)
    vectors.cosines(query, scores.slot_vector);
  else if (scanned)
    vectors.dot(query, scores.slot_vector);
  else
    std::fill(scores.slot_vector.begin(), scores.slot_vector.end(), 0.0f);
  if (recipe.centred && scanned && !shelf.single()) {
    mean_of_parts(shelf, scores.slot_vector, scores.unit_vector);
    hide(scores, scores.unit_vector);
    scores.vector = scores.unit_vector;
  } else {
    // A part without a vector has 0, below every plain cosine of a model whose cosines are all positive; others are
    // rare enough.
    scores.vector = best_of_parts(shelf, scores, scores.slot_vector, scores.unit_vector);
  }
  if (!scanned || scores.all_embedded) return;
  for (std::size_t i = 0; i < units.size(); ++i)
    scores.embedded[i] = scores.visible[i] & (vectors.has(units.first_slot[i]) ? 1 : 0);
}

namespace {

/// By how many standard deviations the nearest message usually lies above the mean.
constexpr double kBestDeviations = 3;

/// Both arms in one number.
void fuse_base(const ArmScores& arms, const ScoreScale& scale, const Recipe& recipe, std::vector<float>& base) {
  base.resize(arms.visible.size());
  const auto words = static_cast<float>(scale.of_words(1, recipe));
  const float vector = scale.tells_apart() ? static_cast<float>(recipe.vector) / scale.deviation : 0;
  const float mean = scale.mean;
  if (arms.all_embedded && scale.tells_apart()) {
    for (std::size_t i = 0; i < base.size(); ++i) base[i] = arms.words[i] * words + (arms.vector[i] - mean) * vector;
  } else {
    const auto expected = words + static_cast<float>(scale.expected(1, recipe));
    for (std::size_t i = 0; i < base.size(); ++i)
      base[i] = arms.embedded[i] != 0 && scale.tells_apart() ? arms.words[i] * words + (arms.vector[i] - mean) * vector
                                                             : arms.words[i] * expected;
  }
}

/// An answer is found for the question before it.
void fuse_asked(const Shelf& shelf, const Recipe& recipe, const std::vector<float>& base, std::vector<float>& out) {
  const Shelf::Units& units = shelf.units();
  out.assign(units.size(), 0.0F);
  const auto weight = static_cast<float>(recipe.asked);
  if (weight == 0) return;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const std::uint32_t before = units.previous[i];
    if (before != Shelf::kNone && (units.traits[before] & ShelfUnits::kQuestion) != 0)
      out[i] = weight * units.share[i] * units.share[before] * base[before];
  }
}

/// 1 for each unit on one of the days.
std::vector<std::uint8_t> units_on(const Shelf& shelf, const std::vector<DayRange>& ranges) {
  const Shelf::Units& units = shelf.units();
  std::vector<std::uint8_t> hits(units.size(), 0);
  for (const DayRange& range : ranges)
    for (std::size_t i = 0; i < hits.size(); ++i)
      hits[i] |= static_cast<std::uint8_t>(units.day[i] >= range.from && units.day[i] <= range.to ? 1 : 0);
  return hits;
}

/// Days that a question names weigh like a rare word does: a day of the year much, a whole year little. Of several
/// spans the one that says most counts.
void fuse_spans(const Shelf& shelf, const ArmScores& arms, const std::vector<std::vector<DayRange>>& spans,
                double weight, double most, std::vector<float>& out) {
  out.clear();
  if (weight <= 0) return;
  for (const auto& ranges : spans) {
    const auto hits = units_on(shelf, ranges);
    std::size_t all = 0, inside = 0;
    for (std::size_t i = 0; i < hits.size(); ++i) {
      all += arms.visible[i];
      inside += arms.visible[i] & hits[i];
    }
    if (inside == 0) continue;
    const double rarity = std::log(1 + (static_cast<double>(all - inside) + 0.5) / (static_cast<double>(inside) + 0.5));
    const auto full = static_cast<float>(weight * std::min(rarity, most));
    out.resize(hits.size(), 0.0F);
    for (std::size_t i = 0; i < hits.size(); ++i) out[i] = std::max(out[i], hits[i] != 0 ? full : 0.0F);
  }
}

void fuse_days(const Shelf& shelf, const Recipe& recipe, const QueryText& query, const ArmScores& arms,
               FusedScores& fused) {
  std::vector<std::vector<DayRange>> named, relative;
  for (const NamedDays& one : query.days) named.push_back(day_ranges(one, shelf.first_day() - 1, shelf.last_day() + 1));
  for (const DayRange& range : query.ranges) relative.push_back({range});
  fuse_spans(shelf, arms, named, recipe.day, recipe.most_day, fused.days);
  fuse_spans(shelf, arms, relative, recipe.relative_day, std::numeric_limits<double>::infinity(), fused.dates);
}

/// Whose sessions are whose, for those who are named.
enum class Presence : std::uint8_t { kNone, kNamed, kSpeaks };

std::vector<Presence> presence_by_session(const Shelf& shelf, const std::vector<std::uint8_t>& named) {
  const Shelf::Units& units = shelf.units();
  std::vector<Presence> sessions(shelf.sessions(), Presence::kNone);
  for (std::size_t speaker = 0; speaker < named.size(); ++speaker) {
    if (named[speaker] == 0) continue;
    for (const Term term : index_terms(shelf.speakers()[speaker]))
      shelf.words().visit(term, [&](std::uint32_t slot, std::uint32_t) {
        sessions[units.session[shelf.unit_of()[slot]]] = Presence::kNamed;
      });
  }
  for (std::size_t i = 0; i < units.size(); ++i)
    if (named[units.speaker[i]] != 0) sessions[units.session[i]] = Presence::kSpeaks;
  return sessions;
}

/// In the sessions of somebody who is named, what the others say counts less. Sessions in which they neither speak nor
/// are named are far away: a memory may hold the talks of many.
void fuse_speakers(const Shelf& shelf, const Recipe& recipe, std::span<const std::uint16_t> speakers,
                   std::vector<float>& out) {
  constexpr float kAbsent = 5;  // times as much
  out.clear();
  if (speakers.empty() || recipe.other_speaker == 0) return;
  const Shelf::Units& units = shelf.units();
  std::vector<std::uint8_t> named(shelf.speakers().size(), 0);
  for (const std::uint16_t speaker : speakers) named[speaker] = 1;
  const auto sessions = presence_by_session(shelf, named);
  const auto less = static_cast<float>(-recipe.other_speaker);
  out.assign(units.size(), 0.0F);
  for (std::size_t i = 0; i < units.size(); ++i) {
    const Presence presence = sessions[units.session[i]];
    if (presence == Presence::kNone) out[i] = kAbsent * less;
    if (presence == Presence::kSpeaks && named[units.speaker[i]] == 0) out[i] = less;
  }
}

/// What a message is worth before anything is asked, by its traits.
class Prior {
 public:
  explicit Prior(const Recipe& recipe) {
    for (std::size_t traits = 0; traits < by_traits_.size(); ++traits)
      by_traits_[traits] = static_cast<float>(((traits & ShelfUnits::kQuestion) != 0 ? -recipe.question : 0) +
                                              ((traits & ShelfUnits::kAssistant) != 0 ? -recipe.assistant : 0));
  }
  float traits(std::uint8_t traits) const { return by_traits_[traits & 7]; }

 private:
  std::array<float, 8> by_traits_{};
};

void sum_up(const Shelf& shelf, const ArmScores& arms, const Recipe& recipe, FusedScores& fused) {
  const Shelf::Units& units = shelf.units();
  const Prior prior(recipe);
  auto& total = fused.total;
  total.resize(units.size());
  for (std::size_t i = 0; i < total.size(); ++i)
    total[i] = fused.base[i] + fused.asked[i] + prior.traits(units.traits[i]);
  for (std::size_t i = 0; i < fused.days.size(); ++i) total[i] += fused.days[i];
  for (std::size_t i = 0; i < fused.dates.size(); ++i) total[i] += fused.dates[i];
  for (std::size_t i = 0; i < fused.speakers.size(); ++i) total[i] += fused.speakers[i];
  if (arms.all_embedded) return;
  for (std::size_t i = 0; i < total.size(); ++i) {
    const bool found = arms.words[i] != 0 || arms.embedded[i] != 0 || (!fused.days.empty() && fused.days[i] != 0) ||
                       (!fused.dates.empty() && fused.dates[i] != 0);
    if (arms.visible[i] == 0 || !found) total[i] = -std::numeric_limits<float>::infinity();
  }
}

}  // namespace

// Each word of a question adds to the sum, though a dialogue of a hundred words asks for no more than a sentence:
// beyond a sentence's worth they share their weight, or words alone would decide.
double ScoreScale::of_words(double bm25, const Recipe& recipe) const {
  constexpr double kSentence = 16;  // words
  const double share = std::min(1.0, kSentence / static_cast<double>(std::max<std::size_t>(asked, 1)));
  return share * bm25 * recipe.words / std::sqrt(std::log(1 + static_cast<double>(std::max<std::size_t>(units, 2))));
}

double ScoreScale::of_cosine(double cosine, const Recipe& recipe) const {
  const double above = cosine - static_cast<double>(mean);
  return tells_apart() ? recipe.vector * above / static_cast<double>(deviation) : 0;
}

double ScoreScale::expected(double bm25, const Recipe& recipe) const {
  if (best_words <= 0) return 0;
  const double best = tells_apart() ? of_cosine(best_cosine, recipe) : recipe.vector * kBestDeviations;
  return bm25 / static_cast<double>(best_words) * best;
}

ScoreScale measure_scale(std::span<const ArmScores* const> shelves, std::size_t units, std::size_t asked) {
  ScoreScale scale;
  scale.units = units;
  scale.asked = std::min(asked, kMostTerms);
  double sum = 0, squares = 0;
  std::size_t count = 0;
  for (const ArmScores* arms : shelves) {
    for (const float words : arms->words) scale.best_words = std::max(scale.best_words, words);
    for (const float cosine : arms->vector) scale.best_cosine = std::max(scale.best_cosine, cosine);
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

void fuse(const Shelf& shelf, const ArmScores& arms, const ScoreScale& scale, const QueryText& query,
          std::span<const std::uint16_t> speakers, const Recipe& recipe, FusedScores& fused) {
  fuse_base(arms, scale, recipe, fused.base);
  fuse_asked(shelf, recipe, fused.base, fused.asked);
  fuse_days(shelf, recipe, query, arms, fused);
  fuse_speakers(shelf, recipe, speakers, fused.speakers);
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
  add("words", arms.words[unit], scale.of_words(arms.words[unit], recipe));
  if (arms.embedded[unit] != 0 && scale.tells_apart())
    add("vector", arms.vector[unit], scale.of_cosine(arms.vector[unit], recipe));
  else
    add("expected", arms.words[unit], scale.expected(arms.words[unit], recipe));
  add("asked", fused.asked[unit], fused.asked[unit]);
  if (!fused.days.empty()) add("days", 1, fused.days[unit]);
  if (!fused.dates.empty()) add("dates", 1, fused.dates[unit]);
  if (!fused.speakers.empty()) add("speaker", 1, fused.speakers[unit]);
  add("question", 1, prior.traits(units.traits[unit] & ShelfUnits::kQuestion));
  add("assistant", 1, prior.traits(units.traits[unit] & ShelfUnits::kAssistant));
  return signals;
}

}  // namespace weft
