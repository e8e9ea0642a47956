#include "eval/tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>

#include "base/clock.h"
#include "base/log.h"
#include "eval/json_lines.h"
#include "flow/context/tool_index.h"
#include "text/json.h"
#include "text/weight_file.h"
#include "text/words.h"

namespace weft {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::size_t kRanked = 20;  // names written for each request
constexpr std::chrono::seconds kChunk{10};

class ToolEvaluation {
 public:
  ToolEvaluation(const ToolEvalOptions& options, Embedder* embedder, const Similarity& similarity)
      : options_(options), models_{embedder, &similarity, options.baseline != "vector"} {
    if (options.baseline == "bm25") models_.embedder = nullptr;
    if (!options.baseline.empty()) index_options_.clauses = 0;
  }

  Status open() {
    const auto& baseline = options_.baseline;
    if (!baseline.empty() && baseline != "bm25" && baseline != "vector")
      return invalid_argument("eval tools: no baseline is called \"" + baseline + "\"",
                              "baselines are bm25 and vector");
    if (baseline == "vector" && models_.embedder == nullptr)
      return unavailable("eval tools: no embedder", "`weft doctor` says why");
    if (options_.predictions.empty()) return {};
    predictions_.open(options_.predictions);
    if (!predictions_) return permission("eval tools: cannot write " + options_.predictions);
    return {};
  }

  Status run(const ToolSet& set) {
    ToolIndex index(set.tools, index_options_);
    if (models_.embedder != nullptr) WEFT_CHECK(embed(index, set.name));
    ToolScore score;
    for (const LabelledRequest& request : set.requests) {
      const int half = static_cast<int>(term_of(request.id) % 2) + 1;
      if (options_.half != 0 && options_.half != half) continue;
      const auto ranked = choose(index, set, request);
      for (ToolScore* one : {&score, &report_.all, &categories_[set.name + "/" + request.category]})
        add(*one, request, ranked);
    }
    report_.by_set.emplace_back(set.name, score);
    return {};
  }

  ToolEvalReport take() {
    if (report_.all.queries > 0) report_.choose_ms = total_ms_ / static_cast<double>(report_.all.queries);
    report_.by_category.assign(categories_.begin(), categories_.end());
    mean(report_.all);
    for (auto* scores : {&report_.by_set, &report_.by_category})
      for (auto& [name, score] : *scores) mean(score);
    return std::move(report_);
  }

 private:
  Status embed(ToolIndex& index, const std::string& set) {
    for (;;) {
      const Status done = index.embed(*models_.embedder, *models_.similarity, Deadline::after(kChunk));
      if (done.ok()) return {};
      if (done.error().code != ErrorCode::kTimeout) return done.error();
      log_info("eval.embedding", set);
    }
  }

  std::vector<std::size_t> choose(const ToolIndex& index, const ToolSet& set, const LabelledRequest& request) {
    const Stopwatch clock;
    const ToolChoices choices = index.choose(request.query, kRanked, request.candidates, models_, {});
    total_ms_ += clock.ms();
    report_.by = std::max(report_.by, choices.by, [](const std::string& a, const std::string& b) {
      return a.size() < b.size();  // the way that most spoke in
    });
    std::vector<std::size_t> ranked;
    std::vector<std::string> names;
    for (const ToolChoice& choice : choices.ranked) {
      ranked.push_back(choice.index);
      names.push_back(set.tools[choice.index].name);
    }
    if (predictions_.is_open())
      predictions_ << write_json(OrderedJson{{"id", request.id}, {"set", set.name}, {"ranked", names}}) << "\n";
    return ranked;
  }

  ToolEvalOptions options_;
  ToolIndexOptions index_options_ = tool_weights();
  ToolIndex::Models models_;
  std::ofstream predictions_;
  ToolEvalReport report_;
  std::map<std::string, ToolScore> categories_;
  double total_ms_ = 0;
};

OrderedJson json_of(const ToolScore& score) {
  return {{"queries", score.queries},
          {"recall@1", score.recall_at_1},
          {"recall@5", score.recall_at_5},
          {"any@5", score.any_at_5},
          {"all@5", score.all_at_5}};
}

}  // namespace

Result<ToolEvalReport> eval_tools(const std::vector<std::string>& prefixes, const ToolEvalOptions& options,
                                  Embedder* embedder, const Similarity& similarity) {
  std::vector<ToolSet> sets;
  for (const std::string& prefix : prefixes) {
    WEFT_TRY(auto set, read_tool_set(prefix));
    sets.push_back(std::move(set));
  }
  ToolEvaluation evaluation(options, embedder, similarity);
  WEFT_CHECK(evaluation.open());
  for (const ToolSet& set : sets) WEFT_CHECK(evaluation.run(set));
  return evaluation.take();
}

