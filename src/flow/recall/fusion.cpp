#include "flow/recall/fusion.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "base/log.h"
#include "text/weight_file.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr double kMostDay = 3;  // e^3 = 20 times as many other messages: rarer days say no more

Recipe words_only() {
  Recipe recipe;
  recipe.words = 1;
  return recipe;
}

Recipe vectors_only() {
  Recipe recipe;
  recipe.vector = 1;
  return recipe;
}

Recipe recent() {
  Recipe recipe;
  recipe.method = Recipe::Method::kRecent;
  return recipe;
}

const Recipe& balanced() {
  static const Recipe kFitted = [] {
    const WeightFile weights = shipped_weights("recall");
    Recipe recipe;
    recipe.in_context = true;
    recipe.centred = true;
    recipe.words = weights.number("words");
    recipe.vector = 1;
    recipe.asked = weights.number("asked");
    recipe.question = weights.number("question");
    recipe.other_speaker = weights.number("other_speaker");
    recipe.assistant = weights.number("assistant");
    recipe.day = weights.number("day");
    recipe.most_day = kMostDay;
    recipe.relative_day = weights.number("relative_day");
    return recipe;
  }();
  return kFitted;
}

Recipe literal(const RecallSettings& settings) {
  Recipe recipe;
  recipe.method = Recipe::Method::kLiteral;
  recipe.words = settings.words_weight;
  recipe.vector = settings.vector_weight;
  recipe.arm_top = static_cast<std::size_t>(settings.arm_top > 0 ? settings.arm_top : 0);
  recipe.min_threshold = settings.min_threshold;
  if (settings.min_threshold > settings.words_weight)
    log_warning("recall.threshold",
                "recall.min_threshold is above recall.words_weight: nothing that only words find can be recalled");
  return recipe;
}

}  // namespace

Result<Recipe> find_recipe(std::string_view name, const RecallSettings& settings) {
  Recipe recipe;
  if (name == "balanced") {
    recipe = balanced();
  } else if (name == "literal") {
    recipe = literal(settings);
  } else if (name == "words") {
    recipe = words_only();
  } else if (name == "vectors") {
    recipe = vectors_only();
  } else if (name == "recent") {
    recipe = recent();
  } else {
    return invalid_argument("recall: no recipe is called \"" + std::string(name) + "\"",
                            "recipes are balanced, literal, words, vectors and recent");
  }
  recipe.name = name;
  return recipe;
}

namespace {

constexpr std::size_t kManyInverse = 12;  // a word of more than a twelfth of all units is in many

std::vector<WordsIndex::QueryTerm> rarest(const WordsIndex& words, std::span<const WordsIndex::QueryTerm> terms) {
  std::vector<std::pair<std::size_t, WordsIndex::QueryTerm>> known;
  for (const WordsIndex::QueryTerm& term : terms)
    if (const std::size_t count = words.count(term.term); count > 0) known.emplace_back(count, term);
  if (known.size() > kMostTerms) {
    std::stable_sort(known.begin(), known.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    known.resize(kMostTerms);
  }
  std::vector<WordsIndex::QueryTerm> chosen;
  for (const auto& [count, term] : known) chosen.push_back(term);
  return chosen;
}

/// How often the units say a word themselves, in their order.
void count_own(const Shelf& shelf, Term term, ContextScratch& scratch) {
  const auto unit_of = shelf.unit_of();
  const Shelf::Units& units = shelf.units();
  scratch.own.clear();
  shelf.words().visit(term, [&](std::uint32_t slot, std::uint32_t count) {
    const std::uint32_t unit = unit_of[slot];
    if ((units.traits[unit] & ShelfUnits::kActive) == 0) return;
    if (!scratch.own.empty() && scratch.own.back().first == unit)
      scratch.own.back().second += static_cast<float>(count);
    else
      scratch.own.emplace_back(unit, static_cast<float>(count));
  });
}

// A unit has what it says itself, and a part of what its neighbours say: `give(unit, count)`.
template <class Give>
void lend_to_neighbours(const Shelf::Units& units, const ContextScratch& scratch, const Give& give) {
  for (const auto& [unit, count] : scratch.own) {
    give(unit, count);
    for (const auto* chain : {&units.previous, &units.next}) {
      std::uint32_t at = unit;
      for (const float weight : kNeighbourWords) {
        if ((at = (*chain)[at]) == Shelf::kNone) break;
        give(at, weight * units.share[unit] * units.share[at] * count);
      }
    }
  }
}

/// What one word adds to the score of a unit that has it `times`.
struct WordGain {
  float weight, base, slope;
  float of(float times, float context_words) const { return weight * times / (times + base + slope * context_words); }
};

void add_few(const Shelf::Units& units, const WordGain& gain, ContextScratch& scratch, std::vector<float>& scores) {
  scratch.touched.clear();
  lend_to_neighbours(units, scratch, [&scratch](std::uint32_t unit, float count) {
    if (scratch.counts[unit] == 0) scratch.touched.push_back(unit);
    scratch.counts[unit] += count;
  });
  for (const std::uint32_t unit : scratch.touched) {
    scores[unit] += gain.of(scratch.counts[unit], units.context_words[unit]);
    scratch.counts[unit] = 0;
  }
}

// Where a word is nearly everywhere, a row through all units is faster than one through those that have it.
void add_many(const Shelf::Units& units, const WordGain& gain, ContextScratch& scratch, std::vector<float>& scores) {
  float* const counts = scratch.counts.data();
  lend_to_neighbours(units, scratch, [counts](std::uint32_t unit, float count) { counts[unit] += count; });
  const float* const words = units.context_words.data();
  float* const sums = scores.data();
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    sums[unit] += gain.of(counts[unit], words[unit]);
    counts[unit] = 0;
  }
}

}  // namespace

