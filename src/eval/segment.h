#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ports/embedding/embedder.h"
#include "weft/config.h"
#include "weft/result.h"

namespace weft {

/// One turn of a labelled dialogue; `role` is "user", "assistant", a speaker's name or "unknown".
struct LabelledTurn {
  std::string role;
  std::string text;
};

/// A dialogue with the indices of the turns that begin a topic, ascending, the first always 0.
struct LabelledDialogue {
  std::string id;
  std::vector<LabelledTurn> turns;
  std::vector<std::size_t> starts;
};

/// Reads JSON Lines of {"id", "turns": [{"role", "text"}], "starts": [...]}. Errors name file and line.
Result<std::vector<LabelledDialogue>> read_labelled_dialogues(const std::string& path);

/// How well borders match, for one dialogue. Lower is better for `pk` and `wd`.
struct SegmentScore {
  double pk = 0;
  double wd = 0;
  double f1 = 0;
};

/// Window measures with k = max(2, round(turns / segments / 2)) over flags at the last turn of each segment, and the F1
/// of exact borders (0 where none is right, also where there is none to find). `starts` hold the turns that begin a
/// segment; 0 is not a border.
SegmentScore score_segments(std::size_t turns, const std::vector<std::size_t>& gold,
                            const std::vector<std::size_t>& predicted);

enum class SegmentUnit {
  kTurn,  ///< one decision a turn
  kBlock,  ///< one decision a user's turn, with the replies that follow it; where roles are unknown two turns are a
           ///< block
};

struct SegmentOptions {
  StreamSettings stream;
  SegmentUnit unit = SegmentUnit::kTurn;
  std::string predictions;  ///< file for {"id", "starts"} lines; empty: none
};

struct SegmentReport {
  std::int64_t dialogues = 0;
  double pk = 0;
  double wd = 0;
  double f1 = 0;
  std::int64_t gold = 0;  ///< borders there are
  std::int64_t predicted = 0;
  double p50_ms = 0;  ///< of one decision with its embedding
  double p95_ms = 0;
};

/// The turns at which the stream's detector, with these settings, begins a topic; one decision a unit, without the
/// future. `embedder` may be null: then words decide. `times_ms` takes the time of each decision.
Result<std::vector<std::size_t>> detect_topics(const LabelledDialogue& dialogue, const SegmentOptions& options,
                                               Embedder* embedder, const Similarity& similarity,
                                               std::vector<double>& times_ms);

/// Runs the detector over labelled files; each measure is the mean over dialogues.
Result<SegmentReport> eval_segments(const std::vector<std::string>& files, const SegmentOptions& options,
                                    Embedder* embedder, const Similarity& similarity);

/// The report as one line of JSON.
std::string to_json(const SegmentReport& report);

}  // namespace weft
