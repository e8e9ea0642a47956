#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flow/recall/query.h"
#include "ports/index/scope_index.h"
#include "weft/config.h"
#include "weft/memory.h"
#include "weft/result.h"

namespace weft {

/// What speaks for a hit, in figures that mean the same in every search and scope. "Words" are the question's, each
/// weighing by its rarity.
struct RelevanceFeatures {
  /// Share of the words' weight that the item holds; a speaker's name counts as held by what they said.
  double own = 0;
  double window = 0;   ///< the same with the messages before and after it
  /// `window` times ln(1 + number of words): that much of a long question says more than of a short one.
  double many = 0;
  double unknown = 0;  ///< share of the weight of words that stand nowhere in the scope; less where there are very many
  double mass = 0;  ///< ln(1 + weight) of the words in the item and around it
  double excess = 0;  ///< ln(words / 30) where there are more and any of them stands here: a text, not a question
  double day = 0;  ///< 1 on a day that is named
  double length = 0;  ///< ln(1 + words of the item)
  double chinese = 0;  ///< 1 where the question is Chinese, whose pairs of characters also meet by chance
  double chinese_window = 0;  ///< `window` there
  double personal = 0;  ///< 1 where the question speaks of who asks: what others could not know is asked of memory

  bool vectors = false;  ///< what follows is known
  double cosine = 0;  ///< of question and item
  double deviations = 0;  ///< how many standard deviations that is above the scope's mean; less for few and for a text
  double near = 0;  ///< the same of the better one of its neighbours
  /// How far the scope's cosines lie apart, against the usual: where something is known, some are far above the others.
  double spread = 0;
  double few = 0;  ///< how little `spread` and `deviations` say: 1 of no cosines, near to 0 of many
  double cosine_of_few = 0;  ///< `few` times `cosine`
  double mean = 0, count = 0;  ///< of the scope's cosines
};

/// One result: a row of the store and why it is here.
struct ScoredRow {
  std::int64_t row = 0;
  double score = 0;
  std::vector<Signal> signals;
  ItemKind kind = ItemKind::kMessage;
  std::uint32_t unit = 0;  ///< its place on the shelf of its kind
  RelevanceFeatures features = {};
  double relevance = 0;  ///< 0 to 1, comparable between searches
  std::vector<std::int64_t> before = {},
                            after =
                                {};  ///< rows next to it in its session, the nearest first; where they were asked for
};

/// A unit or slot of a shelf with its score.
struct Ranked {
  float score = 0;
  std::int64_t row = 0;  ///< decides between equal scores, the smaller first
  std::uint32_t place = 0;
};

inline bool comes_before(const Ranked& a, const Ranked& b) {
  return a.score != b.score ? a.score > b.score : a.row < b.row;
}

/// The `count` places with the highest scores, in order; −infinity is never among them. One pass, since nearly every
/// one is below the worst of those held.
template <class RowOf>
std::vector<Ranked> best_places(std::span<const float> scores, std::size_t count, const RowOf& row_of) {
  std::vector<Ranked> best;  // a heap with the worst on top
  if (count == 0) return best;
  float worst = -std::numeric_limits<float>::infinity();
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] < worst || scores[i] == -std::numeric_limits<float>::infinity()) continue;
    const Ranked one{scores[i], row_of(i), static_cast<std::uint32_t>(i)};
    if (best.size() == count) {
      if (!comes_before(one, best.front())) continue;
      std::pop_heap(best.begin(), best.end(), comes_before);
      best.back() = one;
    } else {
      best.push_back(one);
    }
    std::push_heap(best.begin(), best.end(), comes_before);
    if (best.size() == count) worst = best.front().score;
  }
  std::sort(best.begin(), best.end(), comes_before);
  return best;
}

/// How results are ranked: a sum of signals whose unit is a standard deviation of the cosines.
struct Recipe {
  enum class Method {
    kFused,  ///< a weighted sum of signals over everything
    kLiteral,  ///< the best of two arms, joined
    kRecent,  ///< the newest first, whatever is asked: a baseline
  };