void score_in_context(const Shelf& shelf, std::span<const WordsIndex::QueryTerm> terms, const Bm25& bm25,
                      ContextScratch& scratch, std::vector<float>& scores) {
  const Shelf::Units& units = shelf.units();
  scores.assign(units.size(), 0.0F);
  scratch.counts.resize(units.size(), 0.0F);
  const auto all = static_cast<double>(shelf.active());
  const double average = std::max(1.0, shelf.context_words() / std::max(1.0, all));
  // Above 0, so that what a text without the word gains is 0, however short it is.
  const auto base = std::max(1e-6F, static_cast<float>(bm25.k1 * (1 - bm25.b)));
  const auto slope = static_cast<float>(bm25.k1 * bm25.b / average);
  for (const WordsIndex::QueryTerm& wanted : rarest(shelf.words(), terms)) {
    count_own(shelf, wanted.term, scratch);
    const auto with = static_cast<double>(scratch.own.size());
    const auto weight =
        static_cast<float>(wanted.weight * std::log(1 + (all - with + 0.5) / (with + 0.5)) * (bm25.k1 + 1));
    const bool many = scratch.own.size() * kManyInverse > units.size();
    (many ? add_many : add_few)(units, {weight, base, slope}, scratch, scores);
  }
}

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

namespace {

// Texts that are thought to be there besides the scope's own, none of which holds the word: in a memory of three
// messages, too, a word that stands in one of them is rare.
constexpr double kElsewhere = 300;
constexpr std::size_t kMostWords = 256;  // of a question; the rarest
// A single Chinese character is found by chance more often than a word is.
constexpr double kSingleCharacter = 0.3;
// More words than this are a text. Of a text only a part can stand in one message, and much in it is new in any case.
constexpr double kTextWords = 30;
// Deviations of fewer cosines say little.
constexpr std::size_t kFewestCosines = 20;
// The mean and the spread of few cosines say little: of so many they count half. Those of a text, which is near to many
// things, say nothing.
constexpr double kHalfTold = 20;
// Of the cosines of a question with a memory; more than so far from it says no more, also under another embedder.
constexpr double kUsualSpread = 0.085, kMostUnusual = 0.03;

}  // namespace

double relevance_of(const RelevanceFeatures& features) {
  const RelevanceCurves& curves = relevance_curves();
  double words = curves.words_bias, vectors = curves.vectors_bias;
  for (const RelevanceWeight& one : curves.weights) {
    words += features.*one.value * one.words;
    vectors += features.*one.value * one.vectors;
  }
  return 1 / (1 + std::exp(-(features.vectors ? vectors : words)));
}

RelevanceJudge::RelevanceJudge(const QueryText& query, std::span<const std::uint16_t> speakers, const Shelf& shelf,
                               const ArmScores& arms, const ScoreScale& scale)
    : shelf_(shelf), arms_(arms), scale_(scale), chinese_(query.chinese), personal_(query.personal), bare_(query.bare) {
  read_words(query, speakers);
  for (const NamedDays& named : query.days) {
    const auto ranges = day_ranges(named, shelf.first_day() - 1, shelf.last_day() + 1);
    days_.insert(days_.end(), ranges.begin(), ranges.end());
  }
  days_.insert(days_.end(), query.ranges.begin(), query.ranges.end());
}

void RelevanceJudge::read_words(const QueryText& query, std::span<const std::uint16_t> speakers) {
  const WordsIndex& index = shelf_.words();
  const double all = static_cast<double>(index.documents()) + kElsewhere + 1;
  std::map<Term, std::uint16_t> named;
  for (const std::uint16_t speaker : speakers)
    for (const Term term : index_terms(shelf_.speakers()[speaker])) named.emplace(term, speaker);
  std::map<Term, Word> seen;
  for (const QueryText::Word& word : query.words) {
    count_ += word.chinese ? 0.5 : 1;
    const auto speaker = named.find(word.term);
    const double rarity = std::log(all / (static_cast<double>(index.count(word.term)) + 1));
    seen[word.term] = {word.term, rarity * (word.character ? kSingleCharacter : 1),
                       speaker == named.end() ? std::uint16_t{0} : speaker->second};
  }
  for (const auto& [term, word] : seen) words_.push_back(word);
  std::stable_sort(words_.begin(), words_.end(), [](const Word& a, const Word& b) { return a.weight > b.weight; });
  if (words_.size() > kMostWords) words_.resize(kMostWords);
  for (const Word& word : words_) {
    weight_ += word.weight;
    if (word.speaker == 0 && index.count(word.term) == 0) unknown_ += word.weight;
  }
  text_ = query.several || count_ > kTextWords;
}

