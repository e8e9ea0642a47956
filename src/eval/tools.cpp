#include "eval/tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "base/clock.h"
#include "base/log.h"
#include "eval/json_lines.h"
#include "flow/context/tool_index.h"
#include "text/json.h"
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

}  // namespace weft
