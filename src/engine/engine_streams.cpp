// What a planned prompt has beside its history: the skeleton, the lore that always stands, the lore that is called up,
// and what curation finds.
#include <xxhash.h>

#include <algorithm>

#include "base/log.h"
#include "engine/engine_impl.h"
#include "flow/context/shorten_state.h"
#include "flow/context/story_time.h"
#include "flow/context/weave_entries.h"
#include "flow/context/word_set.h"
#include "text/markup.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr const char* kUsualState = "default";

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
  options.position =
      skein ? BlockPlace::kSystemEnd : parse_block_place(config.curation.position).value_or(BlockPlace::kBeforeInput);
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

std::vector<Quest> active_quests(const std::vector<Quest>& quests) {
  std::vector<Quest> active;
  for (const Quest& quest : quests)
    if (quest.status == QuestStatus::kActive) active.push_back(quest);
  return active;
}

// The story's own time, where its state has one.
Value facts_for(const Value* state, Time now) {
  const Value* time = state == nullptr ? nullptr : story_time(*state);
  return ValueObject{{"time", time != nullptr ? *time : Value(format_time(now))}};
}

// What the turn is about, in words.
std::string interest_of(const std::string& input, const std::vector<Quest>& quests, const PlanContext& plan) {
  std::string words = input + "\n" + plan.current_goal;
  for (const std::string& keyword : plan.search_intent.focus_keywords) words += "\n" + keyword;
  for (const Quest& quest : quests)
    if (quest.status == QuestStatus::kActive && (!plan.active_quest_id || quest.id == *plan.active_quest_id))
      words += "\n" + quest.title + "\n" + quest.objective;
  return words;
}

// The quest in focus, then those that share words with the turn, as far as there is room; the last one says how many
// more there are.
std::vector<Quest> shorter_quests(std::vector<Quest> quests, const PlanContext& plan, const std::string& words,
                                  std::size_t bytes) {
  constexpr std::size_t kAround = 64;
  const WordSet wanted(words);
  const auto score = [&](const Quest& quest) {
    if (plan.active_quest_id && quest.id == *plan.active_quest_id) return 2.0;
    return WordSet(quest.title + " " + quest.objective).likeness(wanted);
  };
  std::stable_sort(quests.begin(), quests.end(), [&](const Quest& a, const Quest& b) { return score(a) > score(b); });
  std::size_t used = 0, kept = 0;
  for (const Quest& quest : quests) {
    used += kAround + quest.title.size() + quest.objective.size() + quest.progress.size();
    if (kept > 0 && used > bytes) break;
    ++kept;
  }
  if (kept == quests.size()) return quests;
  const std::size_t left_out = quests.size() - kept;
  quests.resize(kept);
  Quest more;
  more.id = "…";
  more.title = std::to_string(left_out) + " more";
  more.status = QuestStatus::kActive;
  quests.push_back(std::move(more));
  return quests;
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

}  // namespace

CurateOptions EngineImpl::curate_options() const {
  const CurationSettings& settings = core_.config.curation;
  CurateOptions options;
  options.candidates.pool = static_cast<std::size_t>(settings.pool);
  options.candidates.preview_tokens = settings.preview_tokens;
  options.candidates.lore_kinds = {ItemKind::kLore};
  // Recency-weighted keywords as specified, or all that the configured recipe weighs.
  options.candidates.narrative_recipe = core_.config.recall.recipe == "literal" ? "words" : "";
  options.selector.most = static_cast<std::size_t>(settings.select);
  options.selector.most_by_similarity = static_cast<std::size_t>(settings.fallback);
  options.selector.least_relevance = core_.config.recall.known_threshold;
  options.selector.floor = settings.selector == "vectors" ? SelectionFloor::kSimilarity : SelectionFloor::kFeatures;
  options.prefetch.max_age = std::chrono::minutes(settings.prefetch_minutes);
  options.timeout = std::chrono::milliseconds(settings.timeout_ms);
  return options;
}

