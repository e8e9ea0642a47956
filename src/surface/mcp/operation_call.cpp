#include "surface/mcp/operation_call.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "surface/api/api.h"
#include "surface/api/paths.h"
#include "surface/http/exchange.h"
#include "surface/mcp/rpc.h"
#include "text/value.h"

namespace weft::mcp {
namespace {

constexpr std::string_view kDefinitions = "#/$defs/";
constexpr std::string_view kComponents = "#/components/schemas/";

// The id in a session's path is the session's, and models know it by that name.
bool is_session_path(const Operation& operation) { return operation.path.starts_with("/v1/sessions/{id}"); }

std::string argument_of(const Operation& operation, const std::string& path_name) {
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
    const std::string known = argument_of(operation, name);
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
    const std::string known = argument_of(operation, name);
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
