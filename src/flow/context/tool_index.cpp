#include "flow/context/tool_index.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "flow/context/request_clauses.h"
#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::size_t kMaxRequest = 16 * 1024;  // bytes; what a request wants is said before

/// The greatest of the pool, not below zero.
template <class Number>
double best_of(const std::vector<Number>& scores, std::span<const std::size_t> pool) {
  double best = 0;
  for (const std::size_t tool : pool) best = std::max(best, static_cast<double>(scores[tool]));
  return best;
}

/// The vector of a request for many things is their blur and lies near to none of them. Two sentences are often one
/// thing, told and asked.
double sharpness(std::size_t clauses) {
  const double share = clauses <= 2 ? 1.0 : 2.0 / static_cast<double>(clauses);
  return share * share;
}

}  // namespace

/// What all parts of a request are compared with.
struct ToolIndex::Asking {
  std::span<const std::size_t> pool;
  const ToolVectors* vectors;  ///< null where vectors do not speak
  const Models& models;
  const Deadline& deadline;
};

/// What one text says about each tool.
struct ToolIndex::Scores {
  std::vector<float> words;   ///< BM25; all zero where words may not speak
  std::vector<float> vector;  ///< deviations; empty where vectors do not speak
  double best_words = 0;
  double trust = 1;  ///< in words
  std::vector<double> total;
};

ToolIndex::ToolIndex(std::vector<ToolInfo> tools, const ToolIndexOptions& options)
    : tools_(std::move(tools)), options_(options), words_(ToolTerms(tools_), options.words) {}

ToolIndex::ToolIndex(std::vector<ToolInfo> tools, const ToolTerms& terms, std::shared_ptr<const ToolVectors> vectors,
                     const ToolIndexOptions& options)
    : tools_(std::move(tools)), options_(options), words_(terms, options.words) {
  *ready_.lock() = std::move(vectors);
}

Status ToolIndex::embed(Embedder& embedder, const Similarity& similarity, const Deadline& deadline) {
  auto growing = growing_.lock();
  if (embedded(embedder.name())) return {};
  WEFT_CHECK(growing->embed(tools_, embedder, similarity, deadline));
  *ready_.lock() = std::make_shared<const ToolVectors>(std::move(*growing));
  *growing = ToolVectors();
  return {};
}

bool ToolIndex::embedded(std::string_view model) const {
  auto ready = ready_.lock();
  return *ready != nullptr && (*ready)->complete(model);
}

std::shared_ptr<const ToolVectors> ToolIndex::vectors_of(const Models& models) const {
  if (models.embedder == nullptr || models.similarity == nullptr) return nullptr;
  const std::string model = models.embedder->name();
  auto ready = ready_.lock();
  return *ready != nullptr && (*ready)->complete(model) ? *ready : nullptr;
}

// Where no tool holds much of what a request says, it says it in words of its own, and meaning must decide.
double ToolIndex::trust_in_words(double most, double best) const {
  constexpr double kUsual = 0.5;  // share that the right tool holds of a request in its own words
  if (most <= 0 || best <= 0) return 1;
  return std::pow(std::min(1.0, best / most / kUsual), options_.trust);
}

std::vector<std::size_t> ToolIndex::pool_of(std::span<const std::size_t> candidates) const {
  std::vector<std::size_t> pool(candidates.begin(), candidates.end());
  if (candidates.empty()) {
    pool.resize(tools_.size());
    std::iota(pool.begin(), pool.end(), std::size_t{0});
    return pool;
  }
  std::erase_if(pool, [this](std::size_t tool) { return tool >= tools_.size(); });
  std::sort(pool.begin(), pool.end());
  pool.erase(std::unique(pool.begin(), pool.end()), pool.end());
  return pool;
}

ToolIndex::Scores ToolIndex::score(std::string_view text, double vector_weight, const Asking& asking) const {
  Scores scores;
  scores.words = asking.models.words ? words_.score(text) : std::vector<float>(tools_.size(), 0.0f);
  scores.best_words = best_of(scores.words, asking.pool);
  if (asking.vectors != nullptr) {
    auto near = asking.vectors->score(text, *asking.models.embedder, *asking.models.similarity, asking.deadline);
    if (near.ok()) scores.vector = std::move(*near);
  }
  scores.trust = trust_in_words(words_.most(text), scores.best_words);
  scores.total.assign(tools_.size(), 0);
  for (const std::size_t tool : asking.pool) {
    // A share of the best: BM25 alone cannot be compared between requests.
    if (scores.best_words > 0) scores.total[tool] = scores.trust * scores.words[tool] / scores.best_words;
    if (!scores.vector.empty()) scores.total[tool] += vector_weight * scores.vector[tool];
  }
  return scores;
}

