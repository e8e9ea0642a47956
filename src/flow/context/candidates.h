#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "ports/chat/chat_model.h"
#include "text/words.h"
#include "weft/choices.h"
#include "weft/memory.h"
#include "weft/plan.h"
#include "weft/quest.h"
#include "weft/result.h"

namespace weft {

/// The different words of a text, in the form of the index, for comparing texts by what they share.
class WordSet {
 public:
  WordSet() = default;
  explicit WordSet(std::string_view text);

  bool empty() const { return terms_.empty(); }
  const std::vector<Term>& terms() const { return terms_; }  ///< in ascending order
  bool has(Term term) const;
  void add(const WordSet& other);

  /// Share of these words that stand in the other, 0 to 1; 0 for no words.
  double share_in(const WordSet& other) const;
  /// What both share of what either has (Jaccard), 0 to 1.
  double likeness(const WordSet& other) const;

 private:
  std::size_t common(const WordSet& other) const;
  std::vector<Term> terms_;
};

/// The chains that the probabilistic stream draws from.
enum class Chain { kLore, kNarrative, kEvent };

std::string_view to_string(Chain chain);  ///< "lore", "narrative", "event"
std::string_view source_of(Chain chain);  ///< "rag_chain", "narrative_chain", "event_chain"

/// Something that may be woven in, in short: its full text is fetched when it has been chosen.
struct CurationCandidate {
  std::string id;   ///< unique in its pool: `ref`, with the chain before it where two chains have the same
  std::string ref;  ///< of the item or quest
  Chain chain = Chain::kLore;
  std::string name;     ///< for people; may be empty
  std::string preview;  ///< one line
  std::vector<std::string> tags;
  double score = 0;   ///< 0 … 1: how well it matched within its chain
  double relevance = 1;  ///< 0 … 1: how sure it is that it has to do with the query at all
  double weighted = 0;  ///< `score` by the weight of its chain: what the pool is ordered by
  std::optional<double> similarity;  ///< cosine with the query, where vectors took part
  std::optional<Time> time;
  std::int64_t position = 0;  ///< in the stream of its scope; 0 where it has none
  std::optional<Item> item;   ///< what was found, where it is an item of memory; its text is whole
};

/// A list of {"id","type","source","content_preview","metadata":{"score","tags"}}.
std::string to_json(const std::vector<CurationCandidate>& candidates);

/// What an item is called, beside its text.
struct ItemLabels {
  std::string name;
  std::vector<std::string> tags;
};

struct CandidateOptions {
  std::size_t pool = 50;             ///< candidates in all
  std::size_t least_of_chain = 5;    ///< places a chain keeps whatever the others score
  std::int64_t preview_tokens = 100;
  std::vector<ItemKind> lore_kinds;  ///< empty: there is no lore
  std::vector<ItemKind> narrative_kinds{ItemKind::kNarrative, ItemKind::kEvent};
  std::string lore_recipe = "vectors";     ///< of recall; where no embedder is ready, `words_recipe` stands in
  std::string words_recipe = "words";
  std::string narrative_recipe = "words";  ///< empty: the configured one
  double half_life_days = 14;    ///< after which a narrative's recency is half
  double recency_floor = 0.25;   ///< share of its score that age never takes
  double past_boost = 2;         ///< of the narrative's weight where the plan looks at the past
  std::size_t quest_distance = 3;       ///< how far from the active quest its graph is followed
  std::size_t quests_by_words = 2000;   ///< quests that are compared with the query
};

/// What the candidates of one prompt are gathered from.
struct CandidateInput {
  PlanContext plan;
  std::string input;           ///< what the user says
  std::vector<Quest> quests;   ///< all of the scope
  Time now;                    ///< ages are counted from it
  SessionId session;           ///< of the prompt
  std::int64_t history_from = 0;  ///< items of that session from this position on stand in the prompt anyway; 0: none
};

struct CandidatePorts {
  /// Searches the memory of the request's scope.
  std::function<Result<SearchResult>(const SearchRequest&, const Deadline&)> recall;
  /// What an item is called; may be empty.
  std::function<ItemLabels(const Item&)> labels;
  /// Whether an item may be chosen at all; empty: all may. What may not takes no place.
  std::function<bool(const Item&)> wanted;
  std::size_t unwanted_lore = 0;  ///< how many of the lore may not, so that enough is searched for
};

struct CandidatePool {
  std::string query;  ///< what was searched for
  std::vector<CurationCandidate> items;  ///< the best first
  MadeBy by = MadeBy::kFloor;  ///< kModel where vectors took part
  std::vector<std::string> notes;  ///< chains that failed, with the reason
};

/// The plan's keywords that the input does not hold anyway, each once, then the input, cut to a few KiB.
std::string curation_query(const PlanContext& plan, std::string_view input);

/// One line of at most `tokens` tokens (estimated by script), cut behind a sentence or a word where one ends near the
/// limit, with "…" where something is missing. Looks only at the beginning of a long text.
std::string preview_tokens(std::string_view text, std::int64_t tokens);

/// What a quest says, as it is previewed and woven in: title, objective, progress, outcome, a line each.
std::string quest_text(const Quest& quest);

/// Lore by similarity, narrative by words and recency, quests by their graph → about fifty candidates, the best first.
///
/// Scores of a chain are in proportion to its best hit and lowered where nothing in it is surely relevant, so that the
/// weights of the plan compare like with like. A chain of weight 0 is not searched. A chain that fails is left out and
/// noted. Deterministic. Cost: two searches, and a pass over the quests.
CandidatePool gather_candidates(const CandidatePorts& ports, const CandidateInput& input,
                                const CandidateOptions& options, const Deadline& deadline);

/// A quest with its distance from where the walk began.
struct QuestStep {
  std::size_t index = 0;  ///< in the list of quests
  std::size_t distance = 0;  ///< edges from the start, which itself is 0
};

/// The quests within `most` edges of `start`, nearest first, in the order of the list where equally near. Edges are
/// prerequisites and successors, whichever of both ends names them; ids that are nowhere and cycles do no harm. Of
/// quests with the same id the first counts. Empty where `start` is not among them. Linear in quests and edges.
std::vector<QuestStep> walk_quests(std::span<const Quest> quests, const std::string& start, std::size_t most);

/// What speaks for a candidate where no model is asked. Chosen by trial on questions about long dialogues: much more
/// for the words helps where the pool was found by words alone, and harms where the search has weighed them already.
struct FeatureWeights {
  double score = 1;  ///< its score by the weight of its chain, in proportion to the pool's best
  double names = 0.3;  ///< share of the plan's keywords it names
  double words = 0.25;  ///< share of the query's words it holds, each by its rarity in the pool
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
  std::size_t history_messages = 6;  ///< the last ones, shown to the model
  std::int64_t history_tokens = 400;  ///< of them together
  std::int64_t input_tokens = 500;
  FeatureWeights weights;
  /// Without a model only what is at least so relevant is chosen, or what holds a keyword of the plan; 0: all.
  double least_relevance = 0;
};

/// What was chosen of a pool, and how.
struct Selection {
  std::vector<std::size_t> places;  ///< in the pool, the best first
  MadeBy by = MadeBy::kFloor;  ///< kModel where its answer was taken
  std::string model;  ///< its name, where it was taken
  std::string why;  ///< why not the model's; empty where it was
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
