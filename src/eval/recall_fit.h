#pragma once

#include <map>
#include <string>
#include <vector>

#include "eval/recall_metrics.h"
#include "flow/recall/recipes.h"
#include "ports/embedding/embedder.h"
#include "weft/config.h"
#include "weft/result.h"

namespace weft {

/// One kind of memory: all sets whose folders share a name.
struct FamilyScores {
  RecallScore words, vectors;  ///< BM25 alone, cosines alone
  RecallScore left_out;        ///< by weights that were fitted on the other families
  RecallScore fitted;  ///< by the weights that ship; those of a family that is kept out were fitted without it
  RecallScore shipped;  ///< by the weights of the program that runs
  double noise = 0;  ///< standard error of recall@5 of `left_out`, over questions
  bool kept_out = false;  ///< nothing that ships was fitted on it
};

/// The first conversation of a family, in a memory of its own and in one that all families share.
struct SharedMemoryScores {
  RecallScore alone, together;
};

struct FittedRecall {
  std::map<std::string, FamilyScores> families;
  std::map<std::string, SharedMemoryScores> shared;  ///< by the weights that ship
  Recipe recipe;
  std::string source;  ///< of weights/recall.json
};

struct RecallFitOptions {
  std::vector<std::string> sets;  ///< folders or beginnings of file names, see `find_conversations`
  std::vector<std::string> keep_out;  ///< families that are only measured
  std::size_t thin = 1;  ///< of the messages that answer nothing every so manyth is kept
};

/// Fits the weights of the balanced recipe: one after another, each on a grid, for the mean over families of recall@5
/// and half of recall@10; the middle of all values that do nearly as well is taken, and a weight that hardly matters
/// keeps a round number that was chosen without data. From the same data the same weights. Each family is also measured
/// by weights that never saw it.
Result<FittedRecall> fit_recall(const Config& config, const RecallFitOptions& options, Embedder* embedder,
                                const LanguageMeans& means);

std::string to_json(const FittedRecall& fitted);

}  // namespace weft
