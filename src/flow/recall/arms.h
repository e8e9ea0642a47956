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

}  // namespace weft
