#include "surface/api/tools.h"

#include <algorithm>
#include <functional>

#include "surface/access/access.h"
#include "surface/api/bodies.h"
#include "surface/api/operation.h"
#include "text/json.h"
#include "text/time_bounds.h"
#include "text/tool_arguments.h"

namespace weft {
namespace {

constexpr double kMostHits = 100;
constexpr std::size_t kProfileHits = 8;
constexpr std::size_t kMostEvents = 1'000'000;  // looked through for one id
constexpr JsonLimits kLimits{.max_bytes = 1 << 20, .max_depth = 16};

struct SearchEvents {
  std::string query, id, target_user_id, target_group_id;
  std::optional<std::size_t> top_k;
  std::string time_from, time_to;
  std::optional<EventFilter> where;
};

struct GetProfile {
  std::string entity_type, entity_id;
};

struct SearchProfiles {
  std::string query, entity_type, entity_id;
  std::size_t top_k = kProfileHits;
};

struct GetState {
  std::string name = "default", path;
};

/// What stands at a path of a state.
struct StatePart {
  std::string path;
  std::int64_t version = 0;
  std::string value;  ///< JSON
};

struct ApplyState {
  std::string name = "default", operations, request_id;
};

Value entity_words(SchemaBook&) { return ValueObject{{"type", "string"}, {"enum", ValueList{"user", "group"}}}; }

}  // namespace

WEFT_DESCRIBED(SearchEvents);
WEFT_DESCRIBED(GetProfile);
WEFT_DESCRIBED(SearchProfiles);
WEFT_DESCRIBED(GetState);
WEFT_DESCRIBED(ApplyState);
WEFT_DESCRIBED(StatePart);

template <>
const Record<SearchEvents>& record<SearchEvents>() {
  using S = SearchEvents;
  constexpr FieldRule kLoose{.loose = true};
  static const auto made =
      Record<S>("SearchEvents", "", RecordUse::kAsked)
          .field("query", &S::query, "What to look for.", kLoose)
          .field("id", &S::id, "Instead of a query: the id of a result, to read that event whole.", kLoose)
          .field("target_user_id", &S::target_user_id, "Whose private memory; only the current user's can be searched.",
                 kLoose)
          .field("target_group_id", &S::target_group_id,
                 "Which group's memory; only the current group's can be searched.", kLoose)
          .field("top_k", &S::top_k, "How many events at most; 12 if left out.", {.least = 1, .most = kMostHits})
          .field("time_from", &S::time_from, "Not before: a date, a time, or words such as 'last week' or 三月.",
                 kLoose)
          .field("time_to", &S::time_to, "Not after, in the same form.", kLoose)
          .field("where", &S::where, "Only events with this metadata.");
  return made;
}

template <>
const Record<GetProfile>& record<GetProfile>() {
  static const auto made = Record<GetProfile>("GetProfile", "", RecordUse::kAsked)
                               .custom(
                                   "entity_type", "", entity_words,
                                   [](std::string_view json, const std::string& place, GetProfile& into) {
                                     return JsonForm<std::string>::read(json, place, {}, into.entity_type);
                                   },
                                   nullptr)
                               .field("entity_id", &GetProfile::entity_id,
                                      "The id of the user or the group; the current one if left out.", {.loose = true});
  return made;
}

template <>
const Record<SearchProfiles>& record<SearchProfiles>() {
  using S = SearchProfiles;
  static const auto made = Record<S>("SearchProfiles", "", RecordUse::kAsked)
                               .field("query", &S::query, "What to look for.",
                                      {.required = true, .loose = true, .wanted = "a text with what to look for"})
                               .custom(
                                   "entity_type", "", entity_words,
                                   [](std::string_view json, const std::string& place, S& into) {
                                     return JsonForm<std::string>::read(json, place, {}, into.entity_type);
                                   },
                                   nullptr)
                               .field("entity_id", &S::entity_id, "", {.loose = true})
                               .field("top_k", &S::top_k, "8 if left out.", {.least = 1, .most = kMostHits});
  return made;
}

template <>
const Record<GetState>& record<GetState>() {
  static const auto made =
      Record<GetState>("GetState", "", RecordUse::kAsked)
          .field("name", &GetState::name, "Which state; 'default' if left out.", {.loose = true})
          .field("path", &GetState::path, "An entity's id, or 'ID.field': only that part. Everything if left out.",
                 {.loose = true});
  return made;
}

template <>
const Record<StatePart>& record<StatePart>() {
  static const auto made = Record<StatePart>("StatePart", "What stands at a path of a state.", RecordUse::kTold)
                               .field("path", &StatePart::path, "as it was asked for")
                               .field("version", &StatePart::version, "of the state")
                               .json("value", &StatePart::value, "what stands there");
  return made;
}

template <>
const Record<ApplyState>& record<ApplyState>() {
  const auto& change = record<StateChange>();
  static const auto made =
      Record<ApplyState>("ApplyState", "", RecordUse::kAsked)
          .field("name", &ApplyState::name, "Which state; 'default' if left out.", {.loose = true})
          .json("operations", &ApplyState::operations, change.find("operations")->doc, change.find("operations")->rule,
                ValueObject{{"type", "array"}, {"items", ValueObject{{"type", "array"}, {"items", ValueObject{}}}}})
          .field("request_id", &ApplyState::request_id, change.find("request_id")->doc, {.loose = true});
  return made;
}

namespace {

Status check_target(const RequestContext& request, const std::string& user, const std::string& group) {
  const Scope& scope = request.scope;
  const bool other_group = !group.empty() && group != scope.group().str();
  const bool other_user = !user.empty() && (scope.is_group() ? group.empty() : user != scope.user().str());
  if (!other_group && !other_user) return {};
  return permission("only the memory of " + scope.key().str() + " can be searched here", "leave the target out");
}

// By its short id, as results give it, or by its own.
Result<std::string> read_event(Engine& engine, const RequestContext& request, const std::string& id) {
  WEFT_TRY(auto events, engine.memory(request).items(ItemKind::kEvent, kMostEvents));
  std::erase_if(events, [&id](const Item& item) { return item.id.str() != id && short_id(item.id) != id; });
  if (events.empty()) return not_found("no event has the id \"" + id + "\"", "take an id from a result of this tool");
  return list_json(events);
}

Result<std::string> end(const ToolCallContext& at, const EndRequest& asked) {
  EndRequest what = asked;
  WEFT_TRY(what.sender_id, speaker_of_call(at.access, at.request.scope, at.engine.config(), std::move(what.sender_id)));
  WEFT_TRY(const auto report, at.engine.session(at.request, at.session).end(what));
  return to_json(report);
}

Result<std::string> search_events(const ToolCallContext& at, const SearchEvents& asked) {
  WEFT_CHECK(check_target(at.request, asked.target_user_id, asked.target_group_id));
  if (asked.query.empty() && !asked.id.empty()) return read_event(at.engine, at.request, asked.id);
  if (asked.query.empty()) return wrong_field("query", "a text with what to look for");
  SearchRequest what;
  what.query = asked.query;
  what.kinds = {ItemKind::kEvent};
  what.top_k = asked.top_k.value_or(static_cast<std::size_t>(at.engine.config().cognitive_query.tool_default_top_k));
  what.events = asked.where.value_or(EventFilter());
  WEFT_TRY(const auto span,
           read_time_span({"time_from", asked.time_from}, {"time_to", asked.time_to}, at.engine.now()));
  what.from = span.from;
  what.to = span.to;
  WEFT_TRY(const auto found, at.engine.memory(at.request).search(what));
  return to_json(compact_result(found));
}

Result<EntityKey> entity_of(const RequestContext& request, const std::string& type, const std::string& id) {
  const Scope& scope = request.scope;
  if (type.empty() && id.empty())
    return scope.is_group() ? EntityKey{EntityType::kGroup, scope.group().str()}
                            : EntityKey{EntityType::kUser, scope.user().str()};
  const auto known = parse_entity_type(type);
  if (!known) return wrong_field("entity_type", "\"user\" or \"group\"");
  WEFT_CHECK(check_id(id, "entity_id"));
  return EntityKey{*known, id};
}

Result<std::string> get_profile(const ToolCallContext& at, const GetProfile& asked) {
  WEFT_TRY(const auto entity, entity_of(at.request, asked.entity_type, asked.entity_id));
  WEFT_TRY(const auto profile, at.engine.profiles(at.request).read(entity));
  return to_json(profile);
}

Result<std::string> search_profiles(const ToolCallContext& at, const SearchProfiles& asked) {
  WEFT_TRY(const auto entity, entity_of(at.request, asked.entity_type, asked.entity_id));
  // Reading it notices a person's edit, and refuses another scope's.
  if (const auto profile = at.engine.profiles(at.request).read(entity);
      !profile.ok() && profile.error().code != ErrorCode::kNotFound)
    return profile.error();
  SearchRequest what;
  what.kinds = {ItemKind::kProfile};
  what.query = asked.query;
  what.top_k = asked.top_k;
  WEFT_TRY(const auto found, at.engine.memory(at.request).search(what));
  return to_json(compact_result(found));
}

Result<std::string> read_rest(const ToolCallContext& at, const ReadOutput& what) {
  WEFT_TRY(const auto part, read_output(at.engine, at.request, at.session, what));
  return to_json(part);
}

// The entity with that id, in whatever it stands.
const Value* find_entity(const Value& tree, std::string_view id) {
  for (const char* anchor : {"id", "_anchor"}) {
    const Value* found = tree.find(anchor);
    if (found != nullptr && found->text() != nullptr && *found->text() == id) return &tree;
  }
  if (const ValueList* list = tree.list())
    for (const Value& one : *list)
      if (const Value* found = find_entity(one, id)) return found;
  if (const ValueObject* members = tree.object())
    for (const auto& [name, member] : *members)
      if (const Value* found = find_entity(member, id)) return found;
  return nullptr;
}

Result<std::string> get_state(const ToolCallContext& at, const GetState& asked) {
  const std::string& path = asked.path;
  WEFT_TRY(const auto state, at.engine.state(at.request, asked.name.empty() ? "default" : asked.name).read(0));
  if (path.empty()) return to_json(state);
  WEFT_TRY(const auto tree, parse_value(state.json, {.max_bytes = state.json.size() + 1}, "state"));
  const auto dot = path.find('.');
  const Value* found = find_entity(tree, path.substr(0, dot));
  if (found == nullptr && dot == std::string::npos) found = tree.find(path);
  if (found != nullptr && dot != std::string::npos) found = found->find(path.substr(dot + 1));
  if (found == nullptr)
    return not_found("state: there is nothing at \"" + path + "\"", "a path is an id, or an id and one field");
  return to_json(StatePart{path, static_cast<std::int64_t>(state.version), to_json(*found)});
}

Result<std::string> apply_state(const ToolCallContext& at, const ApplyState& asked) {
  const StateChange change{asked.operations, "model", {}, asked.request_id, ""};
  WEFT_TRY(const auto state, at.engine.state(at.request, asked.name.empty() ? "default" : asked.name).apply(change));
  return to_json(state);
}

// What can be read as it was written stays so, to the byte.
std::string as_meant(std::string_view arguments, const Value& schema) {
  const auto given = parse_value(arguments, kLimits, "the arguments");
  if (!given.ok()) return std::string(arguments);
  const Value meant = arguments_as_meant(*given, schema);
  return meant == *given ? std::string(arguments) : to_json(meant);
}

/// A tool: what models are told of it, and what it does.
struct Tool {
  ToolDefinition told;
  std::function<Result<std::string>(const ToolCallContext&, std::string_view arguments)> run;
};

/// `Answer` is what `work` gives as JSON. Arguments are read as they are meant, see text/tool_arguments.h.
template <class Answer, class Arguments>
Tool tool(std::string name, std::string description,
          Result<std::string> (*work)(const ToolCallContext&, const Arguments&), bool changes = false) {
  SchemaBook inlined(true);
  return {{std::move(name), std::move(description), to_json(record<Arguments>().schema(inlined)),
           to_json(ReplyForm<Answer>::schema(inlined)), changes},
          [work](const ToolCallContext& at, std::string_view arguments) -> Result<std::string> {
            static const Value schema = [] {
              SchemaBook whole(true);
              return record<Arguments>().schema(whole);
            }();
            WEFT_TRY(const auto read, parse_record<Arguments>(as_meant(arguments, schema), "the arguments", kLimits));
            return work(at, read);
          }};
}

const std::vector<Tool>& tools() {
  static const std::vector<Tool> all{
      tool<EndReport>(
          "end", "Ends your turn and notes what should be remembered of it. Call it once, after your last message.",
          end, true),
      tool<std::variant<CompactResult, List<Item>>>("cognitive_search_events",
                                                    "Searches what happened in earlier conversations.", search_events),
      tool<Profile>("cognitive_get_profile", "Reads what is known of the current user or group over the long run.",
                    get_profile),
      tool<CompactResult>("cognitive_search_profiles", "Searches the profile of the current user or group.",
                          search_profiles),
      tool<OutputPart>(
          "memory_read_output",
          "Reads what was left out of a tool's output, or of any earlier message, by the id of the message.",
          read_rest),
      tool<std::variant<StateView, StatePart>>(
          "state_get", "Reads the exact state of the world: entities and values, as they are now.", get_state),
      tool<StateView>("state_apply", "Changes the state of the world.", apply_state, true),
  };
  return all;
}

}  // namespace

const std::vector<ToolDefinition>& memory_tools() {
  static const std::vector<ToolDefinition> told = [] {
    std::vector<ToolDefinition> all;
    for (const Tool& one : tools()) all.push_back(one.told);
    return all;
  }();
  return told;
}

std::string offered_name(std::string_view called) {
  std::string name(called);
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

std::string tools_json() {
  JsonWriter out;
  const auto text = [&out](std::string_view name, const std::string& value) {
    out.name(name);
    out.text(value);
  };
  out.begin('{');
  out.name("tools");
  out.begin('[');
  for (const ToolDefinition& tool : memory_tools()) {
    out.begin('{');
    text("type", "function");
    out.name("function");
    out.begin('{');
    text("name", tool.name);
    text("description", tool.description);
    out.name("parameters");
    out.raw(tool.parameters);
    out.end('}');
    out.end('}');
  }
  out.end(']');
  out.end('}');
  return out.take();
}

Result<std::string> call_tool(const ToolCallContext& at, std::string_view name, std::string_view arguments) {
  const std::string known = offered_name(name);
  std::string names;
  for (const Tool& one : tools()) {
    if (one.told.name == known) {
      WEFT_CHECK(check_named(at.access, at.request.scope, at.engine.config(), one.told.name, {}, arguments));
      return one.run(at, arguments);
    }
    names += (names.empty() ? "" : ", ") + one.told.name;
  }
  return not_found("no tool is called \"" + std::string(name.substr(0, 80)) + "\"", "tools are " + names);
}

}  // namespace weft
