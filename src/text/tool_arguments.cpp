#include "text/tool_arguments.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "text/value.h"

namespace weft {
namespace {

constexpr std::string_view kDefinitions = "#/$defs/";
constexpr int kMostReferences = 16;
constexpr double kLargestWhole = 9007199254740992.0;  // 2^53

std::optional<Value> parsed(std::string_view text) {
  auto read = parse_value(text, {.max_bytes = text.size() + 1, .max_depth = 64}, "argument");
  return read.ok() ? std::optional<Value>(std::move(*read)) : std::nullopt;
}

std::optional<Value> number_in(std::string_view text, bool whole) {
  const std::string_view digits = trimmed(text);
  double number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size() || !std::isfinite(number))
    return std::nullopt;
  if (std::trunc(number) == number && std::abs(number) < kLargestWhole) return Value(static_cast<std::int64_t>(number));
  return whole ? std::nullopt : std::optional<Value>(number);
}

class Meaning {
 public:
  explicit Meaning(const Value& root) : definitions_(root.find("$defs")) {}

  Value object(const Value& given, const Value& schema, bool in_list) const {
    const Value* properties = schema.find("properties");
    if (given.object() == nullptr || properties == nullptr || properties->object() == nullptr) return given;
    ValueObject meant;
    for (const auto& [name, value] : *given.object()) {
      const Value* one = properties->find(name);
      if (one == nullptr) {
        meant.emplace_back(name, value);
      } else if (is_required(schema, name) || !is_left_out(value, resolved(*one), in_list)) {
        meant.emplace_back(name, field(value, *one, in_list));
      }
    }
    return meant;
  }

 private:
  Value field(const Value& given, const Value& described, bool in_list) const {
    const Value& schema = resolved(described);
    for (const char* name : {"anyOf", "oneOf"}) {
      const Value* forms = schema.find(name);
      if (forms == nullptr || forms->list() == nullptr) continue;
      for (const bool as_it_is : {true, false})
        for (const Value& form : *forms->list())
          if (Value meant = field(given, form, in_list); fits(as_it_is ? given : meant, resolved(form))) return meant;
      return given;
    }
    if (given.text() != nullptr && !allows(schema, "string")) return from_text(*given.text(), given, schema, in_list);
    if (given.is_number() && !allows(schema, "number") && !allows(schema, "integer")) return alone(given, schema);
    if (const auto* number = std::get_if<double>(&given.data); number != nullptr && !allows(schema, "number"))
      return number_in(to_json(given), true).value_or(given);
    if (given.list() != nullptr) return list(given, schema);
    if (given.object() == nullptr) return given;
    return allows(schema, "object") ? object(given, schema, in_list) : alone(given, schema);
  }

  Value from_text(const std::string& text, const Value& given, const Value& schema, bool in_list) const {
    const std::string_view word = trimmed(text);
    const bool whole = allows(schema, "integer") && !allows(schema, "number");
    if (allows(schema, "integer") || allows(schema, "number"))
      if (auto number = number_in(word, whole)) return std::move(*number);
    if (allows(schema, "boolean") && (word == "true" || word == "True")) return true;
    if (allows(schema, "boolean") && (word == "false" || word == "False")) return false;
    const bool nested = (word.starts_with('[') && allows(schema, "array")) || word.starts_with('{');
    if (nested && (allows(schema, "array") || allows(schema, "object")))
      if (const auto read = parsed(word)) return field(*read, schema, in_list);
    return alone(given, schema);
  }

  Value list(const Value& given, const Value& schema) const {
    if (given.list()->empty() && allows(schema, "object") && !allows(schema, "array")) return ValueObject{};
    const Value* items = schema.find("items");
    if (!allows(schema, "array") || items == nullptr) return given;
    ValueList meant;
    for (const Value& one : *given.list()) meant.push_back(field(one, *items, true));
    return meant;
  }

