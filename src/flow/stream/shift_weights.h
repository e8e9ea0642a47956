#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "text/value.h"

namespace weft {

/// A small tree of decisions over signals: three questions, four answers. Node 0 is the root; a node whose signal is
/// below 0 is an answer. To the left goes what is not above the threshold.
struct ShiftTree {
  struct Node {
    std::int8_t signal = -1;   ///< its number in `shift_signal_names`
    std::int8_t left = 0;      ///< its number in the tree; the right one follows it
    float threshold = 0;
    float value = 0;           ///< what is known here of the logit; at an answer, what the tree adds
  };
  std::array<Node, 7> nodes;
};

/// The sum of small trees (gradient boosting), each signal monotone where its meaning is.
struct ShiftWeights {
  std::vector<ShiftTree> trees;
  double cut = 0;  ///< the logit from which on a new topic begins
};

/// Those of weights/topics.json, for as long as the program runs: with vectors, and without.
const ShiftWeights& shift_weights(bool vectors);

/// Trees as they stand in that file: of each seven nodes, [answer] or [signal, left node, threshold, value].
Value written(const std::vector<ShiftTree>& trees);

/// The sum of what the trees answer. `signals` in the order of `shift_signal_names`.
double shift_logit(std::span<const ShiftTree> trees, std::span<const double> signals);

}  // namespace weft
