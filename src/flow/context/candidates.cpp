#include "flow/context/candidates.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "flow/context/word_set.h"
#include "text/json.h"
#include "text/token_counter.h"
#include "text/utf8.h"

namespace weft {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::size_t kQueryBytes = 4096;
constexpr std::size_t kKeywords = 32;       // of a plan that are used
constexpr std::size_t kKeywordBytes = 128;  // of each
constexpr std::size_t kBytesPerToken = 16;  // more than any script needs
constexpr std::size_t kQuestBytes = 2048;   // of a quest's text that is compared with the query
constexpr double kUnsure = 0.5;  // what a chain's scores are worth in which nothing is relevant at all
constexpr double kMillisecondsPerDay = 86'400'000.0;

OrderedJson json_of(const CurationCandidate& candidate) {
  return {{"id", candidate.id},
          {"type", to_string(candidate.chain)},
          {"source", source_of(candidate.chain)},
          {"content_preview", candidate.preview},
          {"metadata", {{"score", candidate.score}, {"tags", candidate.tags}}}};
}

// Scores in proportion to the best. The best itself counts less the less sure it is that it is relevant, or a chain
// that knows nothing of the matter would fill as many places as one that does.
void scale_scores(std::vector<CurationCandidate>& items, double relevance) {
  double best = 0;
  for (const CurationCandidate& item : items) best = std::max(best, item.score);
  const double sure = kUnsure + (1 - kUnsure) * std::clamp(relevance, 0.0, 1.0);
  for (CurationCandidate& item : items) item.score = best > 0 ? std::clamp(item.score / best, 0.0, 1.0) * sure : 0;
}

void weigh(std::vector<CurationCandidate>& items, double weight) {
  for (CurationCandidate& item : items) item.weighted = item.score * weight;
  std::stable_sort(items.begin(), items.end(),
                   [](const CurationCandidate& a, const CurationCandidate& b) { return a.weighted > b.weighted; });
}

CurationCandidate candidate_of_hit(const Hit& hit, Chain chain, const CandidatePorts& ports,
                                   const CandidateOptions& options) {
  CurationCandidate candidate;
  candidate.id = candidate.ref = hit.item.id.str();
  candidate.chain = chain;
  if (ports.labels) {
    ItemLabels labels = ports.labels(hit.item);
    candidate.name = std::move(labels.name);
    candidate.tags = std::move(labels.tags);
  }
  candidate.preview = preview_tokens(hit.item.text, options.preview_tokens);
  candidate.score = std::isfinite(hit.score) ? std::max(hit.score, 0.0) : 0;
  for (const Signal& signal : hit.signals)
    if (signal.name == "vector") candidate.similarity = signal.value;
  candidate.relevance = hit.relevance;
  candidate.time = hit.item.time;
  candidate.position = hit.item.position;
  candidate.item = hit.item;
  return candidate;
}

bool stands_in_history(const Item& item, const CandidateInput& input) {
  return input.history_from > 0 && item.session == input.session && item.position >= input.history_from;
}

/// One gathering: the pool as it grows.
class Gathering {
 public:
  Gathering(const CandidatePorts& ports, const CandidateInput& input, const CandidateOptions& options,
            const Deadline& deadline)
      : ports_(ports), input_(input), options_(options), deadline_(deadline) {
    pool_.query = curation_query(input.plan, input.input);
  }

  CandidatePool gather() {
    const DomainWeight& weight = input_.plan.search_intent.domain_weight;
    const bool past = input_.plan.search_intent.temporal_context == "past";
    std::vector<std::vector<CurationCandidate>> chains;
    if (weight.lore > 0 && !options_.lore_kinds.empty()) chains.push_back(lore(weight.lore));
    if (weight.narrative > 0 && !options_.narrative_kinds.empty())
      chains.push_back(narrative(past ? weight.narrative * options_.past_boost : weight.narrative, past));
    if (weight.event > 0) chains.push_back(events(weight.event));
    merge(chains);
    return std::move(pool_);
  }

 private:
  SearchResult search(const std::vector<ItemKind>& kinds, const std::string& recipe, std::string_view chain,
                      std::size_t more = 0) {
    constexpr std::size_t kMostHits = 1000;
    SearchRequest request;
    request.query = pool_.query;
    request.top_k = std::min(options_.pool + more, std::max(options_.pool, kMostHits));
    request.kinds = kinds;
    request.recipe = recipe;
    if (pool_.query.empty() || !ports_.recall) return {};
    auto found = ports_.recall(request, deadline_);
    if (found.ok()) return std::move(*found);
    pool_.notes.push_back(std::string(chain) + ": " + found.error().message);
    return {};
  }

  std::vector<CurationCandidate> take(const SearchResult& found, Chain chain) {
    std::vector<CurationCandidate> items;
    for (const Hit& hit : found.hits) {
      if (items.size() >= options_.pool) break;
      if (stands_in_history(hit.item, input_) || (ports_.wanted && !ports_.wanted(hit.item))) continue;
      items.push_back(candidate_of_hit(hit, chain, ports_, options_));
    }
    return items;
  }

