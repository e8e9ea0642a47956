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
#include "weft/made_by.h"
#include "weft/memory.h"
#include "weft/plan.h"
#include "weft/quest.h"
#include "weft/result.h"

namespace weft {

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

}  // namespace weft
