#pragma once

#include <map>
#include <string>
#include <vector>

#include "eval/segment.h"
#include "ports/embedding/embedder.h"
#include "ports/embedding/similarity.h"
#include "weft/result.h"

namespace weft {

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
  SegmentFigures never;     ///< where nothing is ever cut
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