  static double best_relevance(const SearchResult& found) {
    double best = 0;
    for (const Hit& hit : found.hits) best = std::max(best, hit.relevance);
    return best;
  }

  std::vector<CurationCandidate> lore(double weight) {
    SearchResult found = search(options_.lore_kinds, options_.lore_recipe, "lore", ports_.unwanted_lore);
    if (found.hits.empty() && options_.lore_recipe != options_.words_recipe)
      found = search(options_.lore_kinds, options_.words_recipe, "lore", ports_.unwanted_lore);
    if (found.by == MadeBy::kModel) pool_.by = MadeBy::kModel;
    std::vector<CurationCandidate> items = take(found, Chain::kLore);
    scale_scores(items, best_relevance(found));
    weigh(items, weight);
    return items;
  }

  // Keywords weighted by recency; who looks at the past is not kept from what is old.
  std::vector<CurationCandidate> narrative(double weight, bool past) {
    const SearchResult found = search(options_.narrative_kinds, options_.narrative_recipe, "narrative");
    std::vector<CurationCandidate> items = take(found, Chain::kNarrative);
    scale_scores(items, best_relevance(found));
    for (CurationCandidate& item : items)
      if (!past && item.time) item.score *= recency(*item.time);
    weigh(items, weight);
    return items;
  }

  double recency(Time time) const {
    const double days = std::max(0.0, static_cast<double>(input_.now.ms - time.ms) / kMillisecondsPerDay);
    const double half_lives = options_.half_life_days > 0 ? days / options_.half_life_days : 0;
    return options_.recency_floor + (1 - options_.recency_floor) * std::exp2(-half_lives);
  }

  // Near the active quest by the graph, or holding the words of the query. Quests that are being worked on stand in
  // the prompt anyway; of those that are still to come only what is next matters.
  std::vector<CurationCandidate> events(double weight) {
    const std::vector<Quest>& quests = input_.quests;
    std::vector<std::size_t> distance(quests.size(), 0);  // 0: not reached
    if (input_.plan.active_quest_id)
      for (const QuestStep& step : walk_quests(quests, *input_.plan.active_quest_id, options_.quest_distance))
        distance[step.index] = step.distance;
    const WordSet query(pool_.query);
    std::vector<CurationCandidate> items;
    std::size_t compared = 0;
    for (std::size_t i = 0; i < quests.size(); ++i) {
      const Quest& quest = quests[i];
      const bool over = quest.status == QuestStatus::kCompleted || quest.status == QuestStatus::kFailed;
      if (quest.status == QuestStatus::kActive || quest.id == input_.plan.active_quest_id.value_or("")) continue;
      if (!over && distance[i] != 1) continue;
      if (distance[i] == 0 && ++compared > options_.quests_by_words) continue;
      CurationCandidate candidate = candidate_of_quest(quest);
      const double near = distance[i] == 0 ? 0 : std::exp2(1.0 - static_cast<double>(distance[i]));
      const double words = query.share_in(WordSet(cut_bytes(candidate.name + " " + candidate.preview, kQuestBytes)));
      if (near == 0 && words == 0) continue;
      candidate.score = 1 - (1 - near * 0.8) * (1 - words * 0.6);  // either is enough, both are better
      items.push_back(std::move(candidate));
    }
    weigh(items, weight);
    return items;
  }

  CurationCandidate candidate_of_quest(const Quest& quest) const {
    CurationCandidate candidate;
    candidate.id = candidate.ref = quest.id;
    candidate.chain = Chain::kEvent;
    candidate.name = preview(quest.title, 80);
    candidate.tags = quest.tags;
    candidate.preview = preview_tokens(quest_text(quest), options_.preview_tokens);
    return candidate;
  }

  // The best of all chains, after each chain's own best.
  void merge(std::vector<std::vector<CurationCandidate>>& chains) {
    std::vector<CurationCandidate> kept, rest;
    for (std::vector<CurationCandidate>& chain : chains)
      for (std::size_t i = 0; i < chain.size(); ++i)
        (i < options_.least_of_chain ? kept : rest).push_back(std::move(chain[i]));
    const auto better = [](const CurationCandidate& a, const CurationCandidate& b) { return a.weighted > b.weighted; };
    std::stable_sort(rest.begin(), rest.end(), better);
    for (CurationCandidate& one : rest) {
      if (kept.size() >= options_.pool) break;
      kept.push_back(std::move(one));
    }
    std::stable_sort(kept.begin(), kept.end(), better);
    std::unordered_set<std::string> seen_refs, seen_ids;
    for (CurationCandidate& one : kept) {
      if (pool_.items.size() >= options_.pool) break;
      if (one.ref.empty() || !seen_refs.insert(std::string(to_string(one.chain)) + ":" + one.ref).second) continue;
      if (!seen_ids.insert(one.id).second) {
        one.id = std::string(to_string(one.chain)) + ":" + one.ref;
        if (!seen_ids.insert(one.id).second) continue;
      }
      pool_.items.push_back(std::move(one));
    }
  }

