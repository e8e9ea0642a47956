#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "text/json.h"
#include "weft/choices.h"
#include "weft/ids.h"
#include "weft/result.h"
#include "weft/time.h"

/// Structs that are described once: names, meanings and bounds of their fields. From a description come the JSON that
/// is written and read, the errors that name field and bound, the JSON Schema, and the options of the command line.
/// How values of each type stand in JSON: reading with errors that name the place, writing, and the schema.
namespace weft {

/// JSON Schemas while they are put together: those of described structs stand once, by name, and are referred to.
class SchemaBook {
 public:
  /// `inlined`: described structs stand where they are used, as tools of models need it.
  explicit SchemaBook(bool inlined = false) : inlined_(inlined) {}

  /// The schema of a struct as it is used: a reference, or the schema itself.
  Value use(const std::string& name, const std::function<Value(SchemaBook&)>& make);

  bool inlined() const { return inlined_; }

  /// All that were referred to, by name.
  ValueObject take() { return std::move(known_); }

 private:
  bool inlined_;
  std::set<std::string> names_;
  ValueObject known_;
};

/// How one field is read and written.
struct FieldRule {
  bool required = false;  ///< must be given, and not be empty
  bool sparse = false;    ///< written only where it says something
  bool loose = false;     ///< a text may come as a whole number: models write ids of digits so
  double least = -std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::infinity();
  std::string_view wanted = {};  ///< in errors, instead of what the type says: "a whole number of tokens"
  bool advanced = false;  ///< not offered to models
  std::string_view option = {};  ///< on the command line, as CLI11 has it: "-k,--top"; empty: "--" and the name
};

/// How values of a type stand in JSON: `read`, `write`, `empty`, `schema`, and `wanted` for errors. `place` names the
/// value in errors: "errors[1].tried".
template <class T>
struct JsonForm;

Error wrong_field(std::string_view place, std::string_view wanted);

/// "there is no field …" with the nearest that is, and all that are.
Error unknown_field(std::string_view place, std::string_view name, std::span<const std::string_view> known);

template <>
struct JsonForm<bool> {
  static Status read(std::string_view json, const std::string& place, const FieldRule& rule, bool& into);
  static void write(bool value, JsonWriter& out) { out.flag(value); }
  static bool empty(bool value) { return !value; }
  static Value schema(SchemaBook&, const FieldRule&) { return ValueObject{{"type", "boolean"}}; }
};

template <>
struct JsonForm<std::string> {
  static Status read(std::string_view json, const std::string& place, const FieldRule& rule, std::string& into);
  static void write(const std::string& value, JsonWriter& out) { out.text(value); }
  static bool empty(const std::string& value) { return value.empty(); }
  static Value schema(SchemaBook&, const FieldRule& rule);
};

template <>
struct JsonForm<double> {
  static Status read(std::string_view json, const std::string& place, const FieldRule& rule, double& into);
  static void write(double value, JsonWriter& out) { out.number(value); }
  static bool empty(double value) { return value == 0; }
  static Value schema(SchemaBook&, const FieldRule& rule);
};

/// A whole number, within the bounds of the rule and of 64 bits.
Result<std::int64_t> read_whole(std::string_view json, const std::string& place, const FieldRule& rule,
                                std::int64_t least);
Value whole_schema(const FieldRule& rule, bool is_signed);

template <std::integral T>
  requires(!std::same_as<T, bool>)
struct JsonForm<T> {
  static Status read(std::string_view json, const std::string& place, const FieldRule& rule, T& into) {
    constexpr auto kLeast = std::is_signed_v<T> ? static_cast<std::int64_t>(std::numeric_limits<T>::min()) : 0;
    WEFT_TRY(const std::int64_t number, read_whole(json, place, rule, kLeast));
    if (!std::in_range<T>(number)) return wrong_field(place, "a smaller number");
    into = static_cast<T>(number);
    return {};
  }
  static void write(T value, JsonWriter& out) {
    if constexpr (std::is_signed_v<T>)
      out.whole(value);
    else
      out.count(value);
  }
  static bool empty(T value) { return value == 0; }
  static Value schema(SchemaBook&, const FieldRule& rule) { return whole_schema(rule, std::is_signed_v<T>); }
};

template <class Tag>
struct JsonForm<Id<Tag>> {
  static Status read(std::string_view json, const std::string& place, const FieldRule& rule, Id<Tag>& into) {
    std::string text;
    WEFT_CHECK(JsonForm<std::string>::read(json, place, rule, text));
    into = Id<Tag>(std::move(text));
    return {};
  }
  static void write(const Id<Tag>& value, JsonWriter& out) { out.text(value.str()); }
  static bool empty(const Id<Tag>& value) { return value.empty(); }
  static Value schema(SchemaBook& book, const FieldRule& rule) { return JsonForm<std::string>::schema(book, rule); }
};

template <>
struct JsonForm<Time> {
  static Status read(std::string_view json, const std::string& place, const FieldRule& rule, Time& into);
  static void write(Time value, JsonWriter& out) { out.text(format_time(value)); }
  static bool empty(Time value) { return value.ms == 0; }
  static Value schema(SchemaBook&, const FieldRule&) {
    return ValueObject{{"type", "string"}, {"format", "date-time"}};
  }
};

template <class T>
struct JsonForm<std::optional<T>> {
  static Status read(std::string_view json, const std::string& place, const FieldRule& rule, std::optional<T>& into) {
    T value{};
    WEFT_CHECK(JsonForm<T>::read(json, place, rule, value));
    if (!std::is_same_v<T, Time> || !JsonForm<T>::empty(value)) into = std::move(value);
    return {};
  }
  static void write(const std::optional<T>& value, JsonWriter& out) {
    if (value)
      JsonForm<T>::write(*value, out);
    else
      out.raw("null");
  }
  static bool empty(const std::optional<T>& value) { return !value; }
  static Value schema(SchemaBook& book, const FieldRule& rule) { return JsonForm<T>::schema(book, rule); }
};

template <class T>
struct JsonForm<std::vector<T>> {
  static Status read(std::string_view json, const std::string& place, const FieldRule& rule, std::vector<T>& into) {
    if (!json.starts_with('[')) return wrong_field(place, rule.wanted.empty() ? "an array" : rule.wanted);
    into.clear();
    for (const std::string_view element : json_elements(json)) {
      T one{};
      WEFT_CHECK(JsonForm<T>::read(element, place + "[" + std::to_string(into.size()) + "]", rule, one));
      into.push_back(std::move(one));
    }
    return {};
  }
  static void write(const std::vector<T>& value, JsonWriter& out) {
    out.begin('[');
    for (const T& one : value) JsonForm<T>::write(one, out);
    out.end(']');
  }
  static bool empty(const std::vector<T>& value) { return value.empty(); }
  static Value schema(SchemaBook& book, const FieldRule& rule) {
    return ValueObject{{"type", "array"}, {"items", JsonForm<T>::schema(book, rule)}};
  }
};

/// The value of an enumeration that says nothing: a sparse field with it is left out.
template <class E>
inline constexpr std::optional<E> kUnsaid = std::nullopt;

/// Which of these words a text is. The error names all of them.
Result<std::size_t> read_word(std::string_view json, const std::string& place, const FieldRule& rule,
                              std::span<const std::string_view> words);
Value words_schema(std::span<const std::string_view> words);

/// The words of an enumeration, in the order of `kEnumValues`.
template <class E>
const std::vector<std::string_view>& enum_words() {
  static const auto words = [] {
    std::vector<std::string_view> made;
    for (const E one : kEnumValues<E>) made.push_back(to_string(one));
    return made;
  }();
  return words;
}

template <class E>
  requires std::is_enum_v<E>
struct JsonForm<E> {
  static Status read(std::string_view json, const std::string& place, const FieldRule& rule, E& into) {
    WEFT_TRY(const std::size_t at, read_word(json, place, rule, enum_words<E>()));
    into = kEnumValues<E>[at];
    return {};
  }
  static void write(E value, JsonWriter& out) { out.text(to_string(value)); }
  static bool empty(E value) { return kUnsaid<E> == value; }
  static Value schema(SchemaBook&, const FieldRule&) { return words_schema(enum_words<E>()); }
};

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
