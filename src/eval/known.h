#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "flow/recall/fusion.h"
#include "ports/embedding/embedder.h"
#include "ports/index/vector_scan.h"
#include "weft/config.h"
#include "weft/result.h"

namespace weft {

/// What one question found in one memory.
struct KnownCase {
  std::string set, question;
  bool own = false;       ///< the memory holds what answers it
  bool far = false;       ///< not own: a memory of another set
  bool vectors = false;   ///< vectors took part
  std::vector<RelevanceFeatures> hits;  ///< the best first
  double relevance = 0;                 ///< the highest of the hits
};

/// Probability that an own question has a higher relevance than a foreign one; 0.5 where one kind is missing.
double area_under_curve(std::vector<double> own, std::vector<double> foreign);

struct KnownOptions {
  std::size_t questions = 0;  ///< of each memory at most, spread evenly; 0: all
  std::string vectors;        ///< file that keeps the vectors of all texts, see `VectorFile`; empty: none
};

/// Asks every question in its own memory, which answers it; in the next one of its set, with the speakers' names
/// exchanged for those of that memory ("near"); and in one of another set of its language ("far"). Each of `sets` is a
/// folder or the beginning of file names as for `run_eval_recall`, or the name of a set of passages
/// (NAME.passages.jsonl), whose first and second half are two memories. Messages are indexed as the engine does it;
/// topics are not made. Takes as long as embedding the messages does; without an embedder words alone find.
Result<std::vector<KnownCase>> ask_known(const Config& config, const std::vector<std::string>& sets,
                                         std::size_t questions, Embedder* embedder, const LanguageMeans& means);

/// What a threshold does to questions. Shares are nothing where no such question was asked.
struct KnownTally {
  std::size_t own = 0, foreign = 0;
  double auc = 0.5;
  std::optional<double> own_refused, foreign_accepted, near_accepted, far_accepted;
};

KnownTally tally(const std::vector<const KnownCase*>& cases, double threshold);

/// Measures whether recall knows what it does not know, by the curve of the product and the configured threshold. Gives
/// the report as one line of JSON.
Result<std::string> run_eval_known(const Config& config, const std::vector<std::string>& sets,
                                   const KnownOptions& options);

}  // namespace weft
