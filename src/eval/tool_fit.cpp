#include "eval/tool_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "base/log.h"
#include "eval/tool_sets.h"
#include "text/json.h"
#include "text/weight_file.h"

namespace weft {
namespace {

constexpr std::size_t kRanked = 5;
constexpr int kPasses = 2;
constexpr double kMatters = 0.001, kPlateau = 0.0015;  // of recall@5

struct Fitted {
  const char* name;
  std::function<double&(ToolIndexOptions&)> weight;
  double prior;  ///< where the data do not tell
  std::vector<double> grid;
};

const std::vector<Fitted>& fitted_weights() {
  using Options = ToolIndexOptions;
  static const std::vector<Fitted> all{
      {"words.name", [](Options& o) -> double& { return o.words.name; }, 1, {0.5, 1, 1.5, 2, 3}},
      {"words.parameter_name", [](Options& o) -> double& { return o.words.parameter_name; }, 0.5, {0, 0.3, 0.5, 1}},
      {"words.parameter_description",
       [](Options& o) -> double& { return o.words.parameter_description; },
       0.5,
       {0, 0.3, 0.5, 1}},
      {"words.value", [](Options& o) -> double& { return o.words.value; }, 0.5, {0, 0.2, 0.5, 1}},
      {"words.b", [](Options& o) -> double& { return o.words.b; }, 0.75, {0.4, 0.6, 0.75, 0.9, 1}},
      {"vector", [](Options& o) -> double& { return o.vector; }, 0.5, {0, 0.25, 0.5, 0.75, 1}},
      {"clause_vector", [](Options& o) -> double& { return o.clause_vector; }, 0.5, {0, 0.2, 0.35, 0.5}},
      {"clause", [](Options& o) -> double& { return o.clause; }, 1, {0, 0.5, 1, 1.5}}};
  return all;
}

using Weights = std::vector<double>;  ///< in the order of `fitted_weights`

ToolIndexOptions with_weights(const Weights& weights) {
  ToolIndexOptions options;
  for (std::size_t i = 0; i < weights.size(); ++i) fitted_weights()[i].weight(options) = weights[i];
  return options;
}

ToolScore mean_of(const std::vector<ToolScore>& each) {
  ToolScore sum;
  for (const ToolScore& one : each) sum += one;
  mean(sum);
  return sum;
}

/// Vectors that are asked for the same requests by one setting of weights after another. For one thread.
class RememberedVectors final : public ToolVectors {
 public:
  Result<std::vector<float>> score(std::string_view request, Embedder& embedder, const Similarity& similarity,
                                   const Deadline& deadline) const override {
    const auto known = known_.find(request);
    if (known != known_.end()) return known->second;
    WEFT_TRY(auto scores, ToolVectors::score(request, embedder, similarity, deadline));
    return known_.emplace(request, std::move(scores)).first->second;
  }

 private:
  mutable std::map<std::string, std::vector<float>, std::less<>> known_;
};

/// What of a set does not depend on weights.
struct ReadTools {
  ToolTerms terms;
  std::shared_ptr<const ToolVectors> vectors;  ///< null without an embedder
};

/// Scores sets by weights; what was asked before is looked up.
class Scores {
 public:
  Scores(const std::vector<ToolSet>& sets, Embedder* embedder, const Similarity& similarity)
      : sets_(sets), models_{embedder, &similarity, true} {}

  /// Reads and embeds the tools; before anything is scored.
  Status read() {
    for (const ToolSet& set : sets_) {
      ReadTools one{ToolTerms(set.tools), nullptr};
      if (models_.embedder != nullptr) {
        auto vectors = std::make_shared<RememberedVectors>();
        WEFT_CHECK(vectors->embed(set.tools, *models_.embedder, *models_.similarity, Deadline()));
        one.vectors = std::move(vectors);
      }
      log_info("fit.tools", "read " + set.name);
      read_.push_back(std::move(one));
    }
    return {};
  }

  /// What every `thin`th request finds, in their order.
  Result<std::vector<ToolScore>> each(std::size_t set, const ToolIndexOptions& options, std::size_t thin) const {
    const ToolIndex index(sets_[set].tools, read_[set].terms, read_[set].vectors, options);
    std::vector<ToolScore> found;
    for (std::size_t i = 0; i < sets_[set].requests.size(); i += thin) {
      const LabelledRequest& request = sets_[set].requests[i];
      std::vector<std::size_t> ranked;
      for (const ToolChoice& one : index.choose(request.query, kRanked, request.candidates, models_, {}).ranked)
        ranked.push_back(one.index);
      add(found.emplace_back(), request, ranked);
    }
    return found;
  }

  /// The mean of that.
  Result<ToolScore> score(std::size_t set, const ToolIndexOptions& options, std::size_t thin) const {
    WEFT_TRY(const auto found, each(set, options, thin));
    return mean_of(found);
  }

  Result<double> recall(std::size_t set, const Weights& weights, std::size_t thin) {
    const auto known = known_.find({set, weights});
    if (known != known_.end()) return known->second;
    WEFT_TRY(const ToolScore found, score(set, with_weights(weights), thin));
    return known_[{set, weights}] = found.recall_at_5;
  }

