#include "eval/tool_sets.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "eval/json_lines.h"
#include "text/json.h"

namespace weft {
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
