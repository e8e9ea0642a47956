#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "flow/context/candidates.h"
#include "ports/chat/chat_model.h"
#include "weft/made_by.h"

namespace weft {

/// What speaks for a candidate where no model is asked. Chosen by trial on questions about long dialogues: much more
/// for the words helps where the pool was found by words alone, and harms where the search has weighed them already.
struct FeatureWeights {
  double score = 1;      ///< its score by the weight of its chain, in proportion to the pool's best
  double names = 0.3;    ///< share of the plan's keywords it names
  double words = 0.25;    ///< share of the query's words it holds, each by its rarity in the pool
  double recency = 0.05;  ///< 1 for the pool's newest, 0 for its oldest; reversed where the plan looks at the past
  double diversity = 0.2;  ///< taken for words that it shares with what is chosen already
};

/// Places in the pool of at most `most` candidates, the best first: each time the one that has most to say for itself
/// and least in common with those chosen before (maximal marginal relevance). Deterministic; looks at previews only.
std::vector<std::size_t> select_by_features(const CandidatePool& pool, const PlanContext& plan, std::size_t most,
                                            const FeatureWeights& weights = {});

/// Places of the `most` candidates nearest to the query by vectors; the first of the pool where no vectors took part.
std::vector<std::size_t> select_by_similarity(const CandidatePool& pool, std::size_t most);

/// How the model's answer is bound.
enum class AnswerForm {
  kFree,  ///< by words alone; whatever stands around the list is passed over
  kList,  ///< by a schema whose root is a list: for models run here by grammar; some endpoints refuse such a root
};

struct SelectorOptions {
  std::size_t most = 5;
  SelectionFloor floor = SelectionFloor::kFeatures;
  std::size_t most_by_similarity = 3;
  AnswerForm form = AnswerForm::kFree;
  std::size_t history_messages = 6;       ///< the last ones, shown to the model
  std::int64_t history_tokens = 400;      ///< of them together
  std::int64_t input_tokens = 500;
  FeatureWeights weights;
  /// Without a model only what is at least so relevant is chosen, or what holds a keyword of the plan; 0: all.
  double least_relevance = 0;
};

/// What was chosen of a pool, and how.
struct Selection {
  std::vector<std::size_t> places;  ///< in the pool, the best first
  MadeBy by = MadeBy::kFloor;  ///< kModel where its answer was taken
  std::string model;                ///< its name, where it was taken
  std::string why;                  ///< why not the model's; empty where it was
  std::vector<std::string> dropped;  ///< what the answer named that is not in the pool, or named again
};

/// The messages that ask a model to choose. All stored and said text in them is escaped. Candidates that would not fit
/// the model's window are left out, the last ones first (`window` 0: unknown, all are shown).
std::vector<Message> selector_prompt(const CandidatePool& pool, const std::vector<Message>& recent,
                                     std::string_view input, const SelectorOptions& options, std::int64_t window);

/// The ids in an answer: the first JSON list of strings in it that names something of the pool, else an empty list if
/// one stands there. An error where there is neither. Linear in the answer, of which at most 64 KiB are read.
Result<std::vector<std::size_t>> read_selection(std::string_view answer, const CandidatePool& pool, std::size_t most,
                                                std::vector<std::string>& dropped);

/// The choice that needs no model.
Selection select_by_floor(const CandidatePool& pool, const PlanContext& plan, const SelectorOptions& options,
                          std::string why);

/// Asks the model; where that is null, late, broken or talks nonsense, the floor decides. Never fails. Takes as long as
/// the model does, up to the deadline if the model keeps it.
Selection select(const CandidatePool& pool, const PlanContext& plan, const std::vector<Message>& recent,
                 std::string_view input, ChatModel* model, const SelectorOptions& options, const Deadline& deadline);

}  // namespace weft
