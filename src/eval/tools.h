#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "flow/context/tool_index.h"
#include "ports/embedding/embedder.h"
#include "weft/result.h"
#include "weft/task.h"

namespace weft {

/// Shares of the tools that a request needs, as means over requests.
struct ToolScore {
  std::size_t queries = 0;
  double recall_at_1 = 0, recall_at_5 = 0;
  double any_at_5 = 0;  ///< one of them among the first five
  double all_at_5 = 0;  ///< all of them: what a request for several things needs

  /// Sums, where both are sums.
  ToolScore& operator+=(const ToolScore& other);
};

struct ToolEvalOptions {
  std::string baseline;     ///< "" as configured; "bm25" words of the whole request alone; "vector" its vector alone
  std::string predictions;  ///< file for {"id", "set", "ranked"} lines; empty: none
  int half = 0;             ///< 0 all requests; 1 or 2: one half of them, by their id
};

struct ToolEvalReport {
  ToolScore all;
  std::vector<std::pair<std::string, ToolScore>> by_set;       ///< in the order of the prefixes
  std::vector<std::pair<std::string, ToolScore>> by_category;  ///< SET/CATEGORY, by name
  std::string by;          ///< what spoke: "words", "vectors" or "words+vectors"
  double choose_ms = 0;    ///< mean time of one choice, with the embedding of the request
};

/// Chooses tools for labelled requests. Each prefix names PREFIX.tools.jsonl ({"name", "description", "parameters"})
/// and PREFIX.queries.jsonl ({"id", "query", "gold": [names], "category", "candidates": [names]}); `candidates`, where
/// they are given, are all that may be chosen. Without an embedder words decide. Errors name file and line; requests
/// and tools that contradict each other (an unknown name, the same name twice) are errors too.
Result<ToolEvalReport> eval_tools(const std::vector<std::string>& prefixes, const ToolEvalOptions& options,
                                  Embedder* embedder, const Similarity& similarity);

/// The report as one line of JSON.
std::string to_json(const ToolEvalReport& report);

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
