#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ports/embedding/embedder.h"
#include "ports/embedding/similarity.h"
#include "weft/result.h"

namespace weft {

struct CalibrateOptions {
  std::size_t texts_per_language = 1500;  ///< texts that are embedded, spread over the dialogues
  double cut = 0.6;                       ///< what the best cut shall be mapped to
};

struct Calibration {
  Similarity similarity = Similarity::raw();
  std::int64_t texts = 0;
  std::int64_t pairs = 0;
  double best_cosine = 0;        ///< centred cosine of the best cut
  double balanced_accuracy = 0;  ///< there, with both kinds of pairs weighing the same
};

/// Fits the means and the curve of an embedder: pairs of neighbours within a topic against pairs of two topics or
/// dialogues of the same language. Deterministic. Errors: those of reading and embedding; kInvalidArgument where the
/// data have no pairs of both kinds.
Result<Calibration> calibrate_similarity(const std::vector<std::string>& files, Embedder& embedder,
                                         const CalibrateOptions& options);

}  // namespace weft
