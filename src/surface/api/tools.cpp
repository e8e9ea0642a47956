#include "surface/api/tools.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "surface/api/compact_hits.h"
#include "surface/api/event_filter.h"
#include "surface/api/fields.h"
#include "surface/api/json.h"
#include "surface/api/read_output.h"
#include "surface/api/story.h"
#include "text/json.h"
#include "text/time_bounds.h"
#include "text/value.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kMostHits = 100;
constexpr std::size_t kProfileHits = 8;
constexpr std::size_t kMostEvents = 1'000'000;  // looked through for one id

constexpr const char* kEndSchema = R"({"type":"object","properties":{
"action_summary":{"type":"string","description":"What you did in this turn, in one short sentence. Empty if nothing is worth keeping."},
"new_info":{"type":"string","description":"One new thing that the new message says, in one sentence. Empty if it says nothing new; do not repeat what is known."},
"task_done":{"type":"boolean","description":"The task you were given is done as a whole. Leave it out while anything of it remains.","default":false},
"force":{"type":"boolean","description":"End even though a tool call has no output yet.","default":false}},
"additionalProperties":false})";

constexpr const char* kSearchEventsSchema = R"({"type":"object","properties":{
"query":{"type":"string","description":"What to look for."},
"id":{"type":"string","description":"Instead of a query: the id of a result, to read that event whole."},
"target_user_id":{"type":"string","description":"Whose private memory; only the current user's can be searched."},
"target_group_id":{"type":"string","description":"Which group's memory; only the current group's can be searched."},
"top_k":{"type":"integer","minimum":1,"maximum":100,"description":"How many events at most; 12 if left out."},
"time_from":{"type":"string","description":"Not before: a date, a time, or words such as 'last week' or 三月."},
"time_to":{"type":"string","description":"Not after, in the same form."},
"where":{"type":"object","description":"Only events with this metadata.","properties":{
"sender_id":{"type":"string"},"request_type":{"type":"string","enum":["group","private"]},"location_abs":{"type":"string"},
"timezone":{"type":"string"},"request_id":{"type":"string"},"end_seq":{"type":"integer"},"message_id":{"type":"string"},
"user_id":{"type":"string"},"group_id":{"type":"string"},"has_new_info":{"type":"boolean"},
"schema_version":{"type":"string"}},"additionalProperties":false}},
"additionalProperties":false})";

constexpr const char* kGetProfileSchema = R"({"type":"object","properties":{
"entity_type":{"type":"string","enum":["user","group"]},
"entity_id":{"type":"string","description":"The id of the user or the group."}},
"required":["entity_type","entity_id"],"additionalProperties":false})";

constexpr const char* kSearchProfilesSchema = R"({"type":"object","properties":{
"query":{"type":"string"},
"entity_type":{"type":"string","enum":["user","group"]},
"entity_id":{"type":"string"},
"top_k":{"type":"integer","minimum":1,"maximum":100,"description":"8 if left out."}},
"required":["query"],"additionalProperties":false})";

constexpr const char* kReadOutputSchema = R"({"type":"object","properties":{
"id":{"type":"string","description":"The id that the shortened output names."},
"from_line":{"type":"integer","minimum":1,"description":"The first line wanted; 1 if left out."},
"lines":{"type":"integer","minimum":1,"maximum":2000,"description":"How many lines; 200 if left out."},
"find":{"type":"string","description":"Only lines that hold this text, with their numbers."}},
"required":["id"],"additionalProperties":false})";

constexpr const char* kGetStateSchema = R"({"type":"object","properties":{
"name":{"type":"string","description":"Which state; 'default' if left out."},
"path":{"type":"string","description":"An entity's id, or 'ID.field': only that part. Everything if left out."}},
"additionalProperties":false})";

constexpr const char* kApplyStateSchema = R"({"type":"object","properties":{
"name":{"type":"string","description":"Which state; 'default' if left out."},
"operations":{"type":"array","items":{"type":"array"},"description":"Applied as a whole or not at all: [\"SET\",\"ID.field\",value], [\"ADD\",\"ID.field\",number], [\"PUSH\",\"CONTAINER\",{…}], [\"POP\",\"CONTAINER\",\"ID\"], [\"DELETE\",\"ID\"]. Paths have an id and at most one field."},
"request_id":{"type":"string","description":"Sent again with the same id, the change is made once."}},
"required":["operations"],"additionalProperties":false})";

