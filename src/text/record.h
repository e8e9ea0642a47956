#pragma once

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

/// How values of one type stand in JSON, with the type left out: one table for each type that fields have.
struct ValueForm {
  Status (*read)(std::string_view json, const std::string& place, const FieldRule& rule, void* into);
  void (*write)(const void* from, JsonWriter& out);
  bool (*empty)(const void* from);
  Value (*schema)(SchemaBook& book, const FieldRule& rule);
};

template <class M>
inline constexpr ValueForm kValueForm{
    [](std::string_view json, const std::string& place, const FieldRule& rule, void* into) {
      return JsonForm<M>::read(json, place, rule, *static_cast<M*>(into));
    },
    [](const void* from, JsonWriter& out) { JsonForm<M>::write(*static_cast<const M*>(from), out); },
    [](const void* from) { return JsonForm<M>::empty(*static_cast<const M*>(from)); },
    [](SchemaBook& book, const FieldRule& rule) { return JsonForm<M>::schema(book, rule); }};

/// A field of a described struct. What its functions are given is the struct.
struct RecordField {
  using Read = std::function<Status(std::string_view json, const std::string& place, void* into)>;
  using Write = std::function<void(const void* from, JsonWriter& out)>;
  using Empty = std::function<bool(const void* from)>;
  using Schema = std::function<Value(SchemaBook& book)>;

  std::string name, doc;
  FieldRule rule;
  FieldKind kind = FieldKind::kOther;
  Read read;    ///< null: it is never read
  Write write;  ///< null: it is never written
  Empty empty;
  Schema schema;
};

/// All of a description that does not depend on the struct's type, so that it is compiled once: a `Record` hands over
/// its structs as addresses.
class RecordFields {
 public:
  /// From a struct to one of its members.
  using Locate = std::function<void*(void* of)>;

  RecordFields(std::string name, std::string doc, RecordUse use)
      : name_(std::move(name)), doc_(std::move(doc)), use_(use) {}

  /// As those of `Record` do with structs.
  Status read(std::string_view json, const std::string& place, void* into,
              std::span<const std::string_view> besides = {}) const;
  /// The same from text from outside, see `parse_record`.
  Status parse(std::string_view json, std::string_view what, const JsonLimits& limits,
               std::span<const std::string_view> besides, void* into) const;
  void write(const void* from, JsonWriter& out) const;
  std::string json_of(const void* from) const;
  /// Whether no field that is written says anything.
  bool says_nothing(const void* from) const;
  Value schema(SchemaBook& book) const;

  const std::string& name() const { return name_; }
  const std::string& doc() const { return doc_; }
  const std::vector<RecordField>& fields() const { return fields_; }
  /// Null where there is no such field.
  const RecordField* find(std::string_view name) const;

 protected:
  void add(std::string name, std::string doc, FieldRule rule, FieldKind kind, const ValueForm& form, Locate locate);
  void add_json(std::string name, std::string doc, FieldRule rule, Value schema, Locate locate);
  void add_spread(const RecordFields& of, const Locate& locate);
  void add_other_name(std::string name, std::string_view known);

  std::vector<RecordField> fields_;
  std::function<Status(const void* read, const std::string& place)> check_;

 private:
  Status check_names(const std::vector<std::pair<std::string, std::string_view>>& members, const std::string& before,
                     std::span<const std::string_view> besides) const;
  Value own_schema(SchemaBook& book) const;

  std::string name_, doc_;
  RecordUse use_;
};

/// The description of a struct. Made once, then only read.
template <class T>
class Record : public RecordFields {
 public:
  using RecordFields::RecordFields;

  /// A member of the struct, or of one of its members where `within` is given.
  template <class M>
  Record& field(std::string name, M T::* member, std::string doc, FieldRule rule = {}) {
    add(std::move(name), std::move(doc), rule, kFieldKind<M>, kValueForm<M>, located(member));
    return *this;
  }
  template <class Outer, class M>
  Record& field(std::string name, Outer T::* within, M Outer::* member, std::string doc, FieldRule rule = {}) {
    add(std::move(name), std::move(doc), rule, kFieldKind<M>, kValueForm<M>,
        [within, member](void* of) -> void* { return &(static_cast<T*>(of)->*within.*member); });
    return *this;
  }

  /// JSON of any kind, held as text.
  Record& json(std::string name, std::string T::* member, std::string doc, FieldRule rule = {},
               Value schema = ValueObject{}) {
    add_json(std::move(name), std::move(doc), rule, std::move(schema), located(member));
    return *this;
  }

  /// A field with a form of its own. `read` or `write` may be null.
  Record& custom(
      std::string name, std::string doc, RecordField::Schema schema,
      std::function<Status(std::string_view json, const std::string& place, T& into)> read,
      std::function<void(const T& from, JsonWriter& out)> write, FieldRule rule = {},
      std::function<bool(const T& from)> empty = [](const T&) { return false; }) {
    RecordField field{std::move(name), std::move(doc), rule, FieldKind::kOther, {}, {}, {}, std::move(schema)};
    if (read)
      field.read = [read = std::move(read)](std::string_view json, const std::string& place, void* into) {
        return read(json, place, *static_cast<T*>(into));
      };
    if (write)
      field.write = [write = std::move(write)](const void* from, JsonWriter& out) {
        write(*static_cast<const T*>(from), out);
      };
    field.empty = [empty = std::move(empty)](const void* from) { return empty(*static_cast<const T*>(from)); };
    fields_.push_back(std::move(field));
    return *this;
  }

  /// All fields of a member stand among the struct's own.
  template <class M>
  Record& spread(M T::* member, const Record<M>& of) {
    add_spread(of, located(member));
    return *this;
  }

  /// Another name for a field, read and not written.
  Record& also(std::string name, std::string_view known) {
    add_other_name(std::move(name), known);
    return *this;
  }

  /// Looked at after everything was read.
  Record& check(std::function<Status(const T& read, const std::string& place)> check) {
    check_ = [check = std::move(check)](const void* read, const std::string& place) {
      return check(*static_cast<const T*>(read), place);
    };
    return *this;
  }

  /// Reads an object of checked JSON. Names in `besides` are passed over.
  Status read(std::string_view json, const std::string& place, T& into,
              std::span<const std::string_view> besides = {}) const {
    return RecordFields::read(json, place, &into, besides);
  }
  /// Reads one of its fields.
  Status read_field(const RecordField& field, std::string_view json, const std::string& place, T& into) const {
    return field.read(json, place, &into);
  }
  void write(const T& from, JsonWriter& out) const { RecordFields::write(&from, out); }

 private:
  template <class M>
  static Locate located(M T::* member) {
    return [member](void* of) -> void* { return &(static_cast<T*>(of)->*member); };
  }
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
  static bool empty(const T& value) { return record<T>().says_nothing(&value); }
  static Value schema(SchemaBook& book, const FieldRule&) { return record<T>().schema(book); }
};

/// The struct as JSON on one line.
template <Described T>
std::string to_json(const T& value) {
  return record<T>().json_of(&value);
}

/// Reads a struct from JSON from outside; `what` names the text in errors. An empty text is an empty object.
template <Described T>
Result<T> parse_record(std::string_view json, std::string_view what, const JsonLimits& limits = {},
                       std::span<const std::string_view> besides = {}) {
  T value{};
  WEFT_CHECK(record<T>().parse(json, what, limits, besides, &value));
  return value;
}

}  // namespace weft
