#pragma once

#include <map>
#include <string>
#include <vector>

#include "eval/facts.h"
#include "flow/memory/fact_meaning.h"
#include "ports/embedding/embedder.h"
#include "ports/embedding/similarity.h"
#include "weft/result.h"

namespace weft {

struct FactFitOptions {
  std::vector<std::string> files;  ///< as for `read_fact_cases`; or lines of {"text": a sentence, "fact": bool}
  std::string data;                ///< the folder that sources are below
  std::vector<std::string> keep_out;  ///< families that are measured and not fitted on
};

/// How the messages of one family in one file fare.
struct FactFitRow {
  bool graded = false;  ///< the file tells light facts from those that are wanted
  FactCounts grammar;   ///< by the grammars alone
  FactCounts left_out;  ///< with weights that saw nothing of the family
  FactCounts folds;     ///< with weights that saw the family, but not the conversation: five folds
  FactCounts all;       ///< with those that ship; of what is kept out the same as left out
};

/// Fitted weights, the source file in which they ship, and what they do.
struct FittedFacts {
  FactWeights weights;
  std::string source;
  std::map<std::string, FactFitRow> rows;  ///< by "FAMILY FILE": "tiage en_4"; a family is a set up to its first "_"
};

/// Fits the curve of `FactWeights` to the sentences of judged messages: one is true where it holds the value of a fact
/// that a reader found in its message; one that holds light facts alone is no example. Messages of graded files count
/// five times. Newton's method with fixed penalties on the squares of the weights. The limit of each language is where
/// facts found, less two for each wrong one, are most, of those limits that find 70 % of the facts stated with at most
/// 10 % wrong of those read; where there is none, the one that misses this by least. That is counted in graded files
/// (in all where there are none), with weights that saw nothing of the conversation; for a family that is left out, by
/// the others, with weights that saw nothing of theirs. The same data and embedder give the same weights. Errors: those
/// of files and embedder.
Result<FittedFacts> fit_facts(const FactFitOptions& options, Embedder& embedder, const Similarity& similarity);

/// The rows and the macro-averages over families, as JSON: of graded files, and of the others, by whether another
/// reader than the rules' author judged them.
std::string to_json(const FittedFacts& fitted);

}  // namespace weft
