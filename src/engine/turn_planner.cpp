#include "engine/turn_planner.h"

#include <xxhash.h>
#include <algorithm>

#include "base/log.h"
#include "engine/engine_core.h"
#include "flow/context/planner.h"
#include "text/value.h"

namespace weft {
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

}  // namespace weft
