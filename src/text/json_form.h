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
#include "text/json_writer.h"
#include "text/value.h"
#include "weft/enum_values.h"
#include "weft/ids.h"
#include "weft/result.h"
#include "weft/time.h"

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

}  // namespace weft