bool RelevanceJudge::holds(std::uint32_t unit, const Word& word) const {
  const Shelf::Units& units = shelf_.units();
  if (word.speaker != 0 && units.speaker[unit] == word.speaker) return true;
  const std::uint32_t first = units.first_slot[unit];
  return shelf_.words().holds(word.term, first, first + units.slots[unit]);
}

double RelevanceJudge::deviations(std::uint32_t unit) const {
  if (scale_.deviation <= 0 || scale_.count < kFewestCosines) return 0;
  if (unit == Shelf::kNone || arms_.embedded[unit] == 0) return 0;
  return (static_cast<double>(arms_.vector[unit]) - scale_.mean) / scale_.deviation;
}

RelevanceFeatures RelevanceJudge::judge(std::uint32_t unit) const {
  const Shelf::Units& units = shelf_.units();
  const std::uint32_t before = units.previous[unit], after = units.next[unit];
  RelevanceFeatures features;
  double own = 0, window = 0;
  for (const Word& word : words_) {
    const bool here = holds(unit, word);
    const bool near =
        here || (before != Shelf::kNone && holds(before, word)) || (after != Shelf::kNone && holds(after, word));
    if (here) own += word.weight;
    if (near) window += word.weight;
  }
  if (weight_ > 0) {
    features.own = own / weight_;
    features.window = window / weight_;
    features.unknown = unknown_ / weight_ * std::min(1.0, kTextWords / count_);
  }
  features.many = features.window * std::log1p(std::min(count_, kTextWords));
  features.mass = std::log1p(window);
  features.excess = window > 0 ? std::log(std::max(1.0, count_ / kTextWords)) : 0;
  features.chinese = chinese_ ? 1 : 0;
  features.chinese_window = chinese_ ? features.window : 0;
  features.personal = personal_ ? 1 : 0;
  const std::int32_t day = units.day[unit];
  features.day = std::any_of(days_.begin(), days_.end(),
                             [day](const DayRange& range) { return day >= range.from && day <= range.to; })
                     ? 1
                     : 0;
  features.length = std::log1p(static_cast<double>(units.words[unit]));
  features.vectors = arms_.embedded[unit] != 0 && !bare_;  // the vector of a bare question means nothing
  if (!features.vectors) return features;
  features.cosine = arms_.vector[unit];
  const auto count = static_cast<double>(scale_.count);
  const double told = text_ ? 0 : count / (count + kHalfTold);
  features.deviations = told * deviations(unit);
  features.spread = told * std::clamp(scale_.deviation - kUsualSpread, -kMostUnusual, kMostUnusual);
  features.few = 1 - told;
  features.cosine_of_few = features.few * features.cosine;
  features.near = std::max(deviations(before), deviations(after));
  features.mean = scale_.mean;
  features.count = count;
  return features;
}

// The weight of `excess` is chosen: whether a long text has to do with something is not told by shares of its words,
// and what ranking finds for it is better than nothing. Those of `few` and `cosine_of_few` are chosen, since the
// labelled memories are all larger: with them a small memory and a text are judged much as by a curve of the cosine.
const RelevanceCurves& relevance_curves() {
  using F = RelevanceFeatures;
  using enum RelevanceWeight::Sign;
  static const RelevanceCurves kCurves = [] {
    RelevanceCurves curves{0,
                           0,
                           {{{"own", &F::own, 0, 0, kFor},
                             {"window", &F::window, 0, 0, kFor},
                             {"many", &F::many, 0, 0, kFor},
                             {"unknown", &F::unknown, 0, 0, kAny},
                             {"mass", &F::mass, 0, 0, kFor},
                             {"excess", &F::excess, 0, 0, kChosen},
                             {"day", &F::day, 0, 0, kFor},
                             {"length", &F::length, 0, 0, kAny},
                             {"chinese", &F::chinese, 0, 0, kAny},
                             {"chinese_window", &F::chinese_window, 0, 0, kFor},
                             {"personal", &F::personal, 0, 0, kFor},
                             {"cosine", &F::cosine, 0, 0, kFor},
                             {"deviations", &F::deviations, 0, 0, kFor},
                             {"near", &F::near, 0, 0, kFor},
                             {"spread", &F::spread, 0, 0, kFor},
                             {"cosine_of_few", &F::cosine_of_few, 0, 0, kChosen},
                             {"few", &F::few, 0, 0, kChosen}}}};
    const WeightFile file = shipped_weights("known");
    curves.words_bias = file.number("words.bias");
    curves.vectors_bias = file.number("vectors.bias");
    for (RelevanceWeight& one : curves.weights) {
      one.words = file.number("words." + std::string(one.name));
      one.vectors = file.number("vectors." + std::string(one.name));
    }
    return curves;
  }();
  return kCurves;
}

}  // namespace weft
