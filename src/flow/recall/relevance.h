#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "flow/recall/fusion.h"
#include "flow/recall/query.h"
#include "flow/recall/ranking.h"

namespace weft {

/// A property with its name and what it weighs: where no vector takes part, and where one does.
struct RelevanceWeight {
  std::string_view name;
  double RelevanceFeatures::* value;
  double words, vectors;
  /// Fitted to any value; to what speaks for a hit only, so that more matched words never lower its relevance; or
  /// chosen, and left alone by fitting.
  enum class Sign { kAny, kFor, kChosen } sign = Sign::kAny;
};

/// A logistic curve over the features.
struct RelevanceCurves {
  double words_bias, vectors_bias;
  std::array<RelevanceWeight, 17> weights;
};

/// The curves of weights/known.json.
const RelevanceCurves& relevance_curves();

/// How sure it is that a hit has to do with the question, from 0 to 1.
double relevance_of(const RelevanceFeatures& features);

/// Judges the hits of one search on one shelf. Unlike scores, which only order what is there, these figures are meant
/// to be compared between searches and scopes, so nothing in them is measured against the best hit.
///
/// Made once for a search; a hit costs some look-ups for each word of the question. Holds references to all it is
/// given.
class RelevanceJudge {
 public:
  RelevanceJudge(const QueryText& query, std::span<const std::uint16_t> speakers, const Shelf& shelf,
                 const ArmScores& arms, const ScoreScale& scale);

  RelevanceFeatures judge(std::uint32_t unit) const;

 private:
  /// A word of the question.
  struct Word {
    Term term = 0;
    double weight = 0;  ///< by its rarity
    std::uint16_t speaker = 0;  ///< the speaker whose name it is part of; 0: none
  };

  void read_words(const QueryText& query, std::span<const std::uint16_t> speakers);
  bool holds(std::uint32_t unit, const Word& word) const;
  double deviations(std::uint32_t unit) const;

  const Shelf& shelf_;
  const ArmScores& arms_;
  const ScoreScale& scale_;
  std::vector<Word> words_;  ///< each once
  std::vector<DayRange> days_;
  double weight_ = 0;   ///< of all words together
  double unknown_ = 0;  ///< of those that stand nowhere
  double count_ = 0;  ///< of the words, terms of Chinese as halves
  bool text_ = false;  ///< no question but a text
  bool chinese_ = false, personal_ = false, bare_ = false;
};

}  // namespace weft
