// Planned prompts: what the turn is about, the fast path for numbers, the skeleton, and curation beside it.
#include <xxhash.h>

#include <algorithm>
#include <filesystem>

#include "base/log.h"
#include "engine/engine_impl.h"
#include "flow/context/fence.h"
#include "flow/context/skein.h"

namespace weft {
namespace {

constexpr std::size_t kRecentMessages = 6;
const char* const kDefaultState = "default";

std::string last_input(const ContextInput& input) {
  for (auto entry = input.history.rbegin(); entry != input.history.rend(); ++entry)
    if (entry->message.role == Role::kUser) return entry->message.content;
  return {};
}

// The messages before the input, the last ones.
std::vector<Message> recent_of(const ContextInput& input) {
  std::vector<Message> recent;
  bool before = false;
  for (auto entry = input.history.rbegin(); entry != input.history.rend() && recent.size() < kRecentMessages; ++entry) {
    if (before) recent.push_back(entry->message);
    before = before || entry->message.role == Role::kUser;
  }
  std::reverse(recent.begin(), recent.end());
  return recent;
}

CuratedEntry curated(const LoreEntry& lore) {
  CuratedEntry entry;
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
      skein ? BlockPlace::kSystemEnd : parse_block_place(config.curation.position).value_or(BlockPlace::kHistoryTop);
  return options;
}

ReportItem report_of(const CuratedEntry& entry, bool kept, std::string why) {
  return {entry.id, std::string(source_of(entry.chain)), entry.score, 0, kept, std::move(why), entry.name};
}

// Whether an entry that comes only sometimes comes now: the same for the same words, so that a prompt can be made
// again.
bool falls_to(const LoreEntry& lore, const std::string& said) {
  constexpr std::int64_t kAlways = 100;
  if (lore.probability >= kAlways) return true;
  const std::string text = lore.id + "\n" + said;
  return static_cast<std::int64_t>(XXH3_64bits(text.data(), text.size()) % kAlways) < lore.probability;
}

}  // namespace

CurateOptions EngineImpl::curate_options() const {
  const CurationSettings& settings = config_.curation;
  CurateOptions options;
  options.candidates.pool = static_cast<std::size_t>(settings.pool);
  options.candidates.preview_tokens = settings.preview_tokens;
  options.candidates.lore_kinds = {ItemKind::kLore};
  // Recency-weighted keywords as specified, or all that the configured recipe weighs.
  options.candidates.narrative_recipe = config_.recall.recipe == "literal" ? "words" : "";
  options.selector.most = static_cast<std::size_t>(settings.select);
  options.selector.most_by_similarity = static_cast<std::size_t>(settings.fallback);
  options.selector.floor = settings.selector == "vectors" ? SelectionFloor::kSimilarity : SelectionFloor::kFeatures;
  options.prefetch.max_age = std::chrono::minutes(settings.prefetch_minutes);
  options.timeout = std::chrono::milliseconds(settings.timeout_ms);
  return options;
}

Result<std::shared_ptr<const LoreShelf>> EngineImpl::lore_of(const std::string& scope) {
  if (auto known = story_.lore(scope)) return known;
  const std::uint64_t ticket = story_.ticket();
  WEFT_TRY(auto entries, lore_entries(scope));
  auto shelf = std::make_shared<const LoreShelf>(std::move(entries));
  story_.put_lore(scope, shelf, ticket);
  return std::shared_ptr<const LoreShelf>(std::move(shelf));
}

// Made once for each version of a state.
Result<std::shared_ptr<const StateFacts>> EngineImpl::facts_of(const std::string& scope, const std::string& name) {
  std::shared_ptr<const StateFacts> facts;
  WEFT_CHECK(states_->read(scope, name, [&](const StateTree& tree, std::int64_t version, Time) -> Status {
    if (version == 0) return {};
    facts = story_.state(scope, name);
    if (facts && facts->version == version) return {};
    auto made = std::make_shared<StateFacts>();
    made->version = version;
    auto entities = entities_of(tree.root());
    made->index = facts ? StateIndex(std::move(entities), facts->index) : StateIndex(std::move(entities));
    facts = std::move(made);
    story_.put_state(scope, name, facts);
    return {};
  }));
  return facts;
}

// Made once as long as nothing of state, quests and lore is called otherwise.
std::shared_ptr<const KnownNames> EngineImpl::names_for(const std::string& scope, const PlanScene& scene) {
  std::string origin = scene.state + "/" + std::to_string(scene.facts ? scene.facts->index.names_number() : 0) + "/" +
                       std::to_string(scene.lore->number);
  for (const Quest& quest : scene.quests) origin += "/" + quest.id + "=" + quest.title;
  if (auto known = story_.names(scope, origin)) return known;
  std::vector<std::string> titles;
  for (const LoreEntry& entry : scene.lore->entries)
    if (entry.enabled) titles.push_back(entry.title);
  const std::vector<StateEntity> nothing;
  auto names = std::make_shared<const KnownNames>(
      names_of(scene.facts ? scene.facts->index.entities() : nothing, scene.quests, titles));
  story_.put_names(scope, origin, names);
  return names;
}

// `numbers`: whether a request to change numbers may be taken for one.
Result<PlannerDecision> EngineImpl::decide(const std::string& scope, const PlanScene& scene, const ContextRequest& what,
                                           bool numbers, const Deadline& deadline) {
  const auto names = names_for(scope, scene);
  PlannerInput input;
  input.input = scene.input;
  input.history = &scene.recent;
  input.quests = &scene.quests;
  input.has_state = scene.facts != nullptr;
  input.state = [&] { return numbers && scene.facts ? &scene.facts->index : nullptr; };
  input.names = names.get();
  input.task = what.task.description;
  input.template_id = what.template_id.empty() ? config_.context.template_id : what.template_id;
  input.given = what.plan;
  {
    auto plans = plans_.lock();
    if (const auto at = plans->find(scene.key); at != plans->end()) input.previous = at->second;
  }
  PlannerOptions options;
  options.model_timeout = std::chrono::milliseconds(config_.planner.timeout_ms);
  ChatModel* const model = config_.planner.model ? models_->chat("planner") : nullptr;
  WEFT_TRY(auto decision, decide_plan(input, options, model, deadline));
  auto plans = plans_.lock();
  if (plans->size() >= kSessionsPlanned) plans->clear();
  (*plans)[scene.key] = decision.plan;
  return decision;
}

// A change of numbers is done and answered; nothing is searched and no model asked.
Result<WovenContext> EngineImpl::answer_at_once(const RequestContext& request, const PlanScene& scene,
                                                PlannerDecision decision) {
  WEFT_TRY(const auto changed, states_->apply(request.scope.key(), scene.state,
                                              {decision.operations, "planner", scene.facts->version}, clock_->now()));
  WovenContext woven;
  woven.answer = std::move(decision.answer);
  woven.state_version = changed.version;
  woven.plan = std::move(decision.plan);
  woven.report.by = decision.by;
  return woven;
}

Result<std::string> EngineImpl::render_skeleton(const std::string& scope, const PlanScene& scene,
                                                const PlanContext& plan) {
  std::vector<Quest> active;
  for (const Quest& quest : scene.quests)
    if (quest.status == QuestStatus::kActive) active.push_back(quest);
  const Value facts(ValueObject{{"time", format_time(clock_->now())}});
  SkeletonInput input;
  input.active_quests = &active;
  input.plan = &plan;
  input.facts = &facts;
  if (!scene.facts) return skeleton_->render(input, plan.template_id);
  std::string text;
  WEFT_CHECK(states_->read(scope, scene.state, [&](const StateTree& tree, std::int64_t version, Time) -> Status {
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
  wish.what.now = clock_->now();
  wish.what.session = session;
  wish.recent = scene.recent;
  const auto lore = scene.lore;
  wish.ports.recall = [this, scope](const SearchRequest& search, const Deadline& deadline) {
    return search_scope(scope, search, deadline);
  };
  wish.ports.labels = [lore](const Item& item) {
    const LoreEntry* entry = item.kind == ItemKind::kLore ? lore->find(item.id.str()) : nullptr;
    return entry == nullptr ? ItemLabels() : ItemLabels{entry->title, entry->tags};
  };
  wish.fetch = [this, scope, lore, quests = scene.quests](const CurationCandidate& candidate) -> Result<CuratedEntry> {
    if (candidate.chain == Chain::kLore) {
      const LoreEntry* entry = lore->find(candidate.ref);
      if (entry == nullptr || !entry->enabled) return not_found("it is gone");
      return curated(*entry);
    }
    CuratedEntry entry;
    if (candidate.chain == Chain::kEvent) {
      for (const Quest& quest : quests)
        if (quest.id == candidate.ref) entry.text = quest_text(quest);
      return entry;
    }
    const ItemId id(candidate.ref);
    WEFT_TRY(const auto rows, store_->rows_of(scope, std::span(&id, 1)));
    WEFT_TRY(const auto items, store_->items(scope, rows));
    if (items.empty()) return not_found("it is gone");
    entry.text = items.front().item.text;
    return entry;
  };
  wish.living = [this, scope, session](std::string_view head) {
    auto held = sessions_->hold(scope, session);
    if (!held.ok()) return false;
    const auto& path = (*held)->path;
    return std::any_of(path.begin(), path.end(),
                       [&](const PathNode& node) { return std::to_string(node.seq) == head; });
  };
  return std::make_shared<PendingCuration>(curator_->start(std::move(wish)));
}

// What was chosen, and the lore that the words of the last messages call up by its keys.
Curated EngineImpl::collect_curation(PendingCuration& pending, const PlanScene& scene, bool skein,
                                     const Deadline& deadline) {
  Curation chosen = pending.wait(deadline);
  Curated curated_blocks;
  curated_blocks.by = chosen.by;
  std::string said = scene.input;
  for (const Message& message : scene.recent) said += "\n" + message.content;
  std::vector<CuratedEntry> entries = std::move(chosen.entries);
  for (const CuratedEntry& entry : entries) curated_blocks.items.push_back(report_of(entry, true, "curated"));
  for (const std::size_t place : scene.lore->triggers.match(said)) {
    const LoreEntry& lore = scene.lore->entries[place];
    const auto same = [&](const CuratedEntry& entry) { return entry.id == lore.id; };
    if (std::any_of(entries.begin(), entries.end(), same)) continue;
    CuratedEntry entry = curated(lore);
    entry.id = lore.id;
    if (!falls_to(lore, said)) {
      const std::string why = "called up, but comes only " + std::to_string(lore.probability) + " times of 100";
      curated_blocks.items.push_back(report_of(entry, false, why));
      continue;
    }
    curated_blocks.items.push_back(report_of(entry, true, lore.constant ? "always there" : "called up by its keys"));
    entries.push_back(std::move(entry));
  }
  curated_blocks.items.push_back({"curation", "curation", 0, 0, chosen.status == CurationStatus::kDone,
                                  std::string(to_string(chosen.status)) + (chosen.why.empty() ? "" : ": " + chosen.why),
                                  ""});
  curated_blocks.blocks = make_blocks(entries, chosen.labels, inject_options(config_, skein));
  return curated_blocks;
}

Result<EngineImpl::PlanScene> EngineImpl::plan_scene(const RequestContext& request, const SessionId& session,
                                                     const ContextRequest& what, const ContextInput& input) {
  const std::string scope = request.scope.key();
  PlanScene scene;
  scene.key = prompt_key(scope, session);
  scene.state = what.state.empty() ? kDefaultState : what.state;
  scene.input = last_input(input);
  scene.recent = recent_of(input);
  WEFT_TRY(const auto graph, quest_graph(scope, nullptr));
  scene.quests = graph.quests();
  WEFT_TRY(scene.lore, lore_of(scope));
  WEFT_TRY(scene.facts, facts_of(scope, scene.state));
  if (!what.state.empty() && !scene.facts)
    return not_found("context: there is no state \"" + what.state + "\"", "`weft state put` makes one");
  return scene;
}

std::string EngineImpl::skein_of(const BuiltContext& built) {
  SkeinParts parts;
  const auto add = [](std::string& to, const std::string& text) { to += (to.empty() ? "" : "\n\n") + text; };
  std::size_t input = built.placed.size();
  for (std::size_t i = built.placed.size(); i-- > 0 && input == built.placed.size();)
    if (built.placed[i].message.role == Role::kUser) input = i;
  for (std::size_t i = 0; i < built.placed.size(); ++i) {
    const Message& message = built.placed[i].message;
    const std::string& label = built.placed[i].section;
    if (i == input)
      parts.user_input = message.content;
    else if (label == "skeleton")
      add(parts.automation_block, message.content);
    else if (label == "history" || label == "input")
      parts.history.push_back(message);
    else if (label == "system" || label == "rules")
      add(parts.instruction, message.content);
    else
      add(parts.curation_block, message.content);
  }
  return skein_text(parts);
}

}  // namespace weft
