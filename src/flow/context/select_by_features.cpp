#include "flow/context/select_by_features.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "flow/context/word_set.h"

namespace weft {
namespace {

// What a word of the query says: little where most candidates hold it, nothing where none does.
std::vector<double> rarities(const WordSet& query, const std::vector<WordSet>& words) {
  std::vector<double> rarity;
  for (const Term term : query.terms()) {
    double holders = 0;
    for (const WordSet& one : words) holders += one.has(term) ? 1 : 0;
    const double all = static_cast<double>(words.size());
    rarity.push_back(holders == 0 ? 0 : std::log(1 + (all - holders + 0.5) / (holders + 0.5)));
  }
  return rarity;
}

double weighted_share(const WordSet& query, const std::vector<double>& rarity, const WordSet& words) {
  double held = 0, all = 0;
  for (std::size_t i = 0; i < rarity.size(); ++i) {
    all += rarity[i];
    if (words.has(query.terms()[i])) held += rarity[i];
  }
  return all > 0 ? held / all : 0;
}

double named(const std::vector<WordSet>& keywords, const WordSet& words) {
  double whole = 0;
  for (const WordSet& keyword : keywords) whole += keyword.share_in(words) >= 1 ? 1 : 0;
  return keywords.empty() ? 0 : whole / static_cast<double>(keywords.size());
}

// Where each stands between the oldest and the newest of the pool; a half where it has no time.
std::vector<double> recencies(const std::vector<CurationCandidate>& items, bool past) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max(), last = std::numeric_limits<std::int64_t>::min();
  for (const CurationCandidate& item : items) {
    if (!item.time) continue;
    first = std::min(first, item.time->ms);
    last = std::max(last, item.time->ms);
  }
  std::vector<double> recency(items.size(), 0.5);
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!items[i].time || first >= last) continue;
    const double span = static_cast<double>(last) - static_cast<double>(first);
    const double share = (static_cast<double>(items[i].time->ms) - static_cast<double>(first)) / span;
    recency[i] = past ? 1 - share : share;
  }
  return recency;
}

std::vector<double> values_of(const CandidatePool& pool, const std::vector<WordSet>& words, const PlanContext& plan,
                              const FeatureWeights& weights) {
  const WordSet query(pool.query);
  const std::vector<double> rarity = rarities(query, words);
  std::vector<WordSet> keywords;
  for (const std::string& keyword : plan.search_intent.focus_keywords)
    if (WordSet set(keyword); !set.empty()) keywords.push_back(std::move(set));
  const std::vector<double> recency = recencies(pool.items, plan.search_intent.temporal_context == "past");
  double best = 0;
  for (const CurationCandidate& item : pool.items) best = std::max(best, item.weighted);
  std::vector<double> values;
  for (std::size_t i = 0; i < pool.items.size(); ++i)
    values.push_back(weights.score * (best > 0 ? pool.items[i].weighted / best : 0) +
                     weights.names * named(keywords, words[i]) +
                     weights.words * weighted_share(query, rarity, words[i]) + weights.recency * recency[i]);
  return values;
}

}  // namespace

std::vector<std::size_t> select_by_features(const CandidatePool& pool, const PlanContext& plan, std::size_t most,
                                            const FeatureWeights& weights) {
  std::vector<WordSet> words;
  for (const CurationCandidate& item : pool.items) words.emplace_back(item.name + " " + item.preview);
  const std::vector<double> values = values_of(pool, words, plan, weights);
  std::vector<double> shared(values.size(), 0);  // with the most alike of those chosen
  std::vector<bool> taken(values.size(), false);
  std::vector<std::size_t> chosen;
  while (chosen.size() < std::min(most, values.size())) {
    std::size_t best = values.size();
    double best_value = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double value = values[i] - weights.diversity * shared[i];
      if (taken[i] || (best < values.size() && value <= best_value)) continue;
      best = i;
      best_value = value;
    }
    taken[best] = true;
    chosen.push_back(best);
    for (std::size_t i = 0; i < values.size(); ++i) shared[i] = std::max(shared[i], words[i].likeness(words[best]));
  }
  return chosen;
}

std::vector<std::size_t> select_by_similarity(const CandidatePool& pool, std::size_t most) {
  std::vector<std::size_t> places(pool.items.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  const auto similarity = [&](std::size_t at) { return pool.items[at].similarity.value_or(-2); };
  std::stable_sort(places.begin(), places.end(),
                   [&](std::size_t a, std::size_t b) { return similarity(a) > similarity(b); });
  places.resize(std::min(most, places.size()));
  return places;
}

}  // namespace weft
