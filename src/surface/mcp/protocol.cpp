#include "surface/mcp/protocol.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/prompts.h"
#include "flow/context/fence.h"
#include "surface/api/api.h"
#include "surface/api/bodies.h"
#include "surface/api/openapi.h"
#include "surface/http/exchange.h"
#include "surface/mcp/rpc.h"
#include "surface/mcp/tool.h"
#include "surface/mcp/watcher.h"
#include "text/json.h"
#include "text/tool_arguments.h"
#include "text/words.h"
#include "weft/engine.h"
#include "weft/value.h"

namespace weft::mcp {
namespace {

// Prompts that a person picks in their client.

constexpr std::size_t kHits = 12;
constexpr std::size_t kMostLooked = 1000;  // messages looked through for names

struct Argument {
  std::string_view name, description;
  bool required = false;
};
struct Told {
  std::string_view name, title, description;
  std::vector<Argument> arguments;
};

constexpr Argument kLanguage{"language", "en or zh; the language of what is asked about where it is left out", false};

const std::vector<Told>& prompts() {
  static const std::vector<Told> all{{"recall",
                                      "Recall · 回忆",
                                      "What is remembered about somebody or something · 回忆某人或某事",
                                      {{"about", "a name, a matter, a question", true}, kLanguage}},
                                     {"end_session",
                                      "End of session · 结束会话",
                                      "Keeps what is worth keeping of this session · 记下本次会话值得保留的内容",
                                      {kLanguage}}};
  return all;
}

std::string argument_of(const Value& arguments, std::string_view name) { return text_of(arguments, name); }

std::string_view language_of(const Value& arguments, std::string_view text) {
  const std::string given = argument_of(arguments, "language");
  if (given == "zh" || given == "en") return given == "zh" ? "zh" : "en";
  return weft::language_of(text) == Language::kChinese ? "zh" : "en";
}

Value message_of(std::string text) {
  return ValueObject{{"role", "user"}, {"content", ValueObject{{"type", "text"}, {"text", std::move(text)}}}};
}

// What is recalled is data: it stands between marks that it cannot hold itself.
std::string fenced(const CompactResult& found) {
  std::string out = "<memory>\n";
  for (const CompactHit& hit : found.hits) {
    const std::string who = hit.who + (hit.warning.empty() ? "" : " " + hit.warning);
    std::string line = hit.date + (who.empty() ? " " : " " + who + ": ") + hit.text;
    if (!hit.until.empty()) line += " (until " + hit.until + ")";
    std::replace(line.begin(), line.end(), '\n', ' ');
    out += escape_text(line);
    out += '\n';
  }
  return out + "</memory>";
}

Result<Value> recall(Engine& engine, const RequestContext& context, const Value& arguments) {
  const std::string about = argument_of(arguments, "about");
  if (about.empty()) return invalid_argument("\"about\" is missing: what is to be recalled");
  const auto language = language_of(arguments, about);
  SearchRequest what;
  what.query = about;
  what.top_k = kHits;
  WEFT_TRY(const auto found, engine.memory(context).search(what));
  const CompactResult compact = compact_result(found);
  const Prompt told =
      shipped_prompt(compact.known && !compact.hits.empty() ? "recall_about" : "recall_nothing", language);
  std::string text(told.text);
  if (const auto at = text.find("{about}"); at != std::string::npos) text.replace(at, 7, about);
  if (compact.known && !compact.hits.empty()) text += "\n\n" + fenced(compact);
  return Value(ValueObject{{"description", "Recall: " + about}, {"messages", ValueList{message_of(std::move(text))}}});
}

Value end_session(const Value& arguments) {
  const Prompt told = shipped_prompt("end_session", language_of(arguments, ""));
  return ValueObject{{"description", "End of session"}, {"messages", ValueList{message_of(std::string(told.text))}}};
}

// Who is known: the profile's name and tags, and who speaks under a name of their own.
Result<std::vector<std::string>> names_known(Engine& engine, const RequestContext& context) {
  std::set<std::string> names;
  if (const auto profile = engine.profiles(context).read(); profile.ok()) {
    names.insert(profile->name);
    names.insert(profile->tags.begin(), profile->tags.end());
  }
  WEFT_TRY(const auto said, engine.memory(context).items(ItemKind::kMessage, kMostLooked));
  for (const Item& one : said) names.insert(one.who);
  for (const char* role : {"", "user", "assistant", "tool", "system"}) names.erase(role);
  return std::vector<std::string>(names.begin(), names.end());
}

const Told* find(std::string_view name) {
  for (const Told& one : prompts())
    if (one.name == name) return &one;
  return nullptr;
}

Error no_prompt(std::string_view name) {
  return invalid_argument("there is no prompt \"" + std::string(name.substr(0, 80)) + "\"",
                          "prompts/list tells which there are");
}

/// All of them, as clients are told of them.
Value prompt_list() {
  ValueList all;
  for (const Told& one : prompts()) {
    ValueList arguments;
    for (const Argument& argument : one.arguments)
      arguments.push_back(ValueObject{{"name", std::string(argument.name)},
                                      {"description", std::string(argument.description)},
                                      {"required", argument.required}});
    all.push_back(ValueObject{{"name", std::string(one.name)},
                              {"title", std::string(one.title)},
                              {"description", std::string(one.description)},
                              {"arguments", std::move(arguments)}});
  }
  return all;
}

/// A prompt with its arguments filled in: {"description", "messages"}. kInvalidArgument for one that is not there, or
/// arguments that are missing.
Result<Value> get_prompt(Engine& engine, const RequestContext& context, const std::string& name,
                         const Value& arguments) {
  if (name == "recall") return recall(engine, context, arguments);
  if (name == "end_session") return end_session(arguments);
  return no_prompt(name);
}

/// What may be filled in for an argument and begins with `begin`.
Result<std::vector<std::string>> complete_prompt(Engine& engine, const RequestContext& context, std::string_view name,
                                                 std::string_view argument, std::string_view begin) {
  const Told* told = find(name);
  if (told == nullptr) return no_prompt(name);
  const bool known = std::any_of(told->arguments.begin(), told->arguments.end(),
                                 [&](const Argument& one) { return one.name == argument; });
  if (!known) return invalid_argument("the prompt has no argument \"" + std::string(argument.substr(0, 80)) + "\"");
  std::vector<std::string> values{"en", "zh"};
  if (argument == "about") {
    WEFT_TRY(values, names_known(engine, context));
  }
  std::erase_if(values, [&](const std::string& one) { return !one.starts_with(begin); });
  return values;
}

constexpr std::size_t kPage = 100;
constexpr std::size_t kMostCompletions = 100;
constexpr std::int64_t kFixedMs = 3'600'000;  // what only another program changes
constexpr std::int64_t kMovingMs = 1000;      // what is remembered may be otherwise at any time

constexpr std::string_view kInstructions =
    "Weft remembers across conversations. Before you answer from memory call memory_search; when your turn is over "
    "call "
    "end once with what should be remembered. "
    "Weft 在多次会话之间保存记忆：需要回忆时先调用 memory_search，回合结束时调用一次 end。";

Value server_info() { return ValueObject{{"name", "weft"}, {"title", "Weft"}, {"version", WEFT_VERSION}}; }

Value capabilities(Revision revision) {
  ValueObject all{{"tools", ValueObject{}},
                  {"resources", ValueObject{{"subscribe", true}, {"listChanged", true}}},
                  {"prompts", ValueObject{}},
                  {"completions", ValueObject{}}};
  // The level comes with each request later on, and nothing else of logging is left.
  if (!is_stateless(revision)) all.emplace_back("logging", ValueObject{});
  return all;
}

enum class CacheScope { kPublic, kPrivate };

// How long a client of the stateless revision may keep it, and for whom.
Value kept_for(const Exchange& exchange, ValueObject result, std::int64_t ms, CacheScope scope) {
  if (is_stateless(exchange.client.revision)) {
    result.emplace_back("ttlMs", ms);
    result.emplace_back("cacheScope", scope == CacheScope::kPublic ? "public" : "private");
  }
  return result;
}

// A page of a list. The cursor is the number of its first element.
Reply page_of(const Exchange& exchange, std::string_view name, const ValueList& all, std::int64_t ms,
              CacheScope scope) {
  std::size_t at = 0;
  const Value* cursor = exchange.params().find("cursor");
  if (cursor != nullptr && !cursor->is_null() && *cursor != Value("")) {
    const std::string text = cursor->text() == nullptr ? std::string() : *cursor->text();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), at);
    if (error != std::errc() || end != text.data() + text.size() || at == 0 || at >= all.size())
      return RpcError{RpcCode::kInvalidParams, "the cursor is none of this list", {}};
  }
  const std::size_t end = std::min(all.size(), at + kPage);
  using Offset = ValueList::difference_type;
  ValueObject result{
      {std::string(name), ValueList(all.begin() + static_cast<Offset>(at), all.begin() + static_cast<Offset>(end))}};
  if (end < all.size()) result.emplace_back("nextCursor", std::to_string(end));
  return kept_for(exchange, std::move(result), ms, scope);
}

