#include "surface/api/openapi.h"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <string>

#include "base/strings.h"
#include "model/rows.h"
#include "surface/api/operation.h"

namespace weft {

std::vector<PathInfo> http_paths() {
  std::vector<PathInfo> all;
  for (const Operation& one : operations()) {
    std::string text = one.summary;
    for (const Parameter& parameter : one.query)
      text += (&parameter == &one.query.front() ? "; ?" : ", ?") + parameter.name + "=";
    all.push_back({one.method + " " + one.path, std::move(text)});
  }
  for (const OtherPath& one : other_paths()) all.push_back({std::string(one.line), std::string(one.text)});
  return all;
}

std::vector<std::string> names_in_path(std::string_view path) {
  std::vector<std::string> names;
  for (auto begin = path.find('{'); begin != std::string_view::npos; begin = path.find('{', begin + 1))
    names.emplace_back(path.substr(begin + 1, path.find('}', begin) - begin - 1));
  return names;
}

namespace {

constexpr std::string_view kCompletions = "OpenAI Chat Completions";
constexpr std::string_view kResponses = "OpenAI Responses";
constexpr std::string_view kConversations = "OpenAI Conversations";
constexpr std::string_view kMessages = "Anthropic Messages";
constexpr std::string_view kMcp = "Model Context Protocol, Streamable HTTP";
constexpr std::string_view kPassedOn = "passed on as it is";
constexpr DoorKind kProxy = DoorKind::kProxy;

constexpr std::array kPaths{
    OtherPath{"GET /ui", "the page: what Weft keeps, to look at", DoorKind::kPage, "HTML", false},
    OtherPath{"GET /openapi.json", "all of this as an OpenAPI document", DoorKind::kPage, "OpenAPI 3.1", false},
    OtherPath{"POST /mcp",
              "the Model Context Protocol: memory as tools, resources and prompts; ?tools= few, all or names",
              DoorKind::kMcp, kMcp, true},
    OtherPath{"GET /mcp", "what the server says of itself in a session with a handshake", DoorKind::kMcp, kMcp, true},
    OtherPath{"DELETE /mcp", "end such a session", DoorKind::kMcp, kMcp, false},
    OtherPath{"POST /v1/chat/completions", "the proxy: a model call with memories woven in", kProxy, kCompletions,
              true},
    OtherPath{"POST /v1/messages", "the same in the form of Anthropic's Messages API", kProxy, kMessages, true},
    OtherPath{"POST /v1/messages/count_tokens", "how many tokens such a call has", kProxy, kMessages, false},
    OtherPath{"GET /v1/models", "the models of the server behind the proxy", kProxy, "OpenAI or Anthropic Models",
              false},
    OtherPath{"GET /v1/models/{id}", "one of them", kProxy, "OpenAI or Anthropic Models", false},
    OtherPath{"POST /v1/completions", kPassedOn, kProxy, "OpenAI Completions", true},
    OtherPath{"POST /v1/embeddings", kPassedOn, kProxy, "OpenAI Embeddings", false},
    OtherPath{"POST /v1/responses", "the proxy in the form of OpenAI's Responses API", kProxy, kResponses, true},
    OtherPath{"GET /v1/responses/{id}", "a response that the model's server keeps", kProxy, kResponses, true},
    OtherPath{"DELETE /v1/responses/{id}", "passed on: the server forgets it, Weft does not", kProxy, kResponses,
              false},
    OtherPath{"GET /v1/responses/{id}/input_items", kPassedOn, kProxy, kResponses, false},
    OtherPath{"POST /v1/responses/{id}/cancel", kPassedOn, kProxy, kResponses, false},
    OtherPath{"POST /v1/responses/input_tokens", kPassedOn, kProxy, kResponses, false},
    OtherPath{"POST /v1/responses/compact", kPassedOn, kProxy, kResponses, false},
    OtherPath{"POST /v1/conversations", kPassedOn, kProxy, kConversations, false},
    OtherPath{"GET /v1/conversations/{id}", kPassedOn, kProxy, kConversations, false},
    OtherPath{"POST /v1/conversations/{id}", kPassedOn, kProxy, kConversations, false},
    OtherPath{"DELETE /v1/conversations/{id}", kPassedOn, kProxy, kConversations, false},
    OtherPath{"GET /v1/conversations/{id}/items", kPassedOn, kProxy, kConversations, false},
    OtherPath{"POST /v1/conversations/{id}/items", kPassedOn, kProxy, kConversations, false},
    OtherPath{"GET /v1/conversations/{id}/items/{item}", kPassedOn, kProxy, kConversations, false},
    OtherPath{"DELETE /v1/conversations/{id}/items/{item}", kPassedOn, kProxy, kConversations, false},
    OtherPath{"POST /v1/moderations", kPassedOn, kProxy, "OpenAI Moderations", false}};

std::string_view method_of(const OtherPath& path) { return path.line.substr(0, path.line.find(' ')); }
std::string_view pattern_of(const OtherPath& path) { return path.line.substr(path.line.find(' ') + 1); }

std::string_view tag_of(DoorKind kind) {
  return kind == DoorKind::kProxy ? "proxy" : kind == DoorKind::kMcp ? "mcp" : "page";
}

// "POST /v1/chat/completions" → "proxy_post_v1_chat_completions".
std::string id_of(const OtherPath& path) {
  std::string id(tag_of(path.kind));
  id += '_';
  for (const char c : path.line)
    if (is_letter(c) || is_digit(c))
      id += to_lower(c);
    else if (id.back() != '_')
      id += '_';
  while (id.back() == '_') id.pop_back();
  return id;
}

Value typed(std::string_view type, Value schema) {
  return ValueObject{{std::string(type), ValueObject{{"schema", std::move(schema)}}}};
}

Value reference(std::string_view name) { return ValueObject{{"$ref", "#/components/parameters/" + std::string(name)}}; }

ValueList parameters_of(const OtherPath& path) {
  ValueList all;
  for (const std::string& name : names_in_path(pattern_of(path)))
    all.push_back(ValueObject{{"name", name},
                              {"in", "path"},
                              {"required", true},
                              {"description", ""},
                              {"schema", ValueObject{{"type", "string"}, {"minLength", 1}}}});
  if (path.kind == DoorKind::kPage) return all;
  if (path.line == "POST /mcp")
    all.push_back(ValueObject{{"name", "tools"},
                              {"in", "query"},
                              {"required", false},
                              {"description", "few, all, or names with commas between them"},
                              {"schema", ValueObject{{"type", "string"}}}});
  for (const char* name : {"X-Weft-User", "X-Weft-Group", "X-Weft-World"}) all.push_back(reference(name));
  return all;
}

Value answer(const OtherPath& path) {
  const Value object = ValueObject{{"type", "object"}};
  const Value text = ValueObject{{"type", "string"}};
  Value content = path.line == "GET /ui"    ? typed("text/html", text)
                  : path.line == "GET /mcp" ? typed("text/event-stream", text)
                                            : typed("application/json", object);
  if (path.streams && path.line != "GET /mcp")
    content.object()->emplace_back("text/event-stream", ValueObject{{"schema", text}});
  return ValueObject{{"description", "as " + std::string(path.whose) + " has it"}, {"content", std::move(content)}};
}

ValueObject answers_of(const OtherPath& path) {
  ValueObject all;
  const auto empty = [&](const char* code, const char* text) {
    all.emplace_back(code, ValueObject{{"description", text}});
  };
  if (path.line == "DELETE /mcp")
    empty("204", "it is ended");
  else
    all.emplace_back("200", answer(path));
  if (path.line == "POST /mcp") empty("202", "a notification or a reply was taken");
  if (path.kind == DoorKind::kPage) {
    all.emplace_back("default", ValueObject{{"$ref", "#/components/responses/Error"}});
    return all;
  }
  if (path.kind == DoorKind::kProxy) empty("401", "the server wants a key, or the model's server wants another one");
  // What goes wrong is said in the form of the same protocol; of the proxy, also by the model's server.
  const std::string form =
      path.kind == DoorKind::kMcp ? "an error of JSON-RPC" : "an error in the form of " + std::string(path.whose);
  all.emplace_back("default", ValueObject{{"description", form},
                                          {"content", typed("application/json", ValueObject{{"type", "object"}})}});
  return all;
}

}  // namespace

std::span<const OtherPath> other_paths() { return kPaths; }

Value other_path_told(const OtherPath& path) {
  const bool writes = method_of(path) != "GET";
  ValueObject told{{"operationId", id_of(path)},
                   {"tags", ValueList{std::string(tag_of(path.kind))}},
                   {"summary", std::string(path.text)}};
  if (path.kind == DoorKind::kPage) {
    told.emplace_back("description", "needs no key");
    told.emplace_back("security", ValueList{});
  } else {
    told.emplace_back("description", "needs the right to " + std::string(writes ? "write" : "read") +
                                         "; what is taken and given is described by " + std::string(path.whose));
  }
  if (auto parameters = parameters_of(path); !parameters.empty())
    told.emplace_back("parameters", std::move(parameters));
  if (method_of(path) == "POST")
    told.emplace_back("requestBody",
                      ValueObject{{"required", !pattern_of(path).ends_with("/cancel")},
                                  {"content", typed("application/json", ValueObject{{"type", "object"}})}});
  told.emplace_back("responses", answers_of(path));
  return told;
}

namespace {

constexpr std::string_view kSchemas = "#/components/schemas/";

// Calls `see` with every reference to a schema, below and including this value.
void each_reference(Value& in, const std::function<void(std::string& target)>& see) {
  if (ValueList* list = in.list())
    for (Value& one : *list) each_reference(one, see);
  ValueObject* members = in.object();
  if (members == nullptr) return;
  for (auto& [name, value] : *members) {
    auto* text = std::get_if<std::string>(&value.data);
    if (name == "$ref" && text != nullptr && text->starts_with(kSchemas))
      see(*text);
    else
      each_reference(value, see);
  }
}

std::string name_of(const std::string& target) { return target.substr(kSchemas.size()); }

ValueObject::iterator find(ValueObject& schemas, std::string_view name) {
  return std::find_if(schemas.begin(), schemas.end(), [name](const auto& one) { return one.first == name; });
}

// A schema, or one that is null instead.
void allow_null(Value& schema) {
  ValueObject* members = schema.object();
  if (members == nullptr) return;
  if (Value* choices = schema.find("anyOf")) {
    const Value null = ValueObject{{"type", "null"}};
    ValueList& all = *choices->list();
    if (std::find(all.begin(), all.end(), null) == all.end()) all.push_back(null);
    return;
  }
  if (Value* type = schema.find("type")) {
    if (type->text() != nullptr) *type = ValueList{*type, "null"};
    if (Value* words = schema.find("enum")) words->list()->emplace_back();
    return;
  }
  const auto reference =
      std::find_if(members->begin(), members->end(), [](const auto& one) { return one.first == "$ref"; });
  if (reference == members->end()) return;  // anything goes, null as well
  const Value target = ValueObject{{"$ref", reference->second}};
  members->erase(reference);
  members->emplace_back("anyOf", ValueList{target, ValueObject{{"type", "null"}}});
}

bool is_closed(const Value& schema) {
  const Value* more = schema.find("additionalProperties");
  return more != nullptr && *more == Value(false) && schema.find("properties") != nullptr;
}

bool is_required(const Value& schema, const std::string& name) {
  const Value* required = schema.find("required");
  return required != nullptr &&
         std::find(required->list()->begin(), required->list()->end(), Value(name)) != required->list()->end();
}

void allow_nulls(Value& in) {
  if (ValueList* list = in.list())
    for (Value& one : *list) allow_nulls(one);
  if (in.object() == nullptr) return;
  for (auto& [name, value] : *in.object()) allow_nulls(value);
  if (!is_closed(in)) return;
  for (auto& [field, one] : *in.find("properties")->object())
    if (!is_required(in, field)) allow_null(one);
}

// As `names_in_body` reads them: programs count their users, too.
Value name_schema(bool counted) {
  Value schema = id_schema(IdNeed::kMayBeEmpty);
  *schema.find("type") = counted ? ValueList{"string", "integer", "null"} : ValueList{"string", "null"};
  return schema;
}

void allow_names(Value& schema) {
  if (!is_closed(schema)) return;
  Value& properties = *schema.find("properties");
  const auto add = [&](const char* name, Value one) {
    if (properties.find(name) == nullptr) properties.object()->emplace_back(name, std::move(one));
  };
  add("user", name_schema(true));
  add("world", name_schema(false));
  ValueObject names;
  for (const char* name :
       {"weft_user", "weft_group", "weft_session", "user_id", "group_id", "session_id", "user", "group", "session"})
    names.emplace_back(name, name_schema(true));
  names.emplace_back("weft_world", name_schema(false));
  add("metadata", ValueObject{{"type", ValueList{"object", "null"}}, {"properties", std::move(names)}});
}

// The schema of each body, where a path uses it.
std::vector<Value*> bodies_of(Value& paths) {
  std::vector<Value*> bodies;
  for (auto& [path, operations] : *paths.object())
    for (auto& [method, operation] : *operations.object())
      if (Value* body = operation.find("requestBody"))
        for (auto& [type, content] : *body->find("content")->object()) bodies.push_back(content.find("schema"));
  return bodies;
}

// What a body may be: itself, one of several, or one with more to it.
std::vector<Value*> forms_of(Value& body) {
  Value* choices = body.find("anyOf");
  if (choices == nullptr) choices = body.find("allOf");
  if (choices == nullptr) return {&body};
  std::vector<Value*> forms;
  for (Value& one : *choices->list()) forms.push_back(&one);
  return forms;
}

}  // namespace

Operation narrowed(Operation operation, Value more) {
  operation.body = [plain = operation.body, more = std::move(more)](SchemaBook& book) {
    Value known = plain(book);
    return book.inlined() ? known : Value(ValueObject{{"allOf", ValueList{std::move(known), more}}});
  };
  return operation;
}

void describe_bodies(Value& paths, ValueObject& schemas) {
  for (auto& [name, schema] : schemas) allow_nulls(schema);
  std::vector<std::string*> roots;
  for (Value* body : bodies_of(paths))
    for (Value* form : forms_of(*body))
      if (Value* target = form->find("$ref")) roots.push_back(std::get_if<std::string>(&target->data));
  std::set<std::string> within;
  const auto note = [&](std::string& target) {
    if (std::find(roots.begin(), roots.end(), &target) == roots.end()) within.insert(name_of(target));
  };
  each_reference(paths, note);
  for (auto& [name, schema] : schemas) each_reference(schema, note);
  std::set<std::string> done;
  for (std::string* root : roots) {
    const std::string name = name_of(*root);
    const bool shared = within.contains(name);
    const auto at = find(schemas, name);
    if (at == schemas.end() || !is_closed(at->second)) continue;
    if (shared) *root += "Body";
    if (!done.insert(name).second) continue;
    if (!shared) {
      allow_names(at->second);
      continue;
    }
    Value copy = at->second;
    allow_names(copy);
    schemas.emplace_back(name + "Body", std::move(copy));
  }
}

namespace {

Value text_type() { return ValueObject{{"type", "string"}}; }

// One server-sent event, as clients take a stream of them apart.
Value event_schema() {
  return ValueObject{{"type", "object"},
                     {"properties", ValueObject{{"id", text_type()}, {"event", text_type()}, {"data", text_type()}}}};
}

Value parameter(const std::string& name, const char* in, const std::string& doc, Value schema) {
  return ValueObject{{"name", name},
                     {"in", in},
                     {"required", std::string_view(in) == "path" || schema.find("minLength") != nullptr},
                     {"description", doc},
                     {"schema", std::move(schema)}};
}

// Names of tools are a list of their own; whatever else a path names is an id.
Value path_schema(const Operation& operation, const std::string& name) {
  if (name == "version") return ValueObject{{"type", "integer"}, {"minimum", 0}};
  if (name == "type") return ValueObject{{"type", "string"}, {"enum", ValueList{"user", "group"}}};
  if (name == "date") return ValueObject{{"type", "string"}, {"format", "date"}};
  if (operation.id == "run_tool") return ValueObject{{"type", "string"}, {"minLength", 1}};
  return id_schema(IdNeed::kNeeded);
}

ValueList parameters_of(const Operation& operation) {
  ValueList all;
  for (const std::string& name : names_in_path(operation.path))
    all.push_back(parameter(name, "path", "", path_schema(operation, name)));
  for (const Parameter& one : operation.query) all.push_back(parameter(one.name, "query", one.doc, one.schema));
  if (operation.method != "GET") all.push_back(reference("Idempotency-Key"));
  if (operation.whose == Whose::kNobody) return all;
  const bool of_groups = operation.whose != Whose::kUser;
  all.push_back(reference("X-Weft-User"));
  if (of_groups) all.push_back(reference("X-Weft-Group"));
  all.push_back(reference("X-Weft-World"));
  if (operation.method == "GET" || operation.method == "DELETE") {
    all.push_back(reference("user"));
    if (of_groups) all.push_back(reference("group"));
  }
  if (operation.whose == Whose::kStory) all.push_back(reference("world"));
  return all;
}

Value content(const std::string& type, Value schema) {
  return ValueObject{{type, ValueObject{{"schema", std::move(schema)}}}};
}

Value described_answer(const char* text, Value content_of) {
  return ValueObject{{"description", text}, {"content", std::move(content_of)}};
}

ValueObject answers_of(const Operation& operation, SchemaBook& book) {
  const std::string type = operation.answer_type.substr(0, operation.answer_type.find(';'));
  const Value schema = operation.answer              ? operation.answer(book)
                       : type == "text/event-stream" ? event_schema()
                                                     : text_type();
  ValueObject answers{{"200", described_answer("done", content(type, schema))}};
  for (const int code : operation.also)
    answers.emplace_back(std::to_string(code),
                         described_answer("the same, when it is not well", content(type, schema)));
  answers.emplace_back("default", ValueObject{{"$ref", "#/components/responses/Error"}});
  return answers;
}

Value told(const Operation& operation, SchemaBook& book) {
  ValueObject out{{"operationId", operation.id},
                  {"summary", operation.summary},
                  {"description", "needs the right to " + std::string(to_string(operation.right))}};
  if (auto parameters = parameters_of(operation); !parameters.empty())
    out.emplace_back("parameters", std::move(parameters));
  if (operation.body) {
    out.emplace_back("requestBody", ValueObject{{"required", operation.body_needed},
                                                {"content", content(operation.body_type, operation.body(book))}});
  }
  out.emplace_back("responses", answers_of(operation, book));
  return out;
}

void add_path(ValueObject& paths, std::string method, const std::string& path, Value described) {
  for (char& c : method) c = static_cast<char>(c - 'A' + 'a');
  auto at = std::find_if(paths.begin(), paths.end(), [&](const auto& one) { return one.first == path; });
  if (at == paths.end()) at = paths.insert(paths.end(), {path, ValueObject{}});
  at->second.object()->emplace_back(std::move(method), std::move(described));
}

Value paths_of(SchemaBook& book) {
  ValueObject paths;
  for (const Operation& one : operations()) add_path(paths, one.method, one.path, told(one, book));
  for (const OtherPath& one : other_paths()) {
    const auto space = one.line.find(' ');
    add_path(paths, std::string(one.line.substr(0, space)), std::string(one.line.substr(space + 1)),
             other_path_told(one));
  }
  return paths;
}

Value error_schema() {
  const Value text = text_type();
  const Value inner =
      ValueObject{{"type", "object"},
                  {"properties", ValueObject{{"code", text}, {"message", text}, {"hint", text}, {"request_id", text}}},
                  {"required", ValueList{"code", "message", "hint"}}};
  return ValueObject{{"type", "object"},
                     {"properties", ValueObject{{"error", inner}}},
                     {"required", ValueList{"error"}},
                     {"description", "what was wrong, and what to do"}};
}

// An id as a header carries it: a sign of ASCII (also one that only looks like the beginning of an escape), or the
// bytes of another one as escapes; at most 256 of them.
Value header_id() {
  return ValueObject{
      {"type", "string"},
      {"pattern",
       "^([ -$&-~]|%(?![0-9A-Fa-f]{2})|%[2-6][0-9A-Fa-f]|%([Cc][3-9A-Fa-f]|[Dd][0-9A-Fa-f])%[89ABab][0-9A-Fa-f]|"
       "%[Ee][13-9A-Ca-c](%[89ABab][0-9A-Fa-f]){2}|%[Ff]0%[9ABab][0-9A-Fa-f](%[89ABab][0-9A-Fa-f]){2})"
       "{0,256}$"}};
}

Value shared_parameters() {
  const auto header = [](const char* name, const char* doc) { return parameter(name, "header", doc, header_id()); };
  const auto query = [](const char* name, const char* doc) {
    return parameter(name, "query", doc, id_schema(IdNeed::kMayBeEmpty));
  };
  return ValueObject{
      {"Idempotency-Key",
       parameter("Idempotency-Key", "header", "the same request again, with the same key, is worked off once",
                 id_schema(IdNeed::kMayBeEmpty))},
      {"X-Weft-User", header("X-Weft-User", "whose memory is meant, percent-encoded where it is not ASCII")},
      {"X-Weft-Group", header("X-Weft-Group", "which group's memory is meant")},
      {"X-Weft-World", header("X-Weft-World", "the world that the user or group plays in")},
      {"user", query("user", "whose memory is meant, where no header says so")},
      {"group", query("group", "which group's memory is meant, where no header says so")},
      {"world", query("world", "that world's own, which many share")}};
}

Value components(SchemaBook& book, Value& paths) {
  ValueObject schemas = book.take();
  describe_bodies(paths, schemas);
  schemas.emplace_back("Error", error_schema());
  const Value error = described_answer(
      "it was not done", content("application/json", ValueObject{{"$ref", "#/components/schemas/Error"}}));
  return ValueObject{
      {"schemas", std::move(schemas)},
      {"parameters", shared_parameters()},
      {"securitySchemes", ValueObject{{"key", ValueObject{{"type", "http"},
                                                          {"scheme", "bearer"},
                                                          {"description", "a key of the server, where it has any"}}}}},
      {"responses", ValueObject{{"Error", error}}}};
}

}  // namespace

std::string openapi_json() {
  SchemaBook book;
  Value paths = paths_of(book);
  Value parts = components(book, paths);
  return to_json(Value(
      ValueObject{{"openapi", "3.1.0"},
                  {"info", ValueObject{{"title", "Weft"},
                                       {"version", WEFT_VERSION},
                                       {"summary", "Memory and context of LLM agents"},
                                       {"license", ValueObject{{"name", "Apache-2.0"}, {"identifier", "Apache-2.0"}}}}},
                  {"security", ValueList{ValueObject{}, ValueObject{{"key", ValueList{}}}}},
                  {"paths", std::move(paths)},
                  {"components", std::move(parts)}}));
}

}  // namespace weft
