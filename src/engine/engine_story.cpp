// What a narrative game keeps: states and quests. A scope that plays in a world reads the world's where it has none of
// its own; what it changes is its own from then on.
#include <algorithm>
#include <set>

#include "engine/engine_impl.h"
#include "flow/memory/quest_graph.h"
#include "flow/memory/quest_import.h"
#include "model/quest.h"

namespace weft {
namespace {

constexpr const char* kQuests = "quest";

Status check_name(const std::string& name) { return check_id(name, "state name"); }

}  // namespace

Result<StoryScope> EngineImpl::story_scope(const RequestContext& request) const {
  const std::string& name = request.world.empty() ? core_.config.story.world : request.world;
  if (!name.empty()) WEFT_CHECK(check_id(name, "world"));
  if (request.of_world && name.empty()) return invalid_argument("which world is meant?", "name it, or set story.world");
  const std::string world = name.empty() ? name : "world:" + name;
  return request.of_world ? StoryScope{world, ""} : StoryScope{request.scope.key(), world};
}

// Whose state of that name a scope reads: its own once it has changed anything, until then the world's.
Result<std::string> EngineImpl::state_home(const StoryScope& scope, const std::string& name) {
  std::string home = scope.own;
  if (scope.world.empty()) return home;
  const auto written = [&](const std::string& where) -> Result<bool> {
    bool any = false;
    WEFT_CHECK(states_->read(where, name, [&](const StateTree&, std::int64_t version, Time) {
      any = version > 0;
      return Status();
    }));
    return any;
  };
  WEFT_TRY(const bool own, written(scope.own));
  if (own) return home;
  WEFT_TRY(const bool worlds, written(scope.world));
  if (worlds) home = scope.world;
  return home;
}

// The world's state as it stands becomes the scope's own first version, with its schema. Gives the world's version; 0
// where there was nothing to take over.
Result<std::int64_t> EngineImpl::adopt_state(const StoryScope& scope, const std::string& name) {
  WEFT_TRY(const auto home, state_home(scope, name));
  if (home == scope.own) return std::int64_t{0};
  WEFT_TRY(const auto view, states_->at(home, name, 0));
  WEFT_TRY(const auto schema, states_->schema(home, name));
  WEFT_TRY(auto tree, parse_value(view.json, {.max_bytes = view.json.size() + 1}, "state"));
  const Value whole(ValueList{Value(ValueList{"SET", "", std::move(tree)})});
  const auto adopted = states_->apply(scope.own, name, {to_json(whole), home, 0, "", ""}, core_.clock->now());
  // Somebody else of the scope may have been faster: then it is there.
  if (!adopted.ok() && adopted.error().code != ErrorCode::kConflict) return adopted.error();
  if (adopted.ok() && !schema.empty())
    WEFT_CHECK(states_->put_schema(scope.own, name, schema, home, core_.clock->now()));
  return view.version;
}

Result<StateView> EngineImpl::change_state(const StoryScope& scope, const std::string& name, StateChange change) {
  WEFT_TRY(const auto worlds, adopt_state(scope, name));
  if (worlds > 0 && change.expected_version == worlds) change.expected_version = 1;
  return states_->apply(scope.own, name, change, core_.clock->now());
}

Result<StateView> EngineImpl::state(const RequestContext& request, const std::string& name, std::int64_t version) {
  WEFT_CHECK(check_name(name));
  WEFT_TRY(const auto scope, story_scope(request));
  WEFT_TRY(const auto home, state_home(scope, name));
  return states_->at(home, name, version);
}

Result<StateView> EngineImpl::put_state(const RequestContext& request, const std::string& name, const std::string& json,
                                        const std::string& author) {
  WEFT_CHECK(check_name(name));
  WEFT_TRY(const auto scope, story_scope(request));
  WEFT_TRY(auto tree,
           parse_value(json, {.max_bytes = static_cast<std::size_t>(core_.config.state.max_bytes)}, "state"));
  const Value whole(ValueList{Value(ValueList{"SET", "", std::move(tree)})});
  return states_->apply(scope.own, name, {to_json(whole), author, {}, "", ""}, core_.clock->now());
}

Result<StateView> EngineImpl::apply_state(const RequestContext& request, const std::string& name,
                                          const StateChange& change) {
  WEFT_CHECK(check_name(name));
  WEFT_TRY(const auto scope, story_scope(request));
  return change_state(scope, name, change);
}

Result<std::vector<StateVersion>> EngineImpl::state_log(const RequestContext& request, const std::string& name,
                                                        std::size_t limit) {
  WEFT_CHECK(check_name(name));
  WEFT_TRY(const auto scope, story_scope(request));
  return states_->log(scope.own, name, limit);
}

Result<StateView> EngineImpl::roll_back_state(const RequestContext& request, const std::string& name,
                                              std::int64_t version, const std::string& author) {
  WEFT_CHECK(check_name(name));
  WEFT_TRY(const auto scope, story_scope(request));
  return states_->roll_back(scope.own, name, version, author, core_.clock->now());
}

Result<std::string> EngineImpl::state_schema(const RequestContext& request, const std::string& name) {
  WEFT_CHECK(check_name(name));
  WEFT_TRY(const auto scope, story_scope(request));
  WEFT_TRY(const auto home, state_home(scope, name));
  return states_->schema(home, name);
}

Status EngineImpl::put_state_schema(const RequestContext& request, const std::string& name, const std::string& schema,
                                    const std::string& author) {
  WEFT_CHECK(check_name(name));
  WEFT_TRY(const auto scope, story_scope(request));
  return states_->put_schema(scope.own, name, schema, author, core_.clock->now());
}

// The world's quests, and over them the scope's own: changed, added, or gone (without a body).
Result<QuestGraph> EngineImpl::quest_graph(const StoryScope& scope, std::map<std::string, std::int64_t>* versions) {
  std::map<std::string, Quest> all;
  const auto read = [&](const std::string& from, bool own) -> Status {
    WEFT_TRY(const auto rows, core_.store->documents(from, kQuests));
    for (const DocumentRow& row : rows) {
      if (own && versions != nullptr) (*versions)[row.id] = row.version;
      all.erase(row.id);
      if (row.body.empty()) continue;
      WEFT_TRY(auto quest, parse_quest(row.body));
      all.emplace(row.id, std::move(quest));
    }
    return {};
  };
  if (!scope.world.empty()) WEFT_CHECK(read(scope.world, false));
  WEFT_CHECK(read(scope.own, true));
  std::vector<Quest> quests;
  for (auto& [id, quest] : all) quests.push_back(std::move(quest));
  // The world may have lost what a player's quest waits for.
  if (!scope.world.empty()) {
    std::set<std::string> known;
    for (const Quest& quest : quests) known.insert(quest.id);
    for (Quest& quest : quests)
      for (auto* edges : {&quest.prerequisites, &quest.successors})
        std::erase_if(*edges, [&](const std::string& id) { return !known.contains(id); });
  }
  return QuestGraph::make(std::move(quests));
}

// Every version of a quest is kept. Two who change quests at once are told apart by the version of the one they share.
Result<std::vector<Quest>> EngineImpl::write_quests(const RequestContext& request,
                                                    const std::function<Result<QuestChange>(QuestGraph&)>& change) {
  WEFT_TRY(const auto scope, story_scope(request));
  std::map<std::string, std::int64_t> versions;
  WEFT_TRY(auto graph, quest_graph(scope, &versions));
  WEFT_TRY(auto made, change(graph));
  WriteBatch batch;
  const auto write = [&](const std::string& id, std::string body) {
    batch.documents.push_back(
        {scope.own, kQuests, id, versions[id] + 1, core_.clock->now(), request.scope.user().str(), std::move(body)});
  };
  for (const Quest& quest : made.changed) write(quest.id, to_json(quest));
  for (const std::string& id : made.gone) write(id, "");
  WEFT_CHECK(core_.store->write(batch));
  return std::move(made.changed);
}

Result<std::vector<Quest>> EngineImpl::change_quests(
    const RequestContext& request, const std::function<Result<std::vector<Quest>>(QuestGraph&)>& change) {
  return write_quests(request, [&](QuestGraph& graph) -> Result<QuestChange> {
    WEFT_TRY(auto changed, change(graph));
    return QuestChange{std::move(changed), {}};
  });
}

Result<std::vector<Quest>> EngineImpl::quests(const RequestContext& request) {
  WEFT_TRY(const auto scope, story_scope(request));
  WEFT_TRY(const auto graph, quest_graph(scope, nullptr));
  return graph.quests();
}

Result<std::vector<Quest>> EngineImpl::import_quests(const RequestContext& request, const std::string& text,
                                                     const std::string& file) {
  WEFT_TRY(const auto quests, weft::import_quests(text, file));
  if (quests.empty())
    return invalid_argument(file + ": no quest was found",
                            "a list of quests, each with an id; see examples/quests.yaml");
  return change_quests(request, [&](QuestGraph& graph) { return graph.put(quests); });
}

Result<std::vector<Quest>> EngineImpl::put_quest(const RequestContext& request, const std::string& json) {
  WEFT_TRY(const Quest quest, parse_quest(json));
  return change_quests(request, [&](QuestGraph& graph) { return graph.put({quest}); });
}

Result<std::vector<Quest>> EngineImpl::delete_quest(const RequestContext& request, const std::string& id) {
  return write_quests(request, [&](QuestGraph& graph) -> Result<QuestChange> {
    WEFT_TRY(auto changed, graph.remove(id));
    std::erase_if(changed, [&](const Quest& quest) { return quest.id == id; });
    return QuestChange{std::move(changed), {id}};
  });
}

Result<std::vector<Quest>> EngineImpl::move_quest(const RequestContext& request, const std::string& id,
                                                  QuestStatus status, const std::string& note) {
  return change_quests(request, [&](QuestGraph& graph) -> Result<std::vector<Quest>> {
    const Quest* quest = graph.find(id);
    // The same status with a note is progress.
    if (quest != nullptr && quest->status == status && !note.empty()) return graph.set_progress(id, note);
    return graph.set_status(id, status, note);
  });
}

}  // namespace weft