RpcError missing(std::string_view what) {
  return {RpcCode::kInvalidParams, "\"" + std::string(what) + "\" is missing or of the wrong kind", {}};
}

}  // namespace

RpcError unknown_method(std::string_view method) {
  return {RpcCode::kMethodNotFound, "there is no method \"" + std::string(method.substr(0, 80)) + "\"", {}};
}

RpcError unsupported_revision(std::string_view asked) {
  ValueList supported;
  for (const Revision one : kRevisions) supported.emplace_back(std::string(to_string(one)));
  return {RpcCode::kUnsupportedVersion, "this revision of the protocol is not spoken here",
          ValueObject{{"supported", std::move(supported)}, {"requested", std::string(asked)}}};
}

RpcError rpc_error(const Error& error) {
  const bool callers = error.code == ErrorCode::kInvalidArgument || error.code == ErrorCode::kNotFound ||
                       error.code == ErrorCode::kTooLarge || error.code == ErrorCode::kPermission;
  return {callers ? RpcCode::kInvalidParams : RpcCode::kInternalError,
          error.message + (error.hint.empty() ? "" : " (" + error.hint + ")"),
          {}};
}

bool speaks_for_itself(const RpcMessage& message) {
  const Value* meta = meta_of(message.params);
  return meta != nullptr && (meta->find(kMetaVersion) != nullptr || meta->find(kMetaCapabilities) != nullptr);
}

