#include "engine/curation_stream.h"

#include <xxhash.h>

#include <algorithm>

#include "engine/engine_core.h"
#include "engine/turn_planner.h"
#include "flow/context/injector.h"

namespace weft {
namespace {

CuratedEntry curated(const LoreEntry& lore) {
  CuratedEntry entry;
  entry.id = lore.id;
  entry.type = lore.tags.empty() ? std::string(to_string(Chain::kLore)) : lore.tags.front();
  entry.name = lore.title;
  entry.text = lore.text;
  const LoreEntry usual;
  if (lore.position != usual.position) entry.placement.position = lore.position;
  if (lore.depth != usual.depth) entry.placement.depth = lore.depth;
  if (lore.role != usual.role) entry.placement.role = lore.role;
  if (lore.order != usual.order) entry.placement.priority = lore_block(lore, "").priority;
  return entry;
}

InjectOptions inject_options(const Config& config, bool skein) {
  InjectOptions options;
  // In one text for plain models what was chosen stands in the system prompt.
  options.position = skein ? BlockPlace::kSystemEnd : config.curation.position;
  return options;
}

// Whether an entry that comes only sometimes comes now: the same for the same words, so that a prompt can be made
// again.
bool falls_to(const LoreEntry& lore, const std::string& said) {
  constexpr std::int64_t kAlways = 100;
  if (lore.probability >= kAlways) return true;
  const std::string text = lore.id + "\n" + said;
  return static_cast<std::int64_t>(XXH3_64bits(text.data(), text.size()) % kAlways) < lore.probability;
}

// Near the input by its author's wish; all other constant lore stands at the head, where it never moves.
bool stands_near_input(const LoreEntry& lore) {
  return lore.position == BlockPlace::kHistoryBottom || lore.position == BlockPlace::kBeforeInput;
}

// From which message of its session on the history surely stands in the prompt: what half of the window holds.
std::int64_t visible_from(const ContextInput& input, std::int64_t window) {
  constexpr std::size_t kBytesPerToken = 3;
  std::size_t left = static_cast<std::size_t>(window) * kBytesPerToken / 2;
  std::int64_t from = 0;
  for (auto entry = input.history.rbegin(); entry != input.history.rend(); ++entry) {
    if (entry->message.content.size() > left) break;
    left -= entry->message.content.size();
    if (entry->seq != 0) from = entry->seq;
  }
  return from;
}

CurateOptions curate_options(const Config& config) {
  const CurationSettings& settings = config.curation;
  CurateOptions options;
  options.candidates.pool = static_cast<std::size_t>(settings.pool);
  options.candidates.preview_tokens = settings.preview_tokens;
  options.candidates.lore_kinds = {ItemKind::kLore};
  // Recency-weighted keywords as specified, or all that the configured recipe weighs.
  options.candidates.narrative_recipe = config.recall.recipe == RecipeName::kLiteral ? "words" : "";
  options.selector.most = static_cast<std::size_t>(settings.select);
  options.selector.most_by_similarity = static_cast<std::size_t>(settings.fallback);
  options.selector.least_relevance = config.recall.known_threshold;
  options.selector.floor = settings.selector;
  options.prefetch.max_age = std::chrono::minutes(settings.prefetch_minutes);
  options.timeout = std::chrono::milliseconds(settings.timeout_ms);
  return options;
}

}  // namespace

CurationStream::CurationStream(EngineCore& core, Searcher& searcher)
    : core_(core), searcher_(searcher), curator_(curate_options(core.config), core.models->chat("fast")) {}

// The memory of the scope; of lore the world's, too.
Result<SearchResult> CurationStream::search_story(const StoryScope& scope, const SearchRequest& search,
                                                  const Deadline& deadline) {
  WEFT_TRY(auto found, searcher_.search_scope(scope.own, search, deadline));
  const bool lore = std::find(search.kinds.begin(), search.kinds.end(), ItemKind::kLore) != search.kinds.end();
  if (scope.world.empty() || !lore) return found;
  SearchRequest of_world = search;
  of_world.kinds = {ItemKind::kLore};
  WEFT_TRY(auto more, searcher_.search_scope(scope.world, of_world, deadline));
  found.hits.insert(found.hits.end(), std::make_move_iterator(more.hits.begin()),
                    std::make_move_iterator(more.hits.end()));
  std::stable_sort(found.hits.begin(), found.hits.end(), [](const Hit& a, const Hit& b) { return a.score > b.score; });
  if (found.hits.size() > search.top_k) found.hits.resize(search.top_k);
  if (more.by == MadeBy::kModel) found.by = more.by;
  return found;
}

// Runs beside the skeleton, on threads of its own, and so may outlast this call: it holds what it needs.
std::shared_ptr<PendingCuration> CurationStream::start(const RequestContext& request, const SessionId& session,
                                                       const PlanScene& scene, const ContextInput& input,
                                                       const PlanContext& plan) {
  const ScopeKey scope = request.scope.key();
  CurateRequest wish;
  wish.key = {scope, session};
  if (!input.history.empty() && input.history.back().seq != 0) wish.head = std::to_string(input.history.back().seq);
  wish.what.plan = plan;
  wish.what.input = scene.input;
  wish.what.quests = scene.quests;
  wish.what.now = core_.clock->now();
  wish.what.session = session;
  wish.recent = scene.recent;
  const auto lore = scene.lore;
  wish.what.history_from = visible_from(input, input.window);
  wish.ports.recall = [this, story = scene.story](const SearchRequest& search, const Deadline& deadline) {
    return search_story(story, search, deadline);
  };
  wish.ports.wanted = [lore](const Item& item) {
    if (item.kind != ItemKind::kLore) return true;
    const LoreEntry* entry = lore->find(item.id.str());
    return entry != nullptr && LoreShelf::is_searched(*entry);
  };
  wish.ports.unwanted_lore = lore->unsearched;
  wish.ports.labels = [lore](const Item& item) {
    const LoreEntry* entry = item.kind == ItemKind::kLore ? lore->find(item.id.str()) : nullptr;
    return entry == nullptr ? ItemLabels() : ItemLabels{entry->title, entry->tags};
  };
  wish.fetch = [this, scope, lore, quests = scene.quests](const CurationCandidate& candidate) -> Result<CuratedEntry> {
    if (candidate.chain == Chain::kLore) {
      const LoreEntry* entry = lore->find(candidate.ref);
      if (entry == nullptr || !LoreShelf::is_searched(*entry)) return not_found("it is gone");
      return curated(*entry);
    }
    CuratedEntry entry;
    if (candidate.chain == Chain::kEvent) {
      for (const Quest& quest : quests)
        if (quest.id == candidate.ref) entry.text = quest_text(quest);
      return entry;
    }
    const ItemId id(candidate.ref);
    WEFT_TRY(const auto rows, core_.store->items().rows_of(scope, std::span(&id, 1)));
    WEFT_TRY(const auto items, core_.store->items().get(scope, rows));
    if (items.empty()) return not_found("it is gone");
    entry.text = items.front().item.text;
    entry.item = items.front().item;
    return entry;
  };
  wish.living = [this, scope, session](std::string_view head) {
    auto held = core_.sessions->hold(scope, session);
    if (!held.ok()) return false;
    const auto& path = (*held)->path;
    return std::any_of(path.begin(), path.end(),
                       [&](const PathNode& node) { return std::to_string(node.seq) == head; });
  };
  return std::make_shared<PendingCuration>(curator_.start(std::move(wish)));
}

// The lore that the words of the last messages call up by its keys, whatever else is looked for.
void CurationStream::add_called_lore(const PlanScene& scene, EntriesToWeave& entries, Curated& report) const {
  std::string said = scene.input;
  for (const Message& message : scene.recent) said += "\n" + message.content;
  for (const std::size_t place : scene.lore->triggers.match(said)) {
    const LoreEntry& lore = scene.lore->entries[place];
    if (lore.constant) continue;
    if (falls_to(lore, said)) {
      entries.called.push_back(curated(lore));
      continue;
    }
    report.items.push_back({lore.id, "lore", 0, 0, false,
                            "called up, but comes only " + std::to_string(lore.probability) + " times of 100",
                            lore.title});
  }
}

// What is called up comes whether or not curation runs, searches, or is in time.
Curated CurationStream::collect(PendingCuration* pending, const PlanScene& scene, const CurationRoom& room, bool skein,
                                const Deadline& deadline) {
  Curation chosen;
  chosen.why = "it is not wanted";
  if (pending != nullptr) chosen = pending->wait(deadline);
  Curated report;
  EntriesToWeave entries;
  add_called_lore(scene, entries, report);
  for (CuratedEntry& entry : chosen.entries) {
    // What was looked for in an earlier turn may have been changed since.
    const LoreEntry* lore = entry.chain == Chain::kLore ? scene.lore->find(entry.id) : nullptr;
    if (entry.chain == Chain::kLore && (lore == nullptr || !LoreShelf::is_searched(*lore))) continue;
    entries.chosen.push_back(std::move(entry));
  }
  entries.labels = chosen.labels;
  entries.options = inject_options(core_.config, skein);
  entries.query = scene.input;
  Curated woven = weave_entries(std::move(entries), room, core_.models->tokens());
  for (const LoreEntry& lore : scene.lore->entries) {
    if (!lore.enabled || !lore.constant || !stands_near_input(lore)) continue;
    for (FloatingBlock& block : make_blocks({curated(lore)}, {}, inject_options(core_.config, skein))) {
      block.stays = true;
      woven.blocks.push_back(std::move(block));
    }
    woven.items.push_back({lore.id, "lore", 0, 0, true, "always there", lore.title});
  }
  woven.by = chosen.by;
  woven.items.insert(woven.items.end(), report.items.begin(), report.items.end());
  woven.items.push_back({"curation", "curation", 0, 0, chosen.status == CurationStatus::kDone,
                         std::string(to_string(chosen.status)) + (chosen.why.empty() ? "" : ": " + chosen.why), ""});
  return woven;
}

std::function<Curated(const CurationRoom& room)> CurationStream::begin(
    const RequestContext& request, const SessionId& session, const PlanScene& scene, const ContextRequest& what,
    const ContextInput& input, const PlanContext& plan, const Deadline& caller) {
  std::shared_ptr<PendingCuration> pending;
  if (core_.config.curation.enabled && plan.search_intent.enabled)
    pending = start(request, session, scene, input, plan);
  const auto limit =
      std::make_shared<const Deadline>(caller.within(std::chrono::milliseconds(core_.config.curation.timeout_ms)));
  return [this, pending, &scene, limit, skein = what.skein](const CurationRoom& room) {
    return collect(pending.get(), scene, room, skein, *limit);
  };
}

std::string CurationStream::standing_story(const PlanScene& scene) const {
  std::vector<const LoreEntry*> constant;
  for (const LoreEntry& lore : scene.lore->entries)
    if (lore.enabled && lore.constant && !stands_near_input(lore)) constant.push_back(&lore);
  return standing_lore(constant);
}

}  // namespace weft
