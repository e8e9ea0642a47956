#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "eval/segment_fit.h"

/// What the fit of topic borders learns from and is measured on.
namespace weft {

/// A dialogue as the detector saw it: the signals of each turn but the first.
struct SeenDialogue {
  std::vector<std::size_t> starts;
  std::vector<bool> question;  ///< whether the turn may begin a block
  std::vector<std::vector<double>> signals;
};

/// Dialogues of one family that were made in one way: "labelled", "joined …", "measured", "uncut".
struct SeenGroup {
  std::string family, kind;
  bool fits = true;  ///< otherwise only measured
  std::vector<SeenDialogue> dialogues;
};

/// Whether a family is of talks that were joined, whatever their source.
bool is_talks(std::string_view family);

/// Everything that is watched: labelled dialogues, joined ones that are measured or learned from, pieces joined without
/// labels, and talks that have no border. Reads the files of the options and embeds every turn.
/// Fails where a file cannot be read or the embedder fails.
Result<std::vector<SeenGroup>> gather_dialogues(const SegmentFitOptions& options, Embedder& embedder,
                                                const Similarity& similarity);

}  // namespace weft
