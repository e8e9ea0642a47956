// What a narrative game keeps: its states. A scope that plays in a world reads the world's where it has none of its
// own; what it changes is its own from then on.
#include "engine/states.h"

#include "engine/engine_core.h"

namespace weft {
namespace {

Status check_name(const std::string& name) { return check_id(name, "state name"); }

}  // namespace

Result<StoryScope> story_scope(const Config& config, const RequestContext& request) {
  const std::string& name = request.world.empty() ? config.story.world : request.world;
  if (!name.empty()) WEFT_CHECK(check_id(name, "world"));
  if (request.of_world && name.empty()) return invalid_argument("which world is meant?", "name it, or set story.world");
  const ScopeKey world(name.empty() ? name : "world:" + name);
  return request.of_world ? StoryScope{world, {}} : StoryScope{request.scope.key(), world};
}

States::States(EngineCore& core)
    : core_(core), shelf_(*core.store, core.config.state, core.config.retention.state_versions) {}

// Whose state of that name a scope reads: its own once it has changed anything, until then the world's.
Result<ScopeKey> States::state_home(const StoryScope& scope, const std::string& name) {
  ScopeKey home = scope.own;
  if (scope.world.empty()) return home;
  const auto written = [&](const ScopeKey& where) -> Result<bool> {
    bool any = false;
    WEFT_CHECK(shelf_.read(where, name, [&](const StateTree&, std::int64_t version, Time) {
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
Result<std::int64_t> States::adopt_state(const StoryScope& scope, const std::string& name) {
  WEFT_TRY(const auto home, state_home(scope, name));
  if (home == scope.own) return std::int64_t{0};
  WEFT_TRY(const auto view, shelf_.at(home, name, 0));
  WEFT_TRY(const auto schema, shelf_.schema(home, name));
  WEFT_TRY(auto tree, parse_value(view.json, {.max_bytes = view.json.size() + 1}, "state"));
  const Value whole(ValueList{Value(ValueList{"SET", "", std::move(tree)})});
  const auto adopted = shelf_.apply(scope.own, name, {to_json(whole), home.str(), 0, "", ""}, core_.clock->now());
  // Somebody else of the scope may have been faster: then it is there.
  if (!adopted.ok() && adopted.error().code != ErrorCode::kConflict) return adopted.error();
  if (adopted.ok() && !schema.empty())
    WEFT_CHECK(shelf_.put_schema(scope.own, name, schema, home.str(), core_.clock->now()));
  return view.version;
}

Result<StateView> States::change_state(const StoryScope& scope, const std::string& name, StateChange change) {
  WEFT_TRY(const auto home, state_home(scope, name));
  // A change that is refused leaves the scope with the world's state.
  if (home != scope.own) WEFT_CHECK(shelf_.check(home, name, change));
  WEFT_TRY(const auto worlds, adopt_state(scope, name));
  if (worlds > 0 && change.expected_version == worlds) change.expected_version = 1;
  return shelf_.apply(scope.own, name, change, core_.clock->now());
}

Result<StateView> States::state(const RequestContext& request, const std::string& name, std::int64_t version) {
  WEFT_CHECK(check_name(name));
  WEFT_TRY(const auto scope, story_scope(core_.config, request));
  WEFT_TRY(const auto home, state_home(scope, name));
  return shelf_.at(home, name, version);
}

Result<Value> States::state_value(const RequestContext& request, const std::string& name, std::string_view path) {
  WEFT_CHECK(check_name(name));
  WEFT_TRY(const auto scope, story_scope(core_.config, request));
  WEFT_TRY(const auto home, state_home(scope, name));
  Value found;
  WEFT_CHECK(shelf_.read(home, name, [&](const StateTree& tree, std::int64_t, Time) -> Status {
    WEFT_TRY(const Value* value, tree.at(path));
    found = *value;
    return {};
  }));
  return found;
}

Result<StateView> States::put_state(const RequestContext& request, const std::string& name, const std::string& json,
                                    const std::string& author) {
  WEFT_CHECK(check_name(name));
  WEFT_TRY(const auto scope, story_scope(core_.config, request));
  WEFT_TRY(auto tree,
           parse_value(json, {.max_bytes = static_cast<std::size_t>(core_.config.state.max_bytes)}, "state"));
  const Value whole(ValueList{Value(ValueList{"SET", "", std::move(tree)})});
  return shelf_.apply(scope.own, name, {to_json(whole), author, {}, "", ""}, core_.clock->now());
}

Result<StateView> States::apply_state(const RequestContext& request, const std::string& name,
                                      const StateChange& change) {
  WEFT_CHECK(check_name(name));
  WEFT_TRY(const auto scope, story_scope(core_.config, request));
  return change_state(scope, name, change);
}

Result<std::vector<StateVersion>> States::state_log(const RequestContext& request, const std::string& name,
                                                    std::size_t limit, std::int64_t before) {
  WEFT_CHECK(check_name(name));
  WEFT_TRY(const auto scope, story_scope(core_.config, request));
  return shelf_.log(scope.own, name, limit, before);
}

Result<StateView> States::roll_back_state(const RequestContext& request, const std::string& name, std::int64_t version,
                                          const std::string& author) {
  WEFT_CHECK(check_name(name));
  WEFT_TRY(const auto scope, story_scope(core_.config, request));
  return shelf_.roll_back(scope.own, name, version, author, core_.clock->now());
}

Result<std::string> States::state_schema(const RequestContext& request, const std::string& name) {
  WEFT_CHECK(check_name(name));
  WEFT_TRY(const auto scope, story_scope(core_.config, request));
  WEFT_TRY(const auto home, state_home(scope, name));
  return shelf_.schema(home, name);
}

Status States::put_state_schema(const RequestContext& request, const std::string& name, const std::string& schema,
                                const std::string& author) {
  WEFT_CHECK(check_name(name));
  WEFT_TRY(const auto scope, story_scope(core_.config, request));
  return shelf_.put_schema(scope.own, name, schema, author, core_.clock->now());
}

// Made once for each version of a state.
Result<std::shared_ptr<const StateFacts>> States::facts_of(const ScopeKey& scope, const std::string& name) {
  std::shared_ptr<const StateFacts> facts;
  WEFT_CHECK(shelf_.read(scope, name, [&](const StateTree& tree, std::int64_t version, Time) -> Status {
    if (version == 0) return {};
    facts = core_.story.state(scope, name);
    if (facts && facts->version == version) return {};
    auto made = std::make_shared<StateFacts>();
    made->version = version;
    auto entities = entities_of(tree.root());
    made->index = facts ? StateIndex(std::move(entities), facts->index) : StateIndex(std::move(entities));
    facts = std::move(made);
    core_.story.put_state(scope, name, facts);
    return {};
  }));
  return facts;
}

}  // namespace weft