std::variant<Client, RpcError> client_of(const Value& params) {
  const Value* meta = meta_of(params);
  const Value* version = meta == nullptr ? nullptr : meta->find(kMetaVersion);
  if (version == nullptr || version->text() == nullptr) return missing("_meta." + std::string(kMetaVersion));
  const Value* abilities = meta->find(kMetaCapabilities);
  if (abilities == nullptr || abilities->object() == nullptr) return missing("_meta." + std::string(kMetaCapabilities));
  const auto revision = parse_revision(*version->text());
  if (!revision || !is_stateless(*revision)) return unsupported_revision(*version->text());
  Client client{*revision, can_ask_people(abilities), std::nullopt};
  if (const Value* level = meta->find(kMetaLogLevel)) {
    client.log = level->text() == nullptr ? std::nullopt : parse_severity(*level->text());
    if (!client.log) return missing("_meta." + std::string(kMetaLogLevel));
  }
  return client;
}

Value finished(const Client& client, Value result) {
  ValueObject* members = result.object();
  if (!is_stateless(client.revision) || members == nullptr) return result;
  if (result.find("resultType") == nullptr) members->insert(members->begin(), {"resultType", "complete"});
  if (Value* meta = result.find("_meta"); meta != nullptr && meta->object() != nullptr)
    meta->object()->emplace_back(std::string(kMetaServer), server_info());
  else
    members->emplace_back("_meta", ValueObject{{std::string(kMetaServer), server_info()}});
  return result;
}