Result<std::string> EngineImpl::render_skeleton(const PlanScene& scene, const PlanContext& plan) {
  const std::vector<Quest> active = active_quests(scene.quests);
  SkeletonInput input;
  input.active_quests = &active;
  input.plan = &plan;
  Value facts = facts_for(nullptr, core_.clock->now());
  input.facts = &facts;
  if (!scene.facts) return skeleton_->render(input, plan.template_id);
  std::string text;
  WEFT_CHECK(states_->shelf().read(scene.state_home, scene.state,
                                   [&](const StateTree& tree, std::int64_t version, Time) -> Status {
                                     facts = facts_for(&tree.root(), core_.clock->now());
                                     input.state = &tree.root();
                                     input.state_version = version;
                                     if (version == scene.facts->version) {
                                       WEFT_TRY(input.state_yaml, scene.facts->yaml(tree.root()));
                                     }
                                     WEFT_TRY(text, skeleton_->render(input, plan.template_id));
                                     return {};
                                   }));
  return text;
}

// The same with what matters now: smaller each time, since YAML and its escapes take more than the data alone.
Result<std::string> EngineImpl::shorter_skeleton(const PlanScene& scene, const PlanContext& plan, std::int64_t tokens) {
  constexpr int kAttempts = 6;
  constexpr double kBytesPerToken = 3;
  constexpr std::size_t kVersions = 20;
  const StateInterest interest{interest_of(scene.input, scene.quests, plan), scene.players, {}};
  StateInterest wanted = interest;
  if (scene.facts) {
    WEFT_TRY(const auto versions, states_->shelf().log(scene.state_home, scene.state, kVersions));
    for (auto version = versions.rbegin(); version != versions.rend(); ++version)
      for (std::string& anchor : anchors_in(version->operations)) wanted.changed.push_back(std::move(anchor));
  }
  std::string text;
  auto bytes = static_cast<double>(tokens) * kBytesPerToken;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const std::vector<Quest> active =
        shorter_quests(active_quests(scene.quests), plan, interest.words, static_cast<std::size_t>(bytes / 3));
    SkeletonInput input;
    input.active_quests = &active;
    input.plan = &plan;
    Value facts = facts_for(nullptr, core_.clock->now()), state;
    if (scene.facts) {
      WEFT_CHECK(
          states_->shelf().read(scene.state_home, scene.state, [&](const StateTree& tree, std::int64_t version, Time) {
            facts = facts_for(&tree.root(), core_.clock->now());
            state = shorten_state(tree.root(), wanted, static_cast<std::size_t>(bytes * 2 / 3));
            input.state_version = version;
            return Status();
          }));
      input.state = &state;
    }
    input.facts = &facts;
    WEFT_TRY(text, skeleton_->render(input, plan.template_id));
    const std::int64_t taken = core_.models->tokens().count(text);
    if (taken <= tokens) return text;
    bytes *= 0.9 * static_cast<double>(tokens) / static_cast<double>(taken);
  }
  return text;
}

// The memory of the scope; of lore the world's, too.
Result<SearchResult> EngineImpl::search_story(const StoryScope& scope, const SearchRequest& search,
                                              const Deadline& deadline) {
  WEFT_TRY(auto found, searcher_->search_scope(scope.own, search, deadline));
  const bool lore = std::find(search.kinds.begin(), search.kinds.end(), ItemKind::kLore) != search.kinds.end();
  if (scope.world.empty() || !lore) return found;
  SearchRequest of_world = search;
  of_world.kinds = {ItemKind::kLore};
  WEFT_TRY(auto more, searcher_->search_scope(scope.world, of_world, deadline));
  found.hits.insert(found.hits.end(), std::make_move_iterator(more.hits.begin()),
                    std::make_move_iterator(more.hits.end()));
  std::stable_sort(found.hits.begin(), found.hits.end(), [](const Hit& a, const Hit& b) { return a.score > b.score; });
  if (found.hits.size() > search.top_k) found.hits.resize(search.top_k);
  if (more.by == "model") found.by = more.by;
  return found;
}

