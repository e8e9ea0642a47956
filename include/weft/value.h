#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "weft/result.h"

namespace weft {

struct Value;
using ValueList = std::vector<Value>;
/// Members in the order they were written: what is rendered from it is the same each time.
using ValueObject = std::vector<std::pair<std::string, Value>>;

/// A tree of plain data, as JSON and YAML have it: states, schemas and arguments are made of it.
///
///     Value potion(ValueObject{{"name", "Healing Potion"}, {"count", 2}, {"tags", ValueList{"small", "red"}}});
struct Value {
  std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, ValueList, ValueObject> data;

  Value() : data(nullptr) {}
  Value(bool flag) : data(flag) {}                      // NOLINT: a value is made from what it holds
  Value(double number) : data(number) {}                // NOLINT
  Value(std::string text) : data(std::move(text)) {}    // NOLINT
  Value(const char* text) : data(std::string(text)) {}  // NOLINT
  Value(ValueList list) : data(std::move(list)) {}      // NOLINT
  Value(ValueObject members) : data(std::move(members)) {}  // NOLINT
  /// Any whole number; it is kept in 64 bits with a sign.
  template <std::integral Number>
  Value(Number number) : data(static_cast<std::int64_t>(number)) {}  // NOLINT

  bool is_null() const { return std::holds_alternative<std::nullptr_t>(data); }
  bool is_number() const { return std::holds_alternative<std::int64_t>(data) || std::holds_alternative<double>(data); }
  const std::string* text() const { return std::get_if<std::string>(&data); }
  const ValueList* list() const { return std::get_if<ValueList>(&data); }
  ValueList* list() { return std::get_if<ValueList>(&data); }
  const ValueObject* object() const { return std::get_if<ValueObject>(&data); }
  ValueObject* object() { return std::get_if<ValueObject>(&data); }

  /// The member of that name; null where this is no object or has none.
  const Value* find(std::string_view name) const;
  Value* find(std::string_view name);

  friend bool operator==(const Value&, const Value&) = default;
};

/// Reads JSON of at most 16 MB and 64 levels. Of duplicate names the last one counts. Whole numbers that do not fit 64
/// bits become floating. kInvalidArgument and kTooLarge name the byte.
Result<Value> parse_value(std::string_view json);

/// Writes JSON on one line; the same value gives the same bytes. Broken UTF-8 becomes U+FFFD.
std::string to_json(const Value& value);

}  // namespace weft