Reply Protocol::welcome(const Value& params, Revision& agreed) const {
  const std::string asked = text_of(params, "protocolVersion");
  if (asked.empty()) return missing("protocolVersion");
  const auto known = parse_revision(asked);
  agreed = known && !is_stateless(*known) ? *known : kNewestWithHandshake;
  return Value(ValueObject{{"protocolVersion", std::string(to_string(agreed))},
                           {"capabilities", capabilities(agreed)},
                           {"serverInfo", server_info()},
                           {"instructions", std::string(kInstructions)}});
}

Reply Protocol::answer(const Exchange& exchange) const {
  struct Method {
    std::string_view name;
    Reply (Protocol::*answer)(const Exchange&) const;
  };
  static constexpr std::array<Method, 8> kMethods{{{"tools/list", &Protocol::list_tools},
                                                   {"tools/call", &Protocol::call_tool},
                                                   {"resources/list", &Protocol::list_resources},
                                                   {"resources/read", &Protocol::read},
                                                   {"resources/templates/list", &Protocol::list_templates},
                                                   {"prompts/list", &Protocol::list_prompts},
                                                   {"prompts/get", &Protocol::prompt},
                                                   {"completion/complete", &Protocol::complete}}};
  const std::string& name = exchange.message.method;
  if (name == "server/discover" && is_stateless(exchange.client.revision))
    return finished(exchange.client, std::get<Value>(discover()));
  for (const Method& one : kMethods) {
    if (one.name != name) continue;
    Reply reply = (this->*one.answer)(exchange);
    if (Value* result = std::get_if<Value>(&reply)) *result = finished(exchange.client, std::move(*result));
    return reply;
  }
  return unknown_method(name);
}

Reply Protocol::discover() const {
  ValueList versions;
  for (const Revision one : kRevisions) versions.emplace_back(std::string(to_string(one)));
  return Value(ValueObject{{"supportedVersions", std::move(versions)},
                           {"capabilities", capabilities(Revision::k2026_07_28)},
                           {"instructions", std::string(kInstructions)},
                           {"ttlMs", kFixedMs},
                           {"cacheScope", "public"}});
}

Reply Protocol::list_tools(const Exchange& exchange) const {
  const auto tools = chosen_tools(exchange.tools);
  if (!tools.ok()) return rpc_error(tools.error());
  ValueList all;
  for (const Tool* one : *tools) all.push_back(tool_description(*one));
  return page_of(exchange, "tools", all, kFixedMs, CacheScope::kPublic);
}

Reply Protocol::call_tool(const Exchange& exchange) const {
  const auto tools = chosen_tools(exchange.tools);
  if (!tools.ok()) return rpc_error(tools.error());
  const std::string name = text_of(exchange.params(), "name");
  const Tool* tool = find_tool(*tools, name);
  if (tool == nullptr) {
    if (exchange.asker.meter != nullptr) exchange.asker.meter->note_unknown();
    return RpcError{RpcCode::kInvalidParams, "no tool is called \"" + name.substr(0, 80) + "\" here", {}};
  }
  const Value* given = exchange.params().find("arguments");
  const Value meant = arguments_as_meant(given == nullptr ? Value() : *given, tool->accepted);
  return meant.object() == nullptr ? Reply(missing("arguments")) : run_tool(engine_, exchange, *tool, meant);
}

Reply Protocol::list_resources(const Exchange& exchange) const {
  const auto there = resources(engine_, exchange.context);
  if (!there.ok()) return rpc_error(there.error());
  ValueList all;
  for (const Resource& one : *there) all.push_back(resource_description(one));
  return page_of(exchange, "resources", all, kMovingMs, CacheScope::kPrivate);
}

