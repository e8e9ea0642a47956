#include "engine/planned_prompts.h"

#include <xxhash.h>

#include <algorithm>
#include <filesystem>

#include "base/log.h"
#include "engine/engine_core.h"
#include "flow/context/candidates.h"
#include "flow/context/curate.h"
#include "flow/context/planner.h"
#include "flow/context/shorten.h"
#include "text/json.h"
#include "text/markup.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr const char* kUsualState = "default";

std::filesystem::path template_folder(const EngineCore& core) {
  return std::filesystem::path(core.config.workspace) / "templates";
}

// The ids of a user's own templates; none where there is no such folder.
std::vector<std::string> template_files(const std::filesystem::path& folder) {
  constexpr std::size_t kMost = 200;
  std::vector<std::string> ids;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed))
    if (entry.path().extension() == ".jinja" && ids.size() < kMost) ids.push_back(entry.path().stem().string());
  std::sort(ids.begin(), ids.end());
  return ids;
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

}  // namespace

SkeletonStream::SkeletonStream(EngineCore& core, States& states)
    : core_(core),
      states_(states),
      skeleton_(
          [folder = template_folder(core)](std::string_view id) -> std::optional<std::string> {
            auto source = read_file(folder / (std::string(id) + ".jinja"));
            return source.ok() ? std::optional(std::move(source).value()) : std::nullopt;
          },
          TemplateLimits(), [folder = template_folder(core)] { return template_files(folder); }) {}

Result<std::string> SkeletonStream::render(const PlanScene& scene, const PlanContext& plan) {
  const std::vector<Quest> active = active_quests(scene.quests);
  SkeletonInput input;
  input.active_quests = &active;
  input.plan = &plan;
  Value facts = facts_for(nullptr, core_.clock->now());
  input.facts = &facts;
  if (!scene.facts) return skeleton_.render(input, plan.template_id);
  std::string text;
  WEFT_CHECK(states_.shelf().read(scene.state_home, scene.state,
                                  [&](const StateTree& tree, std::int64_t version, Time) -> Status {
                                    facts = facts_for(&tree.root(), core_.clock->now());
                                    input.state = &tree.root();
                                    input.state_version = version;
                                    if (version == scene.facts->version) {
                                      WEFT_TRY(input.state_yaml, scene.facts->yaml(tree.root()));
                                    }
                                    WEFT_TRY(text, skeleton_.render(input, plan.template_id));
                                    return {};
                                  }));
  return text;
}

// The same with what matters now: smaller each time, since YAML and its escapes take more than the data alone.
Result<std::string> SkeletonStream::shorter(const PlanScene& scene, const PlanContext& plan, std::int64_t tokens) {
  constexpr int kAttempts = 6;
  constexpr double kBytesPerToken = 3;
  constexpr std::size_t kVersions = 20;
  const StateInterest interest{interest_of(scene.input, scene.quests, plan), scene.players, {}};
  StateInterest wanted = interest;
  if (scene.facts) {
    WEFT_TRY(const auto versions, states_.shelf().log(scene.state_home, scene.state, kVersions, 0));
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
          states_.shelf().read(scene.state_home, scene.state, [&](const StateTree& tree, std::int64_t version, Time) {
            facts = facts_for(&tree.root(), core_.clock->now());
            state = shorten_state(tree.root(), wanted, static_cast<std::size_t>(bytes * 2 / 3));
            input.state_version = version;
            return Status();
          }));
      input.state = &state;
    }
    input.facts = &facts;
    WEFT_TRY(text, skeleton_.render(input, plan.template_id));
    const std::int64_t taken = core_.models->tokens().count(text);
    if (taken <= tokens) return text;
    bytes *= 0.9 * static_cast<double>(tokens) / static_cast<double>(taken);
  }
  return text;
}

// How the model writes changes of the state: in the language of the conversation, which stays the same.
std::string SkeletonStream::state_guide(const PlanScene& scene, const ContextInput& input) {
  if (!scene.facts || !core_.config.story.explain_operations) return {};
  const auto first = std::find_if(input.history.begin(), input.history.end(),
                                  [](const HistoryMessage& one) { return one.message.role == Role::kUser; });
  const std::string& said = first == input.history.end() ? scene.input : first->message.content;
  const bool chinese = language_of(said) == Language::kChinese;
  const auto text = skeleton_.render_text(chinese ? "explain_state_zh" : "explain_state_en",
                                          scene.state == kUsualState ? "" : " " + scene.state);
  if (!text.ok()) log_warning("context.state", text.error().message);
  return text.value_or("");
}

// What was to be changed and was not, for the model to tell.
std::string SkeletonStream::notice(const PlanScene& scene, const PlannerDecision& decision) {
  std::string lines;
  for (const std::string* one : {&decision.notice, &scene.refused})
    if (!one->empty()) lines += escape_markup(*one) + "\n";
  return lines.empty() ? lines : "<notice>\n" + lines + "</notice>";
}