/// For each tool the best share it has of what any single clause finds; empty where there are no clauses. Each clause
/// counts the same: what is asked in few words would else be buried under what is told at length.
std::vector<double> ToolIndex::score_clauses(std::span<const std::string_view> clauses, const Asking& asking) const {
  Asking each = asking;
  if (clauses.size() > options_.clause_vectors && asking.models.words) each.vectors = nullptr;
  std::vector<double> share(clauses.empty() ? 0 : tools_.size(), 0.0);
  for (const std::string_view clause : clauses) {
    const Scores scores = score(clause, options_.clause_vector, each);
    const double best = best_of(scores.total, asking.pool);
    if (best <= 0) continue;
    for (const std::size_t tool : asking.pool) share[tool] = std::max(share[tool], scores.total[tool] / best);
  }
  return share;
}

ToolChoices ToolIndex::choose(std::string_view request, std::size_t most, std::span<const std::size_t> candidates,
                              const Models& models, const Deadline& deadline) const {
  request = cut_bytes(request, kMaxRequest);
  const auto pool = pool_of(candidates);
  const auto vectors = vectors_of(models);
  const Asking asking{pool, vectors.get(), models, deadline};
  const auto parts = request_clauses(request, options_.clauses);
  const double weight = options_.vector * sharpness(parts.size());
  const Scores whole = score(request, weight, asking);
  const auto clauses = score_clauses(parts, asking);

  ToolChoices choices;
  const bool by_words = whole.best_words > 0, by_vectors = !whole.vector.empty();
  choices.by = by_words && by_vectors ? "words+vectors" : by_vectors ? "vectors" : "words";
  for (const std::size_t tool : pool) {
    const double clause = clauses.empty() ? 0 : clauses[tool];
    if (!by_vectors && whole.words[tool] <= 0 && clause <= 0) continue;
    ToolChoice choice{tool, whole.total[tool] + options_.clause * clause, {}};
    if (by_words)
      choice.signals.push_back({"words", whole.words[tool], whole.trust * whole.words[tool] / whole.best_words});
    if (by_vectors) choice.signals.push_back({"vector", whole.vector[tool], weight * whole.vector[tool]});
    if (!clauses.empty()) choice.signals.push_back({"clause", clause, options_.clause * clause});
    choices.ranked.push_back(std::move(choice));
  }
  const auto better = [](const ToolChoice& a, const ToolChoice& b) {
    return a.score != b.score ? a.score > b.score : a.index < b.index;
  };
  const auto kept = static_cast<std::ptrdiff_t>(std::min(most, choices.ranked.size()));
  std::partial_sort(choices.ranked.begin(), choices.ranked.begin() + kept, choices.ranked.end(), better);
  choices.ranked.resize(static_cast<std::size_t>(kept));
  return choices;
}

std::string digest_of(std::span<const ToolInfo> tools) {
  std::string all;
  for (const ToolInfo& tool : tools)
    for (const std::string* part : {&tool.name, &tool.description, &tool.parameters})
      all += fmt::format("{}:{};", part->size(), *part);
  const XXH128_hash_t hash = XXH3_128bits(all.data(), all.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::shared_ptr<ToolIndex> ToolIndexes::of(std::span<const ToolInfo> tools) {
  std::string digest = digest_of(tools);
  auto entries = entries_.lock();
  const auto found =
      std::find_if(entries->begin(), entries->end(), [&digest](const Entry& entry) { return entry.digest == digest; });
  if (found != entries->end()) {
    std::rotate(found, found + 1, entries->end());
    return entries->back().index;
  }
  auto index = std::make_shared<ToolIndex>(std::vector<ToolInfo>(tools.begin(), tools.end()), options_);
  if (!entries->empty() && entries->size() >= most_) entries->erase(entries->begin());
  entries->push_back({std::move(digest), index});
  return index;
}

}  // namespace weft