std::string to_json(const ToolEvalReport& report) {
  OrderedJson json = json_of(report.all);
  for (const auto& [set, score] : report.by_set) json["by_set"][set] = json_of(score);
  for (const auto& [category, score] : report.by_category) json["by_category"][category] = json_of(score);
  json["by"] = report.by;
  json["choose_ms"] = report.choose_ms;
  return write_json(json);
}

namespace {

using Json = nlohmann::json;

constexpr std::size_t kCut = 5;

Status take_tool(ToolSet& set, const Json& json) {
  ToolInfo tool;
  tool.name = json.at("name").get<std::string>();
  tool.description = json.value("description", "");
  if (json.contains("parameters")) tool.parameters = write_json(json.at("parameters"));
  if (!set.places.try_emplace(tool.name, set.tools.size()).second)
    return invalid_argument("a second tool is called \"" + tool.name + "\"");
  set.tools.push_back(std::move(tool));
  return {};
}

Result<std::vector<std::size_t>> places_of(const ToolSet& set, const Json& names) {
  std::vector<std::size_t> places;
  for (const std::string& name : names.get<std::vector<std::string>>()) {
    const auto found = set.places.find(name);
    if (found == set.places.end()) return invalid_argument("no tool is called \"" + name + "\"");
    places.push_back(found->second);
  }
  return places;
}

Status take_request(ToolSet& set, const Json& json) {
  LabelledRequest request;
  request.id = json.at("id").get<std::string>();
  request.query = json.at("query").get<std::string>();
  request.category = json.value("category", "");
  WEFT_TRY(request.gold, places_of(set, json.at("gold")));
  if (request.gold.empty()) return invalid_argument("\"gold\" is empty");
  if (json.contains("candidates")) {
    WEFT_TRY(request.candidates, places_of(set, json.at("candidates")));
  }
  set.requests.push_back(std::move(request));
  return {};
}

}  // namespace

Result<ToolSet> read_tool_set(const std::string& prefix) {
  ToolSet set;
  set.name = std::filesystem::path(prefix).filename().string();
  const std::string tools = prefix + ".tools.jsonl", requests = prefix + ".queries.jsonl";
  for (const std::string& file : {tools, requests})
    if (!std::filesystem::exists(file))
      return not_found("tools: cannot read " + file, "PREFIX of PREFIX.tools.jsonl and PREFIX.queries.jsonl");
  WEFT_CHECK(each_json_line(tools, [&](const Json& json, std::size_t) { return take_tool(set, json); }));
  WEFT_CHECK(each_json_line(requests, [&](const Json& json, std::size_t) { return take_request(set, json); }));
  return set;
}

ToolScore& ToolScore::operator+=(const ToolScore& other) {
  queries += other.queries;
  recall_at_1 += other.recall_at_1;
  recall_at_5 += other.recall_at_5;
  any_at_5 += other.any_at_5;
  all_at_5 += other.all_at_5;
  return *this;
}

void add(ToolScore& sum, const LabelledRequest& request, const std::vector<std::size_t>& ranked) {
  const auto found = [&](std::size_t cut) {
    return static_cast<double>(std::count_if(request.gold.begin(), request.gold.end(), [&](std::size_t wanted) {
      const auto end = ranked.begin() + static_cast<std::ptrdiff_t>(std::min(cut, ranked.size()));
      return std::find(ranked.begin(), end, wanted) != end;
    }));
  };
  const auto wanted = static_cast<double>(request.gold.size());
  const double five = found(kCut);
  ++sum.queries;
  sum.recall_at_1 += found(1) / wanted;
  sum.recall_at_5 += five / wanted;
  sum.any_at_5 += five > 0 ? 1 : 0;
  sum.all_at_5 += five >= wanted ? 1 : 0;
}

void mean(ToolScore& sum) {
  if (sum.queries == 0) return;
  const auto count = static_cast<double>(sum.queries);
  for (double* value : {&sum.recall_at_1, &sum.recall_at_5, &sum.any_at_5, &sum.all_at_5}) *value /= count;
}

namespace {

constexpr std::size_t kRankedToFit = 5;
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

/// Scores sets by weights; what was asked before is looked up.
class Scores {
 public:
  Scores(const std::vector<ToolSet>& sets, Embedder* embedder, const Similarity& similarity)
      : sets_(sets), models_{embedder, &similarity, true} {}

  /// What every `thin`th request finds, in their order.
  Result<std::vector<ToolScore>> each(std::size_t set, const ToolIndexOptions& options, std::size_t thin) const {
    ToolIndex index(sets_[set].tools, options);
    if (models_.embedder != nullptr) WEFT_CHECK(index.embed(*models_.embedder, *models_.similarity, Deadline()));
    std::vector<ToolScore> found;
    for (std::size_t i = 0; i < sets_[set].requests.size(); i += thin) {
      const LabelledRequest& request = sets_[set].requests[i];
      std::vector<std::size_t> ranked;
      for (const ToolChoice& one : index.choose(request.query, kRankedToFit, request.candidates, models_, {}).ranked)
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