namespace {

constexpr std::size_t kMostSessions = 1024;  // whose last plan is known
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

// What a request is known by when it is sent again: the id that its caller gives it, or that of the message it answers.
// The same id with other words is another request.
std::string request_id_of(const SessionId& session, const ContextRequest& what, const ContextInput& input) {
  const HistoryMessage* asked = nullptr;
  for (const HistoryMessage& entry : input.history)
    if (entry.message.role == Role::kUser) asked = &entry;
  if (asked == nullptr) return {};
  std::string id;
  if (!what.request_id.empty())
    id = "request:" + what.request_id;
  else if (!asked->message.id.empty())
    id = "message:" + asked->message.id.str();
  else if (asked->seq != 0)
    id = "stored:" + std::to_string(asked->seq);
  const std::string& said = asked->message.content;
  return id.empty() ? id : session.str() + "/" + id + "/" + std::to_string(XXH3_64bits(said.data(), said.size()));
}

Error no_state(const std::string& name) {
  return not_found("context: there is no state \"" + name + "\"", "`weft state put` makes one");
}

constexpr const char* kGoals = "goal";
constexpr const char* kGoal = "goal";

std::string text_in(const Value& object, std::string_view name) {
  const Value* found = object.find(name);
  return found != nullptr && found->text() != nullptr ? *found->text() : std::string();
}

}  // namespace

// Made once as long as nothing of state, quests and lore is called otherwise.
std::shared_ptr<const KnownNames> TurnPlanner::names_for(const PlanScene& scene) {
  const ScopeKey& scope = scene.story.own;
  std::string origin = scene.state_home.str() + "/" + scene.state + "/" +
                       std::to_string(scene.facts ? scene.facts->index.names_number() : 0) + "/" +
                       std::to_string(scene.lore->number);
  for (const Quest& quest : scene.quests) origin += "/" + quest.id + "=" + quest.title;
  if (auto known = core_.story.names(scope, origin)) return known;
  std::vector<std::string> titles;
  for (const LoreEntry& entry : scene.lore->entries)
    if (entry.enabled) titles.push_back(entry.title);
  const std::vector<StateEntity> nothing;
  auto names = std::make_shared<const KnownNames>(
      names_of(scene.facts ? scene.facts->index.entities() : nothing, scene.quests, titles));
  core_.story.put_names(scope, origin, names);
  return names;
}

// `numbers`: whether a request to change numbers may be taken for one.
Result<PlannerDecision> TurnPlanner::decide(const ScopeKey& scope, const PlanScene& scene, const ContextRequest& what,
                                            bool numbers, const Deadline& deadline) {
  // The same request again: what was said of it then.
  if (numbers && scene.made_before) {
    PlannerDecision decision;
    decision.numeric = true;
    decision.answer = scene.made_before->answer;
    decision.plan.search_intent.enabled = false;
    return decision;
  }
  const auto names = names_for(scene);
  PlannerInput input;
  input.input = scene.input;
  input.history = &scene.recent;
  input.quests = &scene.quests;
  input.has_state = scene.facts != nullptr;
  input.state = [&] { return numbers && scene.facts ? &scene.facts->index : nullptr; };
  input.names = names.get();
  input.players = scene.players;
  input.task = what.task.description;
  input.template_id = what.template_id.empty() ? core_.config.context.template_id : what.template_id;
  input.given = what.plan;
  const auto templates = skeletons_.catalog();
  input.templates = &templates;
  WEFT_TRY(const auto goal, lasting_goal(core_, scope));
  input.goal = goal.text;
  {
    auto plans = plans_.lock();
    if (const auto at = plans->find(scene.key); at != plans->end()) input.previous = at->second;
  }
  // A new session goes on with the quest of the last one.
  if (!input.previous && !goal.quest.empty()) input.previous.emplace().active_quest_id = goal.quest;
  PlannerOptions options;
  options.model_timeout = std::chrono::milliseconds(core_.config.planner.timeout_ms);
  ChatModel* const model = core_.config.planner.model ? core_.models->chat("planner") : nullptr;
  WEFT_TRY(auto decision, decide_plan(input, options, model, deadline));
  keep_goal(core_, scope, goal, decision);
  auto plans = plans_.lock();
  if (plans->size() >= kMostSessions) plans->clear();
  (*plans)[scene.key] = decision.plan;
  return decision;
}

// A change of numbers is done and answered, once for each request; nothing is searched and no model asked.
Result<WovenContext> TurnPlanner::answer_at_once(const PlanScene& scene, PlannerDecision decision) {
  WovenContext woven;
  if (scene.made_before) {
    woven.state_version = scene.made_before->version;
  } else {
    StateChange change{decision.operations, "planner", scene.facts->version, scene.request_id, decision.answer};
    WEFT_TRY(const auto changed, states_.change_state(scene.story, scene.state, std::move(change)));
    woven.state_version = changed.version;
    if (changed.repeated) decision.answer = changed.answer;
  }
  woven.answer = std::move(decision.answer);
  woven.plan = std::move(decision.plan);
  woven.report.by = decision.by;
  return woven;
}