Error wrong(const char* field, const char* wanted) {
  return invalid_argument("\"" + std::string(field) + "\" must be " + wanted);
}

bool present(const Json& json, const char* field) {
  const auto at = json.find(field);
  return at != json.end() && !at->is_null();
}

Status read(const Json& json, const char* field, std::string& into) {
  if (!present(json, field)) return {};
  // Models write ids of digits as numbers.
  if (json[field].is_number_integer()) {
    into = std::to_string(json[field].get<std::int64_t>());
    return {};
  }
  if (!json[field].is_string()) return wrong(field, "a text");
  into = json[field].get<std::string>();
  return {};
}

Status read_top(const Json& json, std::size_t& into) {
  if (!present(json, "top_k")) return {};
  const Json& top = json["top_k"];
  if (!top.is_number_integer() || top.get<std::int64_t>() < 1 || top.get<std::int64_t>() > kMostHits)
    return wrong("top_k", "a whole number from 1 to 100");
  into = top.get<std::size_t>();
  return {};
}

Result<Json> read_object(std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return Json(Json::object());
  WEFT_CHECK(check_json(text, {.max_bytes = 1 << 20, .max_depth = 16}, "the arguments"));
  auto json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return invalid_argument("the arguments must be a JSON object");
  return json;
}

Status check_names(const Json& arguments, std::initializer_list<std::string_view> known) {
  for (const auto& [name, value] : arguments.items()) WEFT_CHECK(fields::check_name(name, known, {}));
  return {};
}

Status check_target(const RequestContext& request, const std::string& user, const std::string& group) {
  const Scope& scope = request.scope;
  const bool other_group = !group.empty() && group != scope.group().str();
  const bool other_user = !user.empty() && (scope.is_group() ? group.empty() : user != scope.user().str());
  if (!other_group && !other_user) return {};
  return permission("only the memory of " + scope.key() + " can be searched here", "leave the target out");
}

// By its short id, as results give it, or by its own.
Result<std::string> read_event(Engine& engine, const RequestContext& request, const std::string& id) {
  WEFT_TRY(auto events, engine.items(request, ItemKind::kEvent, kMostEvents));
  std::erase_if(events, [&id](const Item& item) { return item.id.str() != id && short_id(item.id) != id; });
  if (events.empty()) return not_found("no event has the id \"" + id + "\"", "take an id from a result of this tool");
  return to_json(std::span<const Item>(events));
}

Result<std::string> search_events(Engine& engine, const RequestContext& request, const Json& arguments) {
  WEFT_CHECK(check_names(
      arguments, {"query", "target_user_id", "target_group_id", "top_k", "time_from", "time_to", "id", "where"}));
  SearchRequest what;
  what.kinds = {ItemKind::kEvent};
  what.top_k = static_cast<std::size_t>(engine.config().cognitive_query.tool_default_top_k);
  std::string user, group, from, to, id;
  WEFT_CHECK(read(arguments, "query", what.query));
  WEFT_CHECK(read(arguments, "id", id));
  WEFT_CHECK(read(arguments, "target_user_id", user));
  WEFT_CHECK(read(arguments, "target_group_id", group));
  WEFT_CHECK(read(arguments, "time_from", from));
  WEFT_CHECK(read(arguments, "time_to", to));
  WEFT_CHECK(read_top(arguments, what.top_k));
  WEFT_CHECK(check_target(request, user, group));
  if (what.query.empty() && !id.empty()) return read_event(engine, request, id);
  if (what.query.empty()) return wrong("query", "a text with what to look for");
  WEFT_TRY(const auto span, read_time_span(from, to, engine.now()));
  what.from = span.from;
  what.to = span.to;
  if (present(arguments, "where")) {
    WEFT_TRY(what.events, parse_event_filter(arguments["where"].dump()));
  }
  WEFT_TRY(const auto found, engine.search(request, what));
  return compact_json(found);
}

