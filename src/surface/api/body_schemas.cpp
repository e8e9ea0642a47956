#include "surface/api/body_schemas.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string>

#include "model/id_rules.h"

namespace weft {
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

}  // namespace weft