Reply Protocol::read(const Exchange& exchange) const {
  const std::string uri = text_of(exchange.params(), "uri");
  if (uri.empty()) return missing("uri");
  const auto found = read_resource(engine_, exchange.context, uri);
  if (!found.ok() && found.error().code == ErrorCode::kNotFound) {
    const bool stateless = is_stateless(exchange.client.revision);
    return RpcError{stateless ? RpcCode::kInvalidParams : RpcCode::kResourceNotFound, found.error().message,
                    ValueObject{{"uri", uri}}};
  }
  if (!found.ok()) return rpc_error(found.error());
  const Value content = ValueObject{{"uri", uri}, {"mimeType", std::string(found->type)}, {"text", found->text}};
  return kept_for(exchange, {{"contents", ValueList{content}}}, kMovingMs, CacheScope::kPrivate);
}

Reply Protocol::list_templates(const Exchange& exchange) const {
  return page_of(exchange, "resourceTemplates", *resource_templates().list(), kFixedMs, CacheScope::kPublic);
}

Reply Protocol::list_prompts(const Exchange& exchange) const {
  return page_of(exchange, "prompts", *prompt_list().list(), kFixedMs, CacheScope::kPublic);
}

Reply Protocol::prompt(const Exchange& exchange) const {
  const Value* arguments = exchange.params().find("arguments");
  auto made = get_prompt(engine_, exchange.context, text_of(exchange.params(), "name"),
                         arguments == nullptr ? Value(ValueObject{}) : *arguments);
  if (!made.ok()) return rpc_error(made.error());
  return std::move(made).value();
}

Reply Protocol::complete(const Exchange& exchange) const {
  const Value* of = exchange.params().find("ref");
  const Value* argument = exchange.params().find("argument");
  if (of == nullptr || argument == nullptr) return missing(of == nullptr ? "ref" : "argument");
  const std::string type = text_of(*of, "type"), name = text_of(*argument, "name"), begin = text_of(*argument, "value");
  if (type != "ref/prompt" && type != "ref/resource") return missing("ref.type");
  auto found = type == "ref/prompt" ? complete_prompt(engine_, exchange.context, text_of(*of, "name"), name, begin)
                                    : complete_resource(engine_, exchange.context, text_of(*of, "uri"), name, begin);
  if (!found.ok()) return rpc_error(found.error());
  const std::size_t total = found->size();
  found->resize(std::min(total, kMostCompletions));
  return Value(ValueObject{{"completion", ValueObject{{"values", ValueList(found->begin(), found->end())},
                                                      {"total", total},
                                                      {"hasMore", total > kMostCompletions}}}});
}

