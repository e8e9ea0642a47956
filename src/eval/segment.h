#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ports/embedding/embedder.h"
#include "ports/embedding/similarity.h"
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

/// How well the borders of several dialogues are found: means over dialogues.
struct SegmentFigures {
  std::size_t dialogues = 0;
  double f1 = 0, pk = 0, wd = 0;
  std::size_t found = 0, there = 0;
  double noise = 0;  ///< standard error of the score

  double score() const { return f1 / 2 + (1 - pk) / 4 + (1 - wd) / 4; }
};

/// One kind of dialogues: a labelled set, or joined talks of one language.
struct SegmentFamily {
  SegmentFigures never;  ///< where nothing is ever cut
  SegmentFigures left_out;  ///< by weights that were fitted on the other families; of talks, that saw no talks at all
  SegmentFigures one_out;  ///< the same, but talks of the other language may have been seen
  SegmentFigures fitted;  ///< by the weights that ship
  SegmentFigures words;  ///< as `left_out`, without vectors
};

struct FittedSegments {
  std::map<std::string, SegmentFamily> families;
  /// Joined talks decided at questions only and counted in blocks, by weights that saw no talks at all.
  std::map<std::string, SegmentFigures> blocks;
  /// Of one-subject talks of each source, how many cuts twenty turns get by the same weights, decided at questions.
  std::map<std::string, double> uncut;
  std::size_t rows = 0;
  std::string source;  ///< of weights/topics.json
};

struct SegmentFitOptions {
  std::vector<std::string> labelled;  ///< files; those that begin alike up to the first "_" are one family
  std::vector<std::string> talks;  ///< see `read_talks`
  std::vector<std::string> keep_out;  ///< sources of talks that are only measured
  std::vector<std::string> uncut;  ///< further talks, each of one subject: how often they are torn
  std::size_t dialogues = 280;  ///< of a family at most, spread over its files
  std::size_t turns = 6000;  ///< likewise
  std::size_t joins = 150;  ///< joined dialogues of a labelled family to learn from
  std::size_t joined_talks = 140;  ///< joined talks of a language to measure on, and as many to learn from
};

/// Fits the weights of the topic detector: trees over its signals, on labelled dialogues and on conversations that are
/// joined, whose borders need no labels. Each family, and each way of joining, weighs the same. Each family is measured
/// by weights that never saw it. From the same data and vectors the same weights.
Result<FittedSegments> fit_segments(const SegmentFitOptions& options, Embedder& embedder, const Similarity& similarity);

std::string to_json(const FittedSegments& fitted);

}  // namespace weft