 private:
  const std::vector<ToolSet>& sets_;
  ToolIndex::Models models_;
  std::vector<ReadTools> read_;  ///< in the order of the sets
  std::map<std::pair<std::size_t, Weights>, double> known_;
};

Result<Weights> fit(Scores& scores, const std::set<std::size_t>& used, std::size_t thin) {
  const auto worth = [&](const Weights& weights) -> Result<double> {
    double sum = 0;
    for (const std::size_t set : used) {
      WEFT_TRY(const double one, scores.recall(set, weights, thin));
      sum += one;
    }
    return sum / static_cast<double>(used.size());
  };
  Weights weights;
  for (const Fitted& one : fitted_weights()) weights.push_back(one.prior);
  for (int pass = 0; pass < kPasses; ++pass) {
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const Fitted& one = fitted_weights()[i];
      std::vector<double> values;
      for (const double value : one.grid) {
        Weights tried = weights;
        tried[i] = value;
        WEFT_TRY(const double found, worth(tried));
        values.push_back(found);
      }
      const auto [worst, best] = std::minmax_element(values.begin(), values.end());
      if (*best - *worst < kMatters) continue;
      double sum = 0, count = 0;
      for (std::size_t v = 0; v < values.size(); ++v) {
        if (values[v] < *best - kPlateau) continue;
        sum += one.grid[v];
        ++count;
      }
      weights[i] = std::round(sum / count * 100) / 100;
    }
    log_info("fit.tools", fmt::format("pass {} of {}", pass + 1, kPasses));
  }
  return weights;
}

std::string source_of(const Weights& weights) {
  ValueObject entries;
  for (std::size_t i = 0; i < weights.size(); ++i) entries.emplace_back(fitted_weights()[i].name, weights[i]);
  return WeightFile("tools", std::move(entries)).source();
}

/// Of recall@5.
double standard_error(const std::vector<ToolScore>& each) {
  const auto count = static_cast<double>(each.size());
  double sum = 0, squares = 0;
  for (const ToolScore& one : each) {
    sum += one.recall_at_5;
    squares += one.recall_at_5 * one.recall_at_5;
  }
  return count < 2 ? 0 : std::sqrt(std::max(0.0, squares / count - sum / count * sum / count) / (count - 1));
}

}  // namespace

Result<FittedTools> fit_tools(const std::vector<std::string>& prefixes, std::size_t thin, Embedder* embedder,
                              const Similarity& similarity) {
  std::vector<ToolSet> sets;
  std::set<std::size_t> all;
  for (const std::string& prefix : prefixes) {
    WEFT_TRY(auto set, read_tool_set(prefix));
    // Among a few candidates of its own nearly every request finds its tool, which tells weights nothing.
    for (LabelledRequest& request : set.requests) request.candidates.clear();
    all.insert(sets.size());
    sets.push_back(std::move(set));
  }
  if (sets.size() < 2) return invalid_argument("fit tools: fewer than two sets to fit on");
  Scores scores(sets, embedder, similarity);
  WEFT_CHECK(scores.read());
  WEFT_TRY(const Weights weights, fit(scores, all, std::max<std::size_t>(1, thin)));
  FittedTools fitted;
  fitted.weights = with_weights(weights);
  fitted.source = source_of(weights);
  for (const std::size_t set : all) {
    FittedToolSet& one = fitted.sets[sets[set].name];
    std::set<std::size_t> others = all;
    others.erase(set);
    WEFT_TRY(const Weights left_out, fit(scores, others, std::max<std::size_t>(1, thin)));
    WEFT_TRY(const auto each, scores.each(set, with_weights(left_out), 1));
    one.left_out = mean_of(each);
    for (std::size_t i = 0; i < each.size(); ++i) one.by_category[sets[set].requests[i].category] += each[i];
    for (auto& [category, score] : one.by_category) mean(score);
    WEFT_TRY(one.fitted, scores.score(set, fitted.weights, 1));
    WEFT_TRY(one.shipped, scores.score(set, tool_weights(), 1));
    one.noise = standard_error(each);
    log_info("fit.tools", "without " + sets[set].name);
  }
  return fitted;
}

std::string to_json(const FittedTools& fitted) {
  nlohmann::ordered_json json;
  for (const auto& [name, set] : fitted.sets) {
    json["sets"][name] = {{"requests", set.left_out.queries},
                          {"left_out", set.left_out.recall_at_5},
                          {"noise", set.noise},
                          {"fitted", set.fitted.recall_at_5},
                          {"shipped", set.shipped.recall_at_5},
                          {"left_out_all", set.left_out.all_at_5}};
    for (const auto& [category, score] : set.by_category)
      json["sets"][name]["left_out_by_category"][category] = {{"requests", score.queries},
                                                              {"recall@5", score.recall_at_5}};
  }
  ToolIndexOptions weights = fitted.weights;
  for (const Fitted& one : fitted_weights()) json["weights"][one.name] = one.weight(weights);
  return write_json(json);
}

}  // namespace weft