namespace {

constexpr std::string_view kDefinitions = "#/$defs/";
constexpr std::string_view kComponents = "#/components/schemas/";

// The id in a session's path is the session's, and models know it by that name.
bool is_session_path(const Operation& operation) { return operation.path.starts_with("/v1/sessions/{id}"); }

std::string argument_name(const Operation& operation, const std::string& path_name) {
  return path_name == "id" && is_session_path(operation) ? "session" : path_name;
}

// Descriptions of structs refer to each other as the REST description has them.
void move_references(Value& schema) {
  if (ValueList* list = schema.list())
    for (Value& one : *list) move_references(one);
  ValueObject* members = schema.object();
  if (members == nullptr) return;
  for (auto& [name, value] : *members) {
    const std::string* text = value.text();
    if (name == "$ref" && text != nullptr && text->starts_with(kComponents))
      value = std::string(kDefinitions) + text->substr(kComponents.size());
    else
      move_references(value);
  }
}

const Value& resolved(const Value& schema, const ValueObject& known) {
  const std::string name = text_of(schema, "$ref");
  for (const auto& [one, definition] : known)
    if (!name.empty() && name == std::string(kComponents) + one) return definition;
  return schema;
}

// Of a body that may come in several forms, the object with named fields: the last one is the fullest.
const Value* object_form(const Value& schema, const ValueObject& known) {
  const Value& whole = resolved(schema, known);
  if (const Value* forms = whole.find("anyOf"); forms != nullptr && forms->list() != nullptr) {
    const ValueList& all = *forms->list();
    for (auto one = all.rbegin(); one != all.rend(); ++one)
      if (const Value* found = object_form(*one, known)) return found;
    return nullptr;
  }
  return whole.find("properties") != nullptr ? &whole : nullptr;
}

// What the schema refers to stands below it, so that it is whole by itself.
Value with_definitions(Value schema, ValueObject known) {
  if (schema.object() != nullptr && to_json(schema).find(kComponents) != std::string::npos)
    schema.object()->emplace_back("$defs", Value(std::move(known)));
  move_references(schema);
  return schema;
}

void set(ValueObject& object, const std::string& name, Value value) {
  for (auto& [known, old] : object)
    if (known == name) {
      old = std::move(value);
      return;
    }
  object.emplace_back(name, std::move(value));
}

// A value as it stands in a path or a query.
std::string word_of(const Value& value) { return value.text() != nullptr ? *value.text() : to_json(value); }

Value described(Value schema, const std::string& doc) {
  if (!doc.empty() && schema.object() != nullptr && schema.find("description") == nullptr)
    schema.object()->emplace_back("description", doc);
  return schema;
}

Error error_of(const http::KeptAnswer& answer) {
  auto read = parse_value(answer.body, {.max_bytes = answer.body.size() + 1}, "answer");
  const Value* error = read.ok() ? read->find("error") : nullptr;
  if (error == nullptr) return internal("the operation failed with " + std::to_string(answer.status));
  for (int code = 0; code <= static_cast<int>(ErrorCode::kInternal); ++code)
    if (to_string(static_cast<ErrorCode>(code)) == text_of(*error, "code"))
      return Error{static_cast<ErrorCode>(code), text_of(*error, "message"), text_of(*error, "hint")};
  return internal(text_of(*error, "message"), text_of(*error, "hint"));
}

// Whose memory is meant says the connection alone: the operation sees the names as a gateway would give them.
void name_owner(const RequestContext& context, http::Request& request) {
  const auto add = [&request](const char* name, const std::string& id) {
    if (!id.empty()) request.headers.emplace_back(name, http::percent_encode(id));
  };
  add("x-weft-user", context.scope.user().str());
  add("x-weft-group", context.scope.group().str());
  add("x-weft-world", context.world);
}

/// The schema of a body, and of its fields where it is an object.
struct BodySchema {
  explicit BodySchema(const Operation& operation) {
    if (!operation.body) return;
    SchemaBook book;
    whole = operation.body(book);
    known = book.take();
    fields = object_form(whole, known);
  }
  BodySchema(const BodySchema&) = delete;
  BodySchema& operator=(const BodySchema&) = delete;

  Value whole;
  ValueObject known;
  const Value* fields = nullptr;  ///< into the two above
};

/// Arguments of a call as they are used up.
class Arguments {
 public:
  explicit Arguments(const Value& all) : left_(all.object() == nullptr ? ValueObject() : *all.object()) {}

  std::optional<Value> take(const std::string& name) {
    const auto found = std::find_if(left_.begin(), left_.end(), [&](const auto& one) { return one.first == name; });
    if (found == left_.end()) return std::nullopt;
    Value value = std::move(found->second);
    left_.erase(found);
    return value.is_null() ? std::nullopt : std::optional(std::move(value));
  }
  bool has(std::string_view name) const {
    return std::any_of(left_.begin(), left_.end(), [name](const auto& one) { return one.first == name; });
  }
  std::string take_all() { return to_json(Value(std::exchange(left_, {}))); }
  Status check_empty() const {
    if (left_.empty()) return {};
    return invalid_argument("there is no argument \"" + left_.front().first.substr(0, 80) + "\"");
  }