Result<PlanScene> TurnPlanner::plan_scene(const RequestContext& request, const SessionId& session,
                                          const ContextRequest& what, const ContextInput& input) {
  PlanScene scene;
  WEFT_TRY(scene.story, story_scope(core_.config, request));
  scene.key = prompt_key(scene.story.own, session);
  scene.state = what.state.empty() ? kDefaultState : what.state;
  scene.input = last_input(input);
  scene.recent = recent_of(input);
  scene.request_id = request_id_of(session, what, input);
  if (!scene.request_id.empty()) {
    WEFT_TRY(scene.made_before, states_.shelf().made_before(scene.story.own, scene.request_id));
  }
  for (const std::string& name : {core_.config.story.player, request.scope.user().str()})
    if (!name.empty()) scene.players.push_back(name);
  WEFT_TRY(const auto graph, quests_.quest_graph(scene.story, nullptr));
  scene.quests = graph.quests();
  WEFT_TRY(scene.lore, lore_.lore_of(scene.story));
  WEFT_TRY(scene.state_home, states_.state_home(scene.story, scene.state));
  WEFT_TRY(scene.facts, states_.facts_of(scene.state_home, scene.state));
  WEFT_TRY(scene.refused, states_.refused_answer(scene.story.own, session, input));
  if (!what.state.empty() && !scene.facts) return no_state(what.state);
  return scene;
}

Status TurnPlanner::check(const RequestContext& request, const ContextRequest& what) {
  if (!what.planned && !what.plan) return {};
  WEFT_TRY(const auto story, story_scope(core_.config, request));
  if (what.state.empty()) return {};
  WEFT_TRY(const auto home, states_.state_home(story, what.state));
  WEFT_TRY(const auto facts, states_.facts_of(home, what.state));
  return facts ? Status() : Status(no_state(what.state));
}

// A change of numbers is done at once and needs nothing of what follows; anything else is planned.
Result<std::optional<WovenContext>> TurnPlanner::plan(const RequestContext& request, const SessionId& session,
                                                      const ContextRequest& what, const ContextInput& input,
                                                      const Deadline& deadline, PlanScene& scene,
                                                      std::optional<PlannerDecision>& decision) {
  if (!what.planned && !what.plan) return std::optional<WovenContext>();
  const ScopeKey scope = request.scope.key();
  WEFT_TRY(scene, plan_scene(request, session, what, input));
  WEFT_TRY(decision, decide(scope, scene, what, true, deadline));
  if (!decision->numeric) return std::optional<WovenContext>();
  auto answered = answer_at_once(scene, *decision);
  // What the state's schema forbids, or somebody else was faster with, is a matter for the story.
  const bool refused = !answered.ok() && (answered.error().code == ErrorCode::kInvalidArgument ||
                                          answered.error().code == ErrorCode::kConflict);
  if (answered.ok()) return std::optional(std::move(answered).value());
  if (!refused) return answered.error();
  WEFT_TRY(scene, plan_scene(request, session, what, input));
  WEFT_TRY(decision, decide(scope, scene, what, false, deadline));
  if (decision->notice.empty()) decision->notice = refusal_text(answered.error().message, language_of(scene.input));
  return std::optional<WovenContext>();
}

Result<LastingGoal> lasting_goal(EngineCore& core, const ScopeKey& scope) {
  LastingGoal goal;
  WEFT_TRY(const auto row, core.store->documents().newest(scope, kGoals, kGoal));
  if (!row) return goal;
  goal.version = row->version;
  if (row->body.empty()) return goal;
  WEFT_TRY(const auto body, parse_value(row->body, {.max_bytes = row->body.size() + 1}, "goal"));
  goal.text = text_in(body, "goal");
  goal.quest = text_in(body, "quest");
  return goal;
}

// Written where it changed. A goal that could not be kept costs no prompt.
void keep_goal(EngineCore& core, const ScopeKey& scope, const LastingGoal& before, const PlannerDecision& decision) {
  const std::string quest = decision.plan.active_quest_id.value_or("");
  if (decision.lasting_goal == before.text && quest == before.quest) return;
  WriteBatch batch;
  const Value body(ValueObject{{"goal", decision.lasting_goal}, {"quest", quest}});
  batch.documents.push_back({scope, kGoals, kGoal, before.version + 1, core.clock->now(),
                             std::string(to_string(decision.by)), to_json(body)});
  const Status written = core.store->write(batch);
  // Two turns at once: either goal may stand.
  if (!written.ok() && written.error().code != ErrorCode::kConflict)
    log_warning("planner.goal", written.error().message);
}

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
