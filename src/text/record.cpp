#include "text/record.h"

#include <algorithm>

#include "base/strings.h"

namespace weft {
namespace {

// Members are only written to where the struct is.
void* member_of(const RecordFields::Locate& locate, const void* of) { return locate(const_cast<void*>(of)); }

}  // namespace

void RecordFields::add(std::string name, std::string doc, FieldRule rule, FieldKind kind, const ValueForm& form,
                       Locate locate) {
  RecordField field{std::move(name), std::move(doc), rule, kind, {}, {}, {}, {}};
  field.read = [locate, &form, rule](std::string_view json, const std::string& place, void* into) {
    return form.read(json, place, rule, locate(into));
  };
  field.write = [locate, &form](const void* from, JsonWriter& out) { form.write(member_of(locate, from), out); };
  field.empty = [locate, &form](const void* from) { return form.empty(member_of(locate, from)); };
  field.schema = [&form, rule](SchemaBook& book) { return form.schema(book, rule); };
  fields_.push_back(std::move(field));
}

void RecordFields::add_json(std::string name, std::string doc, FieldRule rule, Value schema, Locate locate) {
  const auto text = [locate](const void* of) -> std::string& {
    return *static_cast<std::string*>(member_of(locate, of));
  };
  RecordField field{std::move(name), std::move(doc), rule, FieldKind::kOther, {}, {}, {}, {}};
  field.read = [text](std::string_view json, const std::string&, void* into) {
    text(into) = compact_json(json);
    return Status();
  };
  field.write = [text](const void* from, JsonWriter& out) { out.raw(text(from).empty() ? "null" : text(from)); };
  field.empty = [text](const void* from) { return text(from).empty(); };
  field.schema = [schema = std::move(schema)](SchemaBook&) { return schema; };
  fields_.push_back(std::move(field));
}

void RecordFields::add_spread(const RecordFields& of, const Locate& locate) {
  for (const RecordField& inner : of.fields()) {
    RecordField field{inner.name, inner.doc, inner.rule, inner.kind, {}, {}, {}, inner.schema};
    if (inner.read)
      field.read = [locate, read = inner.read](std::string_view json, const std::string& place, void* into) {
        return read(json, place, locate(into));
      };
    if (inner.write)
      field.write = [locate, write = inner.write](const void* from, JsonWriter& out) {
        write(member_of(locate, from), out);
      };
    field.empty = [locate, empty = inner.empty](const void* from) { return empty(member_of(locate, from)); };
    fields_.push_back(std::move(field));
  }
}

void RecordFields::add_other_name(std::string name, std::string_view known) {
  RecordField field = *find(known);
  field.name = std::move(name);
  field.write = nullptr;
  field.rule.required = false;
  fields_.push_back(std::move(field));
}

Status RecordFields::read(std::string_view json, const std::string& place, void* into,
                          std::span<const std::string_view> besides) const {
  if (!json.starts_with('{')) return wrong_field(place, "an object");
  const std::string before = place.empty() ? "" : place + ".";
  const auto members = json_members(json);
  if (use_ != RecordUse::kTold) WEFT_CHECK(check_names(members, before, besides));
  for (const RecordField& field : fields_) {
    if (!field.read) continue;
    const std::string_view* found = nullptr;
    for (const auto& [name, value] : members)
      if (name == field.name) found = &value;
    if (found != nullptr && *found != "null") WEFT_CHECK(field.read(*found, before + field.name, into));
    const bool missing = found == nullptr || *found == "null" || field.empty(into);
    if (field.rule.required && missing)
      return wrong_field(before + field.name,
                         field.rule.wanted.empty() ? std::string_view("given: " + field.doc) : field.rule.wanted);
  }
  return check_ ? check_(into, place) : Status();
}

Status RecordFields::parse(std::string_view json, std::string_view what, const JsonLimits& limits,
                           std::span<const std::string_view> besides, void* into) const {
  if (trimmed(json).empty())
    json = "{}";
  else
    WEFT_CHECK(check_json(json, limits, what));
  json = trimmed(json);
  if (!json.starts_with('{')) return invalid_argument(std::string(what) + " must be a JSON object");
  return read(json, "", into, besides);
}

void RecordFields::write(const void* from, JsonWriter& out) const {
  out.begin('{');
  for (const RecordField& field : fields_) {
    if (!field.write || (field.rule.sparse && field.empty(from))) continue;
    out.name(field.name);
    field.write(from, out);
  }
  out.end('}');
}

std::string RecordFields::json_of(const void* from) const {
  JsonWriter out;
  write(from, out);
  return out.take();
}

bool RecordFields::says_nothing(const void* from) const {
  return std::none_of(fields_.begin(), fields_.end(),
                      [from](const RecordField& field) { return field.write && !field.empty(from); });
}

Value RecordFields::schema(SchemaBook& book) const {
  return book.use(name_, [this](SchemaBook& inner) { return own_schema(inner); });
}

const RecordField* RecordFields::find(std::string_view name) const {
  for (const RecordField& field : fields_)
    if (field.name == name) return &field;
  return nullptr;
}

Status RecordFields::check_names(const std::vector<std::pair<std::string, std::string_view>>& members,
                                 const std::string& before, std::span<const std::string_view> besides) const {
  for (const auto& [name, value] : members) {
    const RecordField* field = find(name);
    if (field != nullptr && field->read) continue;
    if (std::find(besides.begin(), besides.end(), name) != besides.end()) continue;
    std::vector<std::string_view> known;
    for (const RecordField& one : fields_)
      if (one.read) known.push_back(one.name);
    return unknown_field(before, name, known);
  }
  return {};
}

Value RecordFields::own_schema(SchemaBook& book) const {
  ValueObject properties;
  ValueList required;
  for (const RecordField& field : fields_) {
    if (use_ == RecordUse::kAsked ? !field.read : !field.write) continue;
    if (field.rule.advanced && book.inlined()) continue;
    Value one = field.schema(book);
    if (ValueObject* members = one.object(); members != nullptr && !field.doc.empty())
      members->emplace_back("description", field.doc);
    properties.emplace_back(field.name, std::move(one));
    if (use_ == RecordUse::kTold ? !field.rule.sparse : field.rule.required) required.emplace_back(field.name);
  }
  ValueObject schema{{"type", "object"}, {"properties", std::move(properties)}};
  if (!doc_.empty()) schema.emplace_back("description", doc_);
  if (!required.empty()) schema.emplace_back("required", std::move(required));
  if (use_ != RecordUse::kTold) schema.emplace_back("additionalProperties", false);
  return schema;
}

}  // namespace weft