Result<EntityKey> read_entity(const RequestContext& request, const Json& arguments) {
  std::string type, id;
  WEFT_CHECK(read(arguments, "entity_type", type));
  WEFT_CHECK(read(arguments, "entity_id", id));
  const Scope& scope = request.scope;
  if (type.empty() && id.empty())
    return scope.is_group() ? EntityKey{EntityType::kGroup, scope.group().str()}
                            : EntityKey{EntityType::kUser, scope.user().str()};
  const auto known = parse_entity_type(type);
  if (!known) return wrong("entity_type", "\"user\" or \"group\"");
  WEFT_CHECK(check_id(id, "entity_id"));
  return EntityKey{*known, id};
}

Result<std::string> get_profile(Engine& engine, const RequestContext& request, const Json& arguments) {
  WEFT_CHECK(check_names(arguments, {"entity_type", "entity_id"}));
  WEFT_TRY(const auto entity, read_entity(request, arguments));
  WEFT_TRY(const auto profile, engine.profile(request, entity));
  return to_json(profile);
}

Result<std::string> search_profiles(Engine& engine, const RequestContext& request, const Json& arguments) {
  WEFT_CHECK(check_names(arguments, {"query", "entity_type", "entity_id", "top_k"}));
  WEFT_TRY(const auto entity, read_entity(request, arguments));
  // Reading it notices a person's edit, and refuses another scope's.
  if (const auto profile = engine.profile(request, entity);
      !profile.ok() && profile.error().code != ErrorCode::kNotFound)
    return profile.error();
  SearchRequest what;
  what.kinds = {ItemKind::kProfile};
  what.top_k = kProfileHits;
  WEFT_CHECK(read(arguments, "query", what.query));
  if (what.query.empty()) return wrong("query", "a text with what to look for");
  WEFT_CHECK(read_top(arguments, what.top_k));
  WEFT_TRY(const auto found, engine.search(request, what));
  return compact_json(found);
}

Status read_count(const Json& json, const char* field, std::size_t& into) {
  if (!present(json, field)) return {};
  if (!json[field].is_number_integer() || json[field].get<std::int64_t>() < 1)
    return wrong(field, "a whole number from 1 on");
  into = json[field].get<std::size_t>();
  return {};
}

Result<std::string> read_rest(Engine& engine, const RequestContext& request, const SessionId& session,
                              const Json& arguments) {
  ReadOutput what;
  WEFT_CHECK(read(arguments, "id", what.id));
  WEFT_CHECK(read(arguments, "find", what.find));
  WEFT_CHECK(read_count(arguments, "from_line", what.from_line));
  WEFT_CHECK(read_count(arguments, "lines", what.lines));
  return read_output(engine, request, session, what);
}