// Runs beside the skeleton, on threads of its own, and so may outlast this call: it holds what it needs.
std::shared_ptr<PendingCuration> EngineImpl::start_curation(const RequestContext& request, const SessionId& session,
                                                            const PlanScene& scene, const ContextInput& input,
                                                            const PlanContext& plan) {
  const std::string scope = request.scope.key();
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
    WEFT_TRY(const auto rows, core_.store->rows_of(scope, std::span(&id, 1)));
    WEFT_TRY(const auto items, core_.store->items(scope, rows));
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
  return std::make_shared<PendingCuration>(curator_->start(std::move(wish)));
}

// The lore that the words of the last messages call up by its keys, whatever else is looked for.
void EngineImpl::add_called_lore(const PlanScene& scene, EntriesToWeave& entries, Curated& report) const {
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
Curated EngineImpl::collect_curation(PendingCuration* pending, const PlanScene& scene, const CurationRoom& room,
                                     bool skein, const Deadline& deadline) {
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

std::string EngineImpl::standing_story(const PlanScene& scene) const {
  std::vector<const LoreEntry*> constant;
  for (const LoreEntry& lore : scene.lore->entries)
    if (lore.enabled && lore.constant && !stands_near_input(lore)) constant.push_back(&lore);
  return standing_lore(constant);
}

// How the model writes changes of the state: in the language of the conversation, which stays the same.
std::string EngineImpl::state_guide(const PlanScene& scene, const ContextInput& input) {
  if (!scene.facts || !core_.config.story.explain_operations) return {};
  const auto first = std::find_if(input.history.begin(), input.history.end(),
                                  [](const HistoryMessage& one) { return one.message.role == Role::kUser; });
  const std::string& said = first == input.history.end() ? scene.input : first->message.content;
  const bool chinese = language_of(said) == Language::kChinese;
  const auto text = skeleton_->render_text(chinese ? "explain_state_zh" : "explain_state_en",
                                           scene.state == kUsualState ? "" : " " + scene.state);
  if (!text.ok()) log_warning("context.state", text.error().message);
  return text.value_or("");
}

// Starts curation first, so that it runs while the skeleton is rendered. `scene` must outlive the assembly.
Status EngineImpl::open_streams(const RequestContext& request, const SessionId& session, PlanScene& scene,
                                const ContextRequest& what, const PlannerDecision& decision, const Deadline& caller,
                                ContextPorts& ports, ContextInput& input) {
  std::shared_ptr<PendingCuration> pending;
  if (core_.config.curation.enabled && decision.plan.search_intent.enabled)
    pending = start_curation(request, session, scene, input, decision.plan);
  const Deadline limit = caller.within(std::chrono::milliseconds(core_.config.curation.timeout_ms));
  ports.curation = [this, pending, &scene, limit, skein = what.skein](const CurationRoom& room) {
    return collect_curation(pending.get(), scene, room, skein, limit);
  };
  ports.shorter_skeleton = [this, &scene, plan = decision.plan](std::int64_t tokens) {
    auto text = shorter_skeleton(scene, plan, tokens);
    // A template of the user's own may ask for what was left out.
    if (!text.ok()) {
      log_warning("context.skeleton", text.error().message);
      PlanContext usual = plan;
      usual.template_id = "narrative";
      text = shorter_skeleton(scene, usual, tokens);
    }
    return text.value_or("");
  };
  WEFT_TRY(input.skeleton, render_skeleton(scene, decision.plan));
  input.notice = notice_block(scene, decision);
  scene.standing = state_guide(scene, input);
  if (const std::string lore = standing_story(scene); !lore.empty())
    scene.standing += (scene.standing.empty() ? "" : "\n\n") + lore;
  if (!scene.standing.empty()) input.rules += (input.rules.empty() ? "" : "\n\n") + scene.standing;
  return {};
}

// What was to be changed and was not, for the model to tell.
std::string EngineImpl::notice_block(const PlanScene& scene, const PlannerDecision& decision) {
  std::string lines;
  for (const std::string* one : {&decision.notice, &scene.refused})
    if (!one->empty()) lines += escape_markup(*one) + "\n";
  return lines.empty() ? lines : "<notice>\n" + lines + "</notice>";
}

}  // namespace weft
