#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flow/memory/said_facts.h"
#include "text/weight_file.h"

namespace weft {

/// What the grammars say of a sentence beside its meaning.
struct WishSigns {
  bool clause = false;   ///< `standing_wishes` finds one
  bool general = false;  ///< `is_general_wish` says so
};
WishSigns wish_signs(std::string_view sentence);

/// A logistic curve over a sentence's centred vector and its signs. Fitted by tools/fit/wishes.py.
struct WishWeights {
  std::string embedder;  ///< the model's family: embedders whose name holds it
  double bias = 0, clause = 0, general = 0;
  std::vector<float> vector;
};

/// Those of weights/wishes.json; null where they are another embedder's: then grammar alone decides.
const WishWeights* wish_weights(std::string_view embedder);

/// What such a file says.
WishWeights read_wish_weights(const WeightFile& file);

/// The log-odds that a sentence tells how its speaker wants to be answered from now on.
double wish_logit(const WishWeights& weights, std::string_view sentence, std::span<const float> centred);

/// The sentences of a message whose meaning is worth a look: at most eight, that speak of what answers are like or say
/// that something holds on.
std::vector<std::string_view> wish_sentences(std::string_view message);

/// The centred vector of a sentence; empty where there is none now.
using SentenceVector = std::function<std::vector<float>(std::string_view)>;

/// Standing wishes of a message by the meaning of its sentences, in whatever words, beside those that the grammar has
/// `found`: these are not given again, and where only a whole sentence spoke for one and its meaning does not, it loses
/// its text. `subject` as for `read_said`.
std::vector<SaidFact> judge_wishes(std::string_view message, const std::string& subject, const WishWeights& weights,
                                   const SentenceVector& vector_of, std::vector<SaidFact>& found);

}  // namespace weft