Result<std::string> state_name(const Json& arguments) {
  std::string name;
  WEFT_CHECK(read(arguments, "name", name));
  return name.empty() ? std::string("default") : name;
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

Result<std::string> get_state(Engine& engine, const RequestContext& request, const Json& arguments) {
  WEFT_TRY(const auto name, state_name(arguments));
  std::string path;
  WEFT_CHECK(read(arguments, "path", path));
  WEFT_TRY(const auto state, engine.state(request, name, 0));
  if (path.empty()) return to_json(state);
  WEFT_TRY(const auto tree, parse_value(state.json, {.max_bytes = state.json.size() + 1}, "state"));
  const auto dot = path.find('.');
  const Value* found = find_entity(tree, path.substr(0, dot));
  if (found == nullptr && dot == std::string::npos) found = tree.find(path);
  if (found != nullptr && dot != std::string::npos) found = found->find(path.substr(dot + 1));
  if (found == nullptr)
    return not_found("state: there is nothing at \"" + path + "\"", "a path is an id, or an id and one field");
  return "{\"path\":" + to_json(Value(path)) + ",\"version\":" + std::to_string(state.version) +
         ",\"value\":" + to_json(*found) + "}";
}

Result<std::string> apply_state(Engine& engine, const RequestContext& request, const Json& arguments) {
  WEFT_TRY(const auto name, state_name(arguments));
  if (!present(arguments, "operations"))
    return wrong("operations", "an array of operations such as [\"SET\",\"hero.hp\",5]");
  StateChange change{arguments["operations"].dump(), "model", {}, "", ""};
  WEFT_CHECK(read(arguments, "request_id", change.request_id));
  WEFT_TRY(const auto state, engine.apply_state(request, name, change));
  return to_json(state);
}

std::string with_underscores(std::string name) {
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

}  // namespace

const std::vector<ToolDefinition>& memory_tools() {
  static const std::vector<ToolDefinition> tools = {
      {"end", "Ends your turn and notes what should be remembered of it. Call it once, after your last message.",
       kEndSchema},
      {"cognitive.search_events", "Searches what happened in earlier conversations.", kSearchEventsSchema},
      {"cognitive.get_profile", "Reads what is known of the current user or group over the long run.",
       kGetProfileSchema},
      {"cognitive.search_profiles", "Searches the profile of the current user or group.", kSearchProfilesSchema},
      {"memory.read_output",
       "Reads what was left out of a tool's output, or of any earlier message, by the id of the message.",
       kReadOutputSchema},
      {"state.get", "Reads the exact state of the world: entities and values, as they are now.", kGetStateSchema},
      {"state.apply", "Changes the state of the world.", kApplyStateSchema},
  };
  return tools;
}

std::string tools_json() {
  Json list = Json::array();
  for (const ToolDefinition& tool : memory_tools()) {
    list.push_back({{"type", "function"},
                    {"function",
                     {{"name", with_underscores(tool.name)},
                      {"description", tool.description},
                      {"parameters", Json::parse(tool.parameters)}}}});
  }
  return Json{{"tools", std::move(list)}}.dump();
}

Result<EndRequest> parse_end_request(std::string_view text) {
  WEFT_TRY(const auto json, read_object(text));
  WEFT_CHECK(check_names(json, {"action_summary", "new_info", "summary", "request_id", "agent", "sender_id",
                                "sender_name", "location", "timezone", "force", "task_done", "time", "message_ids"}));
  EndRequest end;
  const std::pair<const char*, std::string*> texts[] = {
      {"action_summary", &end.action_summary}, {"new_info", &end.new_info}, {"summary", &end.summary},
      {"request_id", &end.request_id},         {"agent", &end.agent},       {"sender_id", &end.sender_id},
      {"sender_name", &end.sender_name},       {"location", &end.location}, {"timezone", &end.timezone}};
  for (const auto& [name, into] : texts) WEFT_CHECK(read(json, name, *into));
  for (const auto& [name, into] : {std::pair{"force", &end.force}, std::pair{"task_done", &end.task_done}}) {
    if (!present(json, name)) continue;
    if (!json[name].is_boolean()) return wrong(name, "true or false");
    *into = json[name].get<bool>();
  }
  std::string time;
  WEFT_CHECK(read(json, "time", time));
  if (!time.empty()) {
    const auto moment = parse_time(time);
    if (!moment.ok()) return wrong("time", "a time such as 2026-03-01T09:30:00+08:00");
    end.time = *moment;
  }
  if (!present(json, "message_ids")) return end;
  if (!json["message_ids"].is_array()) return wrong("message_ids", "an array of ids");
  for (const Json& id : json["message_ids"]) {
    if (!id.is_string()) return wrong("message_ids", "an array of ids");
    end.message_ids.emplace_back(id.get<std::string>());
  }
  return end;
}

Result<std::string> call_tool(Engine& engine, const RequestContext& request, const SessionId& session,
                              std::string_view name, std::string_view arguments) {
  const std::string known = with_underscores(std::string(name));
  if (known == "end") {
    WEFT_TRY(const auto what, parse_end_request(arguments));
    WEFT_TRY(const auto report, engine.end(request, session, what));
    return to_json(report);
  }
  WEFT_TRY(const auto json, read_object(arguments));
  if (known == "cognitive_search_events") return search_events(engine, request, json);
  if (known == "cognitive_get_profile") return get_profile(engine, request, json);
  if (known == "cognitive_search_profiles") return search_profiles(engine, request, json);
  if (known == "memory_read_output") return read_rest(engine, request, session, json);
  if (known == "state_get") return get_state(engine, request, json);
  if (known == "state_apply") return apply_state(engine, request, json);
  return not_found("no tool is called \"" + std::string(name.substr(0, 80)) + "\"",
                   "tools are end, cognitive.search_events, cognitive.get_profile, cognitive.search_profiles, "
                   "memory.read_output, state.get and state.apply");
}

}  // namespace weft