  const CandidatePorts& ports_;
  const CandidateInput& input_;
  const CandidateOptions& options_;
  const Deadline& deadline_;
  CandidatePool pool_;
};

}  // namespace

std::string_view to_string(Chain chain) {
  switch (chain) {
    case Chain::kLore: return "lore";
    case Chain::kNarrative: return "narrative";
    case Chain::kEvent: return "event";
  }
  return "lore";
}

std::string_view source_of(Chain chain) {
  switch (chain) {
    case Chain::kLore: return "rag_chain";
    case Chain::kNarrative: return "narrative_chain";
    case Chain::kEvent: return "event_chain";
  }
  return "rag_chain";
}

std::string to_json(const std::vector<CurationCandidate>& candidates) {
  OrderedJson list = OrderedJson::array();
  for (const CurationCandidate& candidate : candidates) list.push_back(json_of(candidate));
  return write_json(list);
}

std::string quest_text(const Quest& quest) {
  std::string text = quest.title;
  const auto add = [&text](const std::string& part) {
    if (!part.empty()) text += (text.empty() ? "" : "\n") + part;
  };
  add(quest.objective);
  add(quest.progress);
  add(quest.outcome);
  return text;
}

std::string curation_query(const PlanContext& plan, std::string_view input) {
  const std::string said = repair_utf8(cut_bytes(input, kQueryBytes));
  std::string query;
  WordSet known(said);
  std::size_t taken = 0;
  for (const std::string& keyword : plan.search_intent.focus_keywords) {
    const std::string word = repair_utf8(cut_bytes(keyword, kKeywordBytes));
    const WordSet words(word);
    if (words.empty() || words.share_in(known) >= 1) continue;
    if (++taken > kKeywords) break;
    query += word + " ";
    known.add(words);
  }
  query += said;
  while (!query.empty() && (query.back() == ' ' || query.back() == '\n')) query.pop_back();
  return query;
}

std::string preview_tokens(std::string_view text, std::int64_t tokens) {
  if (tokens <= 0) return {};
  const std::size_t most = static_cast<std::size_t>(tokens) * kBytesPerToken;
  const std::string_view head = cut_bytes(text, most);
  std::string line = preview(repair_utf8(head), most);
  const bool whole = head.size() == text.size();
  if (whole && estimate_tokens(line, TokenMode::kScript) <= tokens) return line;
  std::size_t low = 0, high = line.size();
  while (low < high) {  // the longest beginning that leaves room for the mark
    const std::size_t middle = (low + high + 1) / 2;
    const bool fits = estimate_tokens(std::string(cut_bytes(line, middle)) + "…", TokenMode::kScript) <= tokens;
    if (fits)
      low = middle;
    else
      high = middle - 1;
  }
  std::string_view cut = cut_bytes(line, low);
  for (const std::string_view stop : {"。", "！", "？", ". ", "! ", "? ", "；", "，", " "}) {
    const std::size_t at = cut.rfind(stop);
    if (at == std::string_view::npos || at * 5 < cut.size() * 4) continue;
    cut = cut.substr(0, stop == " " ? at : at + stop.size());
    break;
  }
  while (cut.ends_with(' ')) cut.remove_suffix(1);
  return std::string(cut) + "…";
}

CandidatePool gather_candidates(const CandidatePorts& ports, const CandidateInput& input,
                                const CandidateOptions& options, const Deadline& deadline) {
  return Gathering(ports, input, options, deadline).gather();
}

namespace {

using Edges = std::vector<std::vector<std::size_t>>;

Edges edges_of(std::span<const Quest> quests, const std::unordered_map<std::string_view, std::size_t>& places) {
  Edges edges(quests.size());
  const auto join = [&](std::size_t from, const std::string& id) {
    const auto to = places.find(id);
    if (to == places.end() || to->second == from) return;
    edges[from].push_back(to->second);
    edges[to->second].push_back(from);
  };
  for (std::size_t i = 0; i < quests.size(); ++i) {
    for (const std::string& id : quests[i].prerequisites) join(i, id);
    for (const std::string& id : quests[i].successors) join(i, id);
  }
  return edges;
}

}  // namespace

std::vector<QuestStep> walk_quests(std::span<const Quest> quests, const std::string& start, std::size_t most) {
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < quests.size(); ++i) places.emplace(quests[i].id, i);
  const auto first = places.find(start);
  if (first == places.end()) return {};
  const Edges edges = edges_of(quests, places);
  std::vector<bool> seen(quests.size(), false);
  seen[first->second] = true;
  std::vector<QuestStep> steps{{first->second, 0}};
  for (std::size_t at = 0; at < steps.size(); ++at) {
    const QuestStep step = steps[at];
    if (step.distance == most) break;
    for (const std::size_t next : edges[step.index]) {
      if (seen[next]) continue;
      seen[next] = true;
      steps.push_back({next, step.distance + 1});
    }
  }
  std::stable_sort(steps.begin(), steps.end(), [](const QuestStep& a, const QuestStep& b) {
    return a.distance != b.distance ? a.distance < b.distance : a.index < b.index;
  });
  return steps;
}

}  // namespace weft
