#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "text/json.h"
#include "text/json_form.h"
#include "text/json_writer.h"
#include "text/value.h"
#include "weft/ids.h"
#include "weft/result.h"
#include "weft/time.h"

/// Structs that are described once: names, meanings and bounds of their fields. From a description come the JSON that
/// is written and read, the errors that name field and bound, the JSON Schema, and the options of the command line.
namespace weft {

/// What a field holds, as far as a command line can say it.
enum class FieldKind { kText, kNumber, kFlag, kTexts, kOther };

template <class T>
inline constexpr FieldKind kFieldKind = std::is_same_v<T, bool>          ? FieldKind::kFlag
                                        : std::is_arithmetic_v<T>        ? FieldKind::kNumber
                                        : std::is_enum_v<T>              ? FieldKind::kText
                                        : std::is_same_v<T, Time>        ? FieldKind::kText
                                        : std::is_same_v<T, std::string> ? FieldKind::kText
                                                                         : FieldKind::kOther;
template <class Tag>
inline constexpr FieldKind kFieldKind<Id<Tag>> = FieldKind::kText;
template <class T>
inline constexpr FieldKind kFieldKind<std::optional<T>> = kFieldKind<T>;
template <class T>
inline constexpr FieldKind kFieldKind<std::vector<T>> =
    kFieldKind<T> == FieldKind::kText ? FieldKind::kTexts : FieldKind::kOther;

/// What a struct is for: it decides which fields a schema asks for, and whether it allows others.
enum class RecordUse {
  kAsked,  ///< comes from outside: no unknown fields; those that are required must be there
  kTold,   ///< goes out: all fields but the sparse ones are there
  kBoth,   ///< is kept or goes both ways
};

/// The description of a struct. Made once, then only read.
template <class T>
class Record {
 public:
  using Read = std::function<Status(std::string_view json, const std::string& place, T& into)>;
  using Write = std::function<void(const T& from, JsonWriter& out)>;

  struct Field {
    std::string name, doc;
    FieldRule rule;
    FieldKind kind = FieldKind::kOther;
    Read read;    ///< null: it is never read
    Write write;  ///< null: it is never written
    std::function<bool(const T& from)> empty;
    std::function<Value(SchemaBook& book)> schema;
  };

  Record(std::string name, std::string doc, RecordUse use) : name_(std::move(name)), doc_(std::move(doc)), use_(use) {}

  /// A member of the struct, or of one of its members where `within` is given.
  template <class M>
  Record& field(std::string name, M T::* member, std::string doc, FieldRule rule = {}) {
    return add<M>(std::move(name), std::move(doc), rule, [member](auto& of) -> auto& { return of.*member; });
  }
  template <class Outer, class M>
  Record& field(std::string name, Outer T::* within, M Outer::* member, std::string doc, FieldRule rule = {}) {
    return add<M>(std::move(name), std::move(doc), rule,
                  [within, member](auto& of) -> auto& { return of.*within.*member; });
  }

  /// JSON of any kind, held as text.
  Record& json(std::string name, std::string T::* member, std::string doc, FieldRule rule = {},
               Value schema = ValueObject{}) {
    Field field = named(std::move(name), std::move(doc), rule);
    field.read = [member](std::string_view json, const std::string&, T& into) {
      into.*member = compact_json(json);
      return Status();
    };
    field.write = [member](const T& from, JsonWriter& out) { out.raw((from.*member).empty() ? "null" : from.*member); };
    field.empty = [member](const T& from) { return (from.*member).empty(); };
    field.schema = [schema = std::move(schema)](SchemaBook&) { return schema; };
    fields_.push_back(std::move(field));
    return *this;
  }

  /// A field with a form of its own. `read` or `write` may be null.
  Record& custom(
      std::string name, std::string doc, std::function<Value(SchemaBook&)> schema, Read read, Write write,
      FieldRule rule = {}, std::function<bool(const T& from)> empty = [](const T&) { return false; }) {
    Field field = named(std::move(name), std::move(doc), rule);
    field.schema = std::move(schema);
    field.read = std::move(read);
    field.write = std::move(write);
    field.empty = std::move(empty);
    fields_.push_back(std::move(field));
    return *this;
  }

  /// All fields of a member stand among the struct's own.
  template <class M>
  Record& spread(M T::* member, const Record<M>& of) {
    for (const auto& inner : of.fields()) {
      Field field = named(inner.name, inner.doc, inner.rule);
      field.kind = inner.kind;
      if (inner.read)
        field.read = [member, read = inner.read](std::string_view json, const std::string& place, T& into) {
          return read(json, place, into.*member);
        };
      if (inner.write)
        field.write = [member, write = inner.write](const T& from, JsonWriter& out) { write(from.*member, out); };
      field.empty = [member, empty = inner.empty](const T& from) { return empty(from.*member); };
      field.schema = inner.schema;
      fields_.push_back(std::move(field));
    }
    return *this;
  }