  // One value where a list of such is wanted.
  Value alone(const Value& given, const Value& schema) const {
    const Value* items = schema.find("items");
    if (!allows(schema, "array") || allows(schema, "object") || items == nullptr) return given;
    const Value* words = resolved(*items).find("enum");
    if (given.text() == nullptr || words == nullptr) {
      Value one = field(given, *items, true);
      return fits(one, resolved(*items)) ? Value(ValueList{std::move(one)}) : given;
    }
    ValueList meant;
    for (std::string_view rest = *given.text(); !rest.empty();) {
      const std::string_view word = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(rest.size(), word.size() + 1));
      if (!trimmed(word).empty()) meant.emplace_back(std::string(trimmed(word)));
    }
    return meant;
  }

  const Value& resolved(const Value& schema) const {
    const Value* at = &schema;
    for (int i = 0; i < kMostReferences; ++i) {
      const Value* target = at->find("$ref");
      if (target == nullptr || target->text() == nullptr || !target->text()->starts_with(kDefinitions)) break;
      const Value* found =
          definitions_ == nullptr ? nullptr : definitions_->find(target->text()->substr(kDefinitions.size()));
      if (found == nullptr) break;
      at = found;
    }
    return *at;
  }

  // A schema that names no type allows all, so nothing is read as another one.
  static bool allows(const Value& schema, std::string_view type) {
    const Value* types = schema.find("type");
    if (types == nullptr) return true;
    if (types->text() != nullptr) return *types->text() == type;
    return types->list() != nullptr &&
           std::find(types->list()->begin(), types->list()->end(), Value(std::string(type))) != types->list()->end();
  }

  static bool fits(const Value& value, const Value& schema) {
    if (value.is_null()) return allows(schema, "null");
    if (const std::string* text = value.text())  // a count of seconds is no date
      return allows(schema, "string") && (schema.find("format") == nullptr || !number_in(*text, false));
    if (value.list() != nullptr) return allows(schema, "array");
    if (value.object() != nullptr) return allows(schema, "object");
    if (std::holds_alternative<bool>(value.data)) return allows(schema, "boolean");
    return allows(schema, "number") || (std::holds_alternative<std::int64_t>(value.data) && allows(schema, "integer"));
  }

  static bool is_required(const Value& schema, const std::string& name) {
    const Value* required = schema.find("required");
    return required != nullptr && required->list() != nullptr &&
           std::find(required->list()->begin(), required->list()->end(), Value(name)) != required->list()->end();
  }

  // In lists what the schema takes is kept: the empty text of a message is its content.
  bool is_left_out(const Value& value, const Value& schema, bool in_list) const {
    if (value.is_null()) return !in_list || !takes(value, schema);
    if (value.text() == nullptr) return false;
    const std::string_view word = trimmed(*value.text());
    if (word.empty()) return !in_list || !takes(Value(""), schema);
    return word == "null" && schema.find("type") != nullptr && !allows(schema, "string");
  }

  bool takes(const Value& value, const Value& described) const {
    const Value& schema = resolved(described);
    for (const char* name : {"anyOf", "oneOf"})
      if (const Value* forms = schema.find(name); forms != nullptr && forms->list() != nullptr)
        return std::any_of(forms->list()->begin(), forms->list()->end(),
                           [&](const Value& form) { return takes(value, form); });
    if (!fits(value, schema)) return false;
    if (const Value* words = schema.find("enum"); words != nullptr && words->list() != nullptr)
      return std::find(words->list()->begin(), words->list()->end(), value) != words->list()->end();
    const Value* least = schema.find("minLength");
    return value.text() == nullptr || (schema.find("format") == nullptr && (least == nullptr || *least == Value(0)));
  }

  const Value* definitions_;
};

}  // namespace

Value arguments_as_meant(const Value& given, const Value& schema) {
  Value whole = given;
  if (const std::string* text = given.text()) whole = trimmed(*text).empty() ? Value() : parsed(*text).value_or(given);
  if (whole.is_null() || (whole.list() != nullptr && whole.list()->empty())) whole = ValueObject{};
  return Meaning(schema).object(whole, schema, false);
}

}  // namespace weft
