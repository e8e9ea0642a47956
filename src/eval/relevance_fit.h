#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "eval/known.h"

namespace weft {

/// How well one set's questions are told from those that its memory cannot answer.
struct FittedKnownSet {
  KnownTally left_out;    ///< by a curve that was fitted on the other sets
  KnownTally fitted;      ///< by the curve that ships; of a set that is kept out the same as `left_out`
  KnownTally shipped;     ///< by the curve of the program that runs
  bool kept_out = false;  ///< nothing that ships was fitted on it
};

struct FittedRelevance {
  std::array<std::map<std::string, FittedKnownSet>, 2> sets;  ///< by words alone; with vectors
  std::array<FittedCurve, 2> curves;
  std::string source;  ///< of weights/known.json
};

struct RelevanceFitOptions {
  std::vector<std::string> sets;      ///< see `ask_known`
  std::vector<std::string> keep_out;  ///< sets that are only measured
  std::size_t questions = 100;        ///< of each memory at most
  double refused = 0.07;  ///< share of own questions that a fitted curve refuses: fewer, and prompts fill with
                          ///< what has nothing to do with the question
};

/// Fits both curves of relevance, by words alone and with vectors. Each set is also measured by curves that never saw
/// it. From the same data and vectors the same curves.
Result<FittedRelevance> fit_known(const Config& config, const RelevanceFitOptions& options, Embedder& embedder,
                                  const LanguageMeans& means);

std::string to_json(const FittedRelevance& fitted);

}  // namespace weft