  /// Another name for a field, read and not written.
  Record& also(std::string name, std::string_view known) {
    Field field = *find(known);
    field.name = std::move(name);
    field.write = nullptr;
    field.rule.required = false;
    fields_.push_back(std::move(field));
    return *this;
  }

  /// Looked at after everything was read.
  Record& check(std::function<Status(const T& read, const std::string& place)> check) {
    check_ = std::move(check);
    return *this;
  }

  /// Reads an object of checked JSON. Names in `besides` are passed over.
  Status read(std::string_view json, const std::string& place, T& into,
              std::span<const std::string_view> besides = {}) const {
    if (!json.starts_with('{')) return wrong_field(place, "an object");
    const std::string before = place.empty() ? "" : place + ".";
    const auto members = json_members(json);
    if (use_ != RecordUse::kTold) WEFT_CHECK(check_names(members, before, besides));
    for (const Field& field : fields_) {
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

  void write(const T& from, JsonWriter& out) const {
    out.begin('{');
    for (const Field& field : fields_) {
      if (!field.write || (field.rule.sparse && field.empty(from))) continue;
      out.name(field.name);
      field.write(from, out);
    }
    out.end('}');
  }

  Value schema(SchemaBook& book) const {
    return book.use(name_, [this](SchemaBook& inner) { return own_schema(inner); });
  }

  const std::string& name() const { return name_; }
  const std::string& doc() const { return doc_; }
  const std::vector<Field>& fields() const { return fields_; }
  const Field* find(std::string_view name) const {
    for (const Field& field : fields_)
      if (field.name == name) return &field;
    return nullptr;
  }

 private:
  static Field named(std::string name, std::string doc, FieldRule rule) {
    Field field;
    field.name = std::move(name);
    field.doc = std::move(doc);
    field.rule = rule;
    return field;
  }

  template <class M, class Get>
  Record& add(std::string name, std::string doc, FieldRule rule, Get get) {
    Field field = named(std::move(name), std::move(doc), rule);
    field.kind = kFieldKind<M>;
    field.read = [get, rule](std::string_view json, const std::string& place, T& into) {
      return JsonForm<M>::read(json, place, rule, get(into));
    };
    field.write = [get](const T& from, JsonWriter& out) { JsonForm<M>::write(get(from), out); };
    field.empty = [get](const T& from) { return JsonForm<M>::empty(get(from)); };
    field.schema = [rule](SchemaBook& book) { return JsonForm<M>::schema(book, rule); };
    fields_.push_back(std::move(field));
    return *this;
  }

  Status check_names(const std::vector<std::pair<std::string, std::string_view>>& members, const std::string& before,
                     std::span<const std::string_view> besides) const {
    for (const auto& [name, value] : members) {
      const Field* field = find(name);
      if (field != nullptr && field->read) continue;
      if (std::find(besides.begin(), besides.end(), name) != besides.end()) continue;
      std::vector<std::string_view> known;
      for (const Field& one : fields_)
        if (one.read) known.push_back(one.name);
      return unknown_field(before, name, known);
    }
    return {};
  }

  Value own_schema(SchemaBook& book) const {
    ValueObject properties;
    ValueList required;
    for (const Field& field : fields_) {
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

  std::string name_, doc_;
  RecordUse use_;
  std::vector<Field> fields_;
  std::function<Status(const T&, const std::string&)> check_;
};

/// The description of a struct; specialised by `WEFT_DESCRIBED`.
template <class T>
const Record<T>& record();

template <class T>
inline constexpr bool kDescribed = false;

template <class T>
concept Described = kDescribed<T>;

/// Declares that a struct is described; `record<T>` is defined in one source file.
#define WEFT_DESCRIBED(T)       \
  template <>                   \
  const Record<T>& record<T>(); \
  template <>                   \
  inline constexpr bool kDescribed<T> = true

template <Described T>
struct JsonForm<T> {
  static Status read(std::string_view json, const std::string& place, const FieldRule&, T& into) {
    return record<T>().read(json, place, into);
  }
  static void write(const T& value, JsonWriter& out) { record<T>().write(value, out); }
  static bool empty(const T& value) {
    for (const auto& field : record<T>().fields())
      if (field.write && !field.empty(value)) return false;
    return true;
  }
  static Value schema(SchemaBook& book, const FieldRule&) { return record<T>().schema(book); }
};

/// The struct as JSON on one line.
template <Described T>
std::string to_json(const T& value) {
  JsonWriter out;
  record<T>().write(value, out);
  return out.take();
}

/// Reads a struct from JSON from outside; `what` names the text in errors. An empty text is an empty object.
template <Described T>
Result<T> parse_record(std::string_view json, std::string_view what, const JsonLimits& limits = {},
                       std::span<const std::string_view> besides = {}) {
  T value{};
  const auto begin = json.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos)
    json = "{}";
  else
    WEFT_CHECK(check_json(json, limits, what));
  json.remove_prefix(json.find_first_not_of(" \t\r\n"));
  if (!json.starts_with('{')) return invalid_argument(std::string(what) + " must be a JSON object");
  WEFT_CHECK(record<T>().read(json, "", value, besides));
  return value;
}

}  // namespace weft