  std::string name;
  Method method = Method::kFused;
  Bm25 bm25;
  bool in_context = false;  ///< words of a whole message in its context; else those of its best part
  bool centred = false;  ///< vectors without the mean of their language

  /// kFused: of BM25 as it is, over √ln(1 + number of messages). It is not measured against the best hit: that rare
  /// and many words are matched is what makes words worth more than vectors. kLiteral: of the rank.
  double words = 0;
  double vector = 0;  ///< one standard deviation of the cosines
  double asked = 0;  ///< from the question that is answered, the message before it
  double question = 0;  ///< taken from a message that only asks
  double other_speaker = 0;  ///< taken from what others said where the question names one who took part
  double assistant = 0;  ///< taken from what the model said
  double day = 0;  ///< for the days that are named, for each unit of their rarity up to `most_day`
  double most_day = 0;
  double relative_day = 0;  ///< for days told by the moment of asking, for each unit of their rarity

  std::size_t arm_top = 0;  ///< kLiteral: how many each arm gives
  double min_threshold = 0;  ///< kLiteral: only scores above this

  bool uses_vectors() const { return vector > 0; }
};

/// A recipe by name: "balanced", "literal", "words", "vectors" or "recent". The error lists the names. A threshold of
/// `literal` above the weight of the words is logged as a warning, since it drops all that only words have found.
Result<Recipe> find_recipe(std::string_view name, const RecallSettings& settings);

/// Words of a question that count, the rarest first.
inline constexpr std::size_t kMostTerms = 64;

/// Arrays that are kept between searches.
struct ContextScratch {
  std::vector<float> counts;  ///< one a unit; all 0 between two words
  std::vector<std::uint32_t> touched;
  std::vector<std::pair<std::uint32_t, float>> own;
};

/// BM25 of each unit in its context, one entry a unit: a short message is understood through those around it, so each
/// lends its words to its neighbours, weighted by `kNeighbourWords` and by both shares; its length grows likewise.
/// Long messages neither give nor take. How rare a word is comes from the messages alone. Of a question with very many
/// words the rarest count.
void score_in_context(const Shelf& shelf, std::span<const WordsIndex::QueryTerm> terms, const Bm25& bm25,
                      ContextScratch& scratch, std::vector<float>& scores);

/// What both arms found on one shelf, one entry a unit. Reused between searches.
struct ArmScores {
  std::span<const float> words;  ///< BM25; 0 where no word is found or it is not visible
  std::span<const float> vector;  ///< cosine; 0 where it is not embedded or not visible
  std::vector<std::uint8_t> visible;  ///< passes all filters
  std::vector<std::uint8_t> embedded;  ///< is visible and has a vector
  bool all_visible = false;  ///< nothing is filtered or inactive
  bool all_embedded = false;  ///< everything is visible and has a vector

  std::vector<float> slot_words;  ///< of every part; empty where nobody asks for them
  std::vector<float> slot_vector;
  std::vector<float> unit_words;  ///< what `words` and `vector` look at where messages have several parts
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
  std::size_t units = 0;  ///< how many are active, visible or not
  std::size_t asked = 0;  ///< words of the question that count
  float best_words = 0;  ///< BM25 of the best hit
  float mean = 0, deviation = 0;  ///< of the cosines; 0: no vectors
  float best_cosine = 0;
  std::size_t count = 0;  ///< how many cosines there are

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
  std::vector<float> base;  ///< words and vector
  std::vector<float> asked;  ///< from the question before it
  std::vector<float> days;  ///< from the days that are named; empty where none is
  std::vector<float> dates;  ///< from days told by the moment of asking, likewise
  std::vector<float> speakers;  ///< from who is named; empty where nobody is
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
  double weight_ = 0;  ///< of all words together
  double unknown_ = 0;  ///< of those that stand nowhere
  double count_ = 0;  ///< of the words, terms of Chinese as halves
  bool text_ = false;  ///< no question but a text
  bool chinese_ = false, personal_ = false, bare_ = false;
};

}  // namespace weft