 private:
  ValueObject left_;
};

// Whose memory is meant says the connection: a name that a model gives would otherwise be passed over in silence.
Status check_no_names(const Arguments& left, const Value& fields) {
  for (const std::string_view name : kBesideFields)
    if (left.has(name) && fields.find("properties")->find(name) == nullptr)
      return invalid_argument("there is no argument \"" + std::string(name) + "\"",
                              "whose memory is meant says the address of the server, or its headers");
  return {};
}

Result<std::string> body_of(const Operation& operation, Arguments& left) {
  const BodySchema schema(operation);
  if (schema.fields != nullptr) {
    WEFT_CHECK(check_no_names(left, *schema.fields));
    return left.take_all();
  }
  const auto body = left.take("body");
  if (!body) return std::string();
  return operation.body_type == "application/json" ? to_json(*body) : word_of(*body);
}

}  // namespace

const Operation* find_operation(std::string_view id) {
  for (const Operation& one : operations())
    if (one.id == id) return &one;
  return nullptr;
}

Value arguments_schema(const Operation& operation) {
  ValueObject properties;
  ValueList required;
  const BodySchema body(operation);
  for (const std::string& name : names_in_path(operation.path)) {
    const std::string known = argument_name(operation, name);
    set(properties, known, ValueObject{{"type", name == "version" ? "integer" : "string"}});
    if (known != "session") required.emplace_back(known);
  }
  for (const Parameter& one : operation.query) set(properties, one.name, described(one.schema, one.doc));
  if (body.fields != nullptr) {
    for (const auto& [name, schema] : *body.fields->find("properties")->object()) set(properties, name, schema);
    if (const Value* needed = body.fields->find("required"); needed != nullptr && needed->list() != nullptr)
      required.insert(required.end(), needed->list()->begin(), needed->list()->end());
  } else if (operation.body) {
    set(properties, "body", body.whole);
    if (operation.body_needed) required.emplace_back("body");
  }
  ValueObject schema{{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) schema.emplace_back("required", std::move(required));
  schema.emplace_back("additionalProperties", false);
  return with_definitions(std::move(schema), body.known);
}

Value answer_schema(const Operation& operation) {
  if (!operation.answer) return {};
  SchemaBook book;
  Value schema = operation.answer(book);
  ValueObject known = book.take();
  schema = resolved(schema, known);
  // Clients of revisions with a handshake take objects alone.
  if (schema.find("anyOf") != nullptr) schema.object()->insert(schema.object()->begin(), {"type", "object"});
  if (text_of(schema, "type") != "object") return {};
  return with_definitions(std::move(schema), std::move(known));
}

Result<Value> call_operation(Engine& engine, const Exchange& exchange, const Operation& operation,
                             const Value& arguments) {
  http::Request request;
  request.method = operation.method;
  request.path = operation.path;
  request.access = exchange.asker.access;
  request.client = exchange.asker.address;
  name_owner(exchange.context, request);
  Arguments left(arguments);
  for (const std::string& name : names_in_path(operation.path)) {
    const std::string known = argument_name(operation, name);
    auto value = left.take(known);
    if (!value && known == "session") value = Value(exchange.session.str());
    if (!value) return invalid_argument("\"" + known + "\" is missing");
    request.params[name] = word_of(*value);
  }
  for (const Parameter& one : operation.query)
    if (const auto value = left.take(one.name)) request.query[one.name] = word_of(*value);
  if (operation.body) {
    WEFT_TRY(request.body, body_of(operation, left));
  }
  WEFT_CHECK(left.check_empty());
  http::KeptAnswer answer(exchange.context.cancel);
  run_operation(engine, operation, request, answer, exchange.asker.audit);
  const bool told = std::find(operation.also.begin(), operation.also.end(), answer.status) != operation.also.end();
  if (answer.status >= 400 && !told) return error_of(answer);
  if (answer.body.empty()) return Value(ValueObject{});
  auto read = parse_value(answer.body, {.max_bytes = answer.body.size() + 1}, "answer");
  return read.ok() ? read : Result<Value>(Value(ValueObject{{"text", std::move(answer.body)}}));
}

}  // namespace weft::mcp
