#include "flow/recall/context_words.h"

#include <algorithm>
#include <cmath>

namespace weft {
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

}  // namespace weft
