#include "text/record.h"

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/strings.h"

namespace weft {
namespace {

// Members are only written to where the struct is.
void* member_of(const RecordFields::Locate& locate, const void* of) { return locate(const_cast<void*>(of)); }

constexpr std::size_t kLongestShown = 80;  // bytes of a name in an error

std::string bounds_in_words(const FieldRule& rule, bool whole) {
  const std::string kind = whole ? "a whole number" : "a number";
  const bool from = std::isfinite(rule.least), to = std::isfinite(rule.most);
  if (from && to) return fmt::format("{} from {} to {}", kind, rule.least, rule.most);
  if (from) return fmt::format("{} from {} on", kind, rule.least);
  return to ? fmt::format("{} up to {}", kind, rule.most) : kind;
}

void add_bounds(const FieldRule& rule, bool whole, ValueObject& schema) {
  const auto bound = [whole](double number) {
    return whole ? Value(static_cast<std::int64_t>(number)) : Value(number);
  };
  if (std::isfinite(rule.least)) schema.emplace_back("minimum", bound(rule.least));
  if (std::isfinite(rule.most)) schema.emplace_back("maximum", bound(rule.most));
}

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

Value SchemaBook::use(const std::string& name, const std::function<Value(SchemaBook&)>& make) {
  if (inlined_) return make(*this);
  if (names_.insert(name).second) {
    Value schema = make(*this);  // before its place is taken: it may refer to others
    known_.emplace_back(name, std::move(schema));
  }
  return ValueObject{{"$ref", "#/components/schemas/" + name}};
}

Error wrong_field(std::string_view place, std::string_view wanted) {
  return invalid_argument("\"" + std::string(place) + "\" must be " + std::string(wanted));
}

Result<std::size_t> read_word(std::string_view json, const std::string& place, const FieldRule& rule,
                              std::span<const std::string_view> words) {
  std::string said;
  WEFT_CHECK(JsonForm<std::string>::read(json, place, rule, said));
  if (const auto found = std::find(words.begin(), words.end(), said); found != words.end())
    return static_cast<std::size_t>(found - words.begin());
  std::string all;
  for (const std::string_view word : words) all += (all.empty() ? "" : ", ") + std::string(word);
  return wrong_field(place, "one of: " + all);
}

Value words_schema(std::span<const std::string_view> words) {
  ValueList all;
  for (const std::string_view word : words) all.emplace_back(std::string(word));
  return ValueObject{{"type", "string"}, {"enum", std::move(all)}};
}

Error unknown_field(std::string_view place, std::string_view name, std::span<const std::string_view> known) {
  name = name.substr(0, kLongestShown);
  std::string_view nearest;
  std::size_t least = std::max<std::size_t>(3, name.size() / 3 + 1);
  std::string all;
  for (const std::string_view one : known) {
    all += (all.empty() ? "" : ", ") + std::string(one);
    if (const auto away = edit_distance(one, name); away < least) least = away, nearest = one;
  }
  std::string hint = nearest.empty() ? "" : "did you mean \"" + std::string(nearest) + "\"? ";
  hint += all.empty() ? "no fields are read here" : "fields: " + all;
  return invalid_argument("there is no field \"" + std::string(place) + std::string(name) + "\"", hint);
}

Status JsonForm<bool>::read(std::string_view json, const std::string& place, const FieldRule&, bool& into) {
  if (json != "true" && json != "false") return wrong_field(place, "true or false");
  into = json == "true";
  return {};
}

Status JsonForm<std::string>::read(std::string_view json, const std::string& place, const FieldRule& rule,
                                   std::string& into) {
  const bool whole = rule.loose && !json.empty() && json.find_first_not_of("-0123456789") == std::string_view::npos;
  if (whole) {
    into = json;
    return {};
  }
  if (!json.starts_with('"')) return wrong_field(place, rule.wanted.empty() ? "a string" : rule.wanted);
  WEFT_TRY(into, json_text(json));
  return {};
}

Value JsonForm<std::string>::schema(SchemaBook&, const FieldRule& rule) {
  ValueObject schema{{"type", "string"}};
  if (rule.required) schema.emplace_back("minLength", 1);
  return schema;
}

Status JsonForm<double>::read(std::string_view json, const std::string& place, const FieldRule& rule, double& into) {
  double number = 0;
  const auto [end, failed] = std::from_chars(json.data(), json.data() + json.size(), number);
  const bool read = failed == std::errc() && end == json.data() + json.size();
  if (!read || number < rule.least || number > rule.most)
    return wrong_field(place, rule.wanted.empty() ? bounds_in_words(rule, false) : std::string(rule.wanted));
  into = number;
  return {};
}

Value JsonForm<double>::schema(SchemaBook&, const FieldRule& rule) {
  ValueObject schema{{"type", "number"}};
  add_bounds(rule, false, schema);
  return schema;
}

Status JsonForm<Time>::read(std::string_view json, const std::string& place, const FieldRule&, Time& into) {
  constexpr std::string_view kWanted = "a time such as 2026-03-01T09:30:00+08:00";
  if (!json.starts_with('"')) return wrong_field(place, kWanted);
  WEFT_TRY(const std::string text, json_text(json));
  if (text.empty()) return {};
  const auto time = parse_time(text);
  if (!time.ok()) return wrong_field(place, kWanted);
  into = *time;
  return {};
}

Result<std::int64_t> read_whole(std::string_view json, const std::string& place, const FieldRule& rule,
                                std::int64_t least) {
  std::int64_t number = 0;
  const auto [end, failed] = std::from_chars(json.data(), json.data() + json.size(), number);
  bool read = failed == std::errc() && end == json.data() + json.size();
  if (!read) {
    // What has no fraction is whole, however it is written: 3.0, 3e2.
    constexpr double kExact = 9007199254740992;  // 2^53
    double other = 0;
    const auto [stop, broken] = std::from_chars(json.data(), json.data() + json.size(), other);
    read = broken == std::errc() && stop == json.data() + json.size() && std::trunc(other) == other &&
           std::abs(other) <= kExact;
    if (read) number = static_cast<std::int64_t>(other);
  }
  const bool within = static_cast<double>(number) >= rule.least && static_cast<double>(number) <= rule.most;
  if (read && within && number >= least) return number;
  FieldRule told = rule;
  if (!std::isfinite(told.least) && least == 0) told.least = 0;
  return wrong_field(place, rule.wanted.empty() ? bounds_in_words(told, true) : std::string(rule.wanted));
}

Value whole_schema(const FieldRule& rule, bool is_signed) {
  ValueObject schema{{"type", "integer"}};
  FieldRule bounds = rule;
  if (!is_signed && !std::isfinite(bounds.least)) bounds.least = 0;
  add_bounds(bounds, true, schema);
  // What is read has 64 bits.
  using Limits = std::numeric_limits<std::int64_t>;
  if (is_signed && !std::isfinite(bounds.least)) schema.emplace_back("minimum", Limits::min());
  if (is_signed && !std::isfinite(bounds.most)) schema.emplace_back("maximum", Limits::max());
  return schema;
}

}  // namespace weft
