#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "flow/recall/context_words.h"
#include "flow/recall/query.h"
#include "flow/recall/recipes.h"
#include "ports/index/scope_index.h"

namespace weft {

/// What both arms found on one shelf, one entry a unit. Reused between searches.
struct ArmScores {
  std::span<const float> words;        ///< BM25; 0 where no word is found or it is not visible
  std::span<const float> vector;       ///< cosine; 0 where it is not embedded or not visible
  std::vector<std::uint8_t> visible;   ///< passes all filters
  std::vector<std::uint8_t> embedded;  ///< is visible and has a vector
  bool all_visible = false;            ///< nothing is filtered or inactive
  bool all_embedded = false;           ///< everything is visible and has a vector

  std::vector<float> slot_words;       ///< of every part; empty where nobody asks for them
  std::vector<float> slot_vector;
  std::vector<float> unit_words;       ///< what `words` and `vector` look at where messages have several parts
  std::vector<float> unit_vector;
  ContextScratch context;
};

/// The filters of a query as numbers of the index.
struct Filter {
  std::optional<std::int64_t> from_ms, to_ms;
  std::optional<std::uint32_t> session, not_session;
  bool nothing = false;  ///< the session asked for has no items
};

Filter filter_of(const RecallQuery& query, const ScopeIndex::Reading& index);

/// Marks the units that may be found. Filters come before any ranking, so that neither the order nor the scale of the
/// scores depends on what is left out.
void mark_visible(const Shelf& shelf, const Filter& filter, ArmScores& scores);

/// BM25 of every visible unit for the words: of its best part, or of the whole of it in its context.
void score_words(const Shelf& shelf, std::span<const WordsIndex::QueryTerm> terms, const Recipe& recipe,
                 ArmScores& scores);

/// Cosine of every visible unit with the query's vector: of its best part, or of centred vectors the mean over its
/// parts.
void score_vectors(const Shelf& shelf, std::span<const float> query, const Recipe& recipe, ArmScores& scores);

/// What makes scores of different shelves and scopes comparable.
struct ScoreScale {
  std::size_t units = 0;         ///< how many are active, visible or not
  std::size_t asked = 0;         ///< words of the question that count
  float best_words = 0;          ///< BM25 of the best hit
  float mean = 0, deviation = 0; ///< of the cosines; 0: no vectors
  float best_cosine = 0;
  std::size_t count = 0;         ///< how many cosines there are

  /// False where there are too few vectors, or none that differ: then everything is weighed by its words, so that
  /// what has no vector yet does not stand before what has the only one.
  bool tells_apart() const { return deviation > 0; }

  double of_words(double bm25, const Recipe& recipe) const;
  double of_cosine(double cosine, const Recipe& recipe) const;

  /// For what has no vector (yet): as near as its words are good.
  double expected(double bm25, const Recipe& recipe) const;
};

/// Cosines are measured over everything that is visible, so that events and messages are on one scale. `units` of all
/// shelves; `asked`: how many words the question has.
ScoreScale measure_scale(std::span<const ArmScores* const> shelves, std::size_t units, std::size_t asked);

/// The parts of a unit's score, each already weighted. Reused between searches.
struct FusedScores {
  std::vector<float> base;        ///< words and vector
  std::vector<float> asked;       ///< from the question before it
  std::vector<float> days;        ///< from the days that are named; empty where none is
  std::vector<float> dates;       ///< from days told by the moment of asking, likewise
  std::vector<float> speakers;    ///< from who is named; empty where nobody is
  std::vector<float> total;
};

/// Weighs all signals of one shelf. A unit that neither its text nor its context nor a named day speak for gets
/// a total of −infinity, so that it is never a result.
void fuse(const Shelf& shelf, const ArmScores& arms, const ScoreScale& scale, const QueryText& query,
          std::span<const std::uint16_t> speakers, const Recipe& recipe, FusedScores& fused);

/// Parts of the sum for one unit: words, vector, expected, asked, days, dates, speaker, question, assistant.
/// Those that add nothing are left out.
std::vector<Signal> explain(const Shelf& shelf, std::size_t unit, const ArmScores& arms, const ScoreScale& scale,
                            const Recipe& recipe, const FusedScores& fused);

}  // namespace weft
