#pragma once

#include <map>
#include <string>
#include <vector>

#include "eval/tools.h"
#include "flow/context/tool_index.h"

namespace weft {

/// One set of tools and requests.
struct FittedToolSet {
  ToolScore left_out;  ///< by weights that were fitted on the other sets
  ToolScore fitted;    ///< by the weights that were fitted on all
  ToolScore shipped;   ///< by the weights of the program that runs
  double noise = 0;    ///< standard error of recall@5 of `left_out`, over requests
  std::map<std::string, ToolScore> by_category;  ///< `left_out`, of each category of requests
};

struct FittedTools {
  std::map<std::string, FittedToolSet> sets;
  ToolIndexOptions weights;
  std::string source;  ///< of weights/tools.json
};

/// Fits the weights by which tools are chosen: one after another, each on a grid, for the mean over sets of recall@5,
/// on every `thin`th request; a weight that hardly matters keeps a round number that was chosen without data. Each set
/// is also measured, on all requests, by weights that never saw it. From the same data the same weights.
Result<FittedTools> fit_tools(const std::vector<std::string>& prefixes, std::size_t thin, Embedder* embedder,
                              const Similarity& similarity);

std::string to_json(const FittedTools& fitted);

}  // namespace weft
