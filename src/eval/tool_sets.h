#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "eval/tools.h"
#include "weft/result.h"
#include "weft/task.h"

namespace weft {

/// A request with the places of the tools that it needs, and of all that may be chosen (none: any).
struct LabelledRequest {
  std::string id, query, category;
  std::vector<std::size_t> gold, candidates;
};

/// Tools with requests for them.
struct ToolSet {
  std::string name;
  std::vector<ToolInfo> tools;
  std::unordered_map<std::string, std::size_t> places;
  std::vector<LabelledRequest> requests;
};

/// Reads PREFIX.tools.jsonl and PREFIX.queries.jsonl, see `eval_tools`. Errors name file and line.
Result<ToolSet> read_tool_set(const std::string& prefix);

/// Sums while requests are counted, means once `mean` was taken.
void add(ToolScore& sum, const LabelledRequest& request, const std::vector<std::size_t>& ranked);
void mean(ToolScore& sum);

}  // namespace weft
