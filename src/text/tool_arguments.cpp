#include "text/tool_arguments.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/strings.h"
#include "text/json.h"

// Without it a broken schema ends the program.
#define VALIJSON_USE_EXCEPTIONS 1

#include <exception>
#include <nlohmann/json.hpp>
#include <utility>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

namespace weft {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxBytes = std::size_t{256} << 10;
constexpr std::size_t kMaxDepth = 64, kMaxParts = 10'000;
constexpr double kLeastStep = 1e-9;

constexpr std::array<std::string_view, 3> kMatched = {"pattern", "patternProperties", "format"};
// Schemas by names, in lists, alone; those of the data itself, and those of what is in it.
constexpr std::array<std::string_view, 4> kNamed = {"properties", "definitions", "$defs", "dependencies"};
constexpr std::array<std::string_view, 4> kListed = {"items", "allOf", "anyOf", "oneOf"};
constexpr std::array<std::string_view, 10> kAlone = {
    "items", "additionalItems", "additionalProperties", "contains", "propertyNames", "not", "if", "then",
    "else",  "extends"};
constexpr std::array<std::string_view, 9> kInside = {"properties", "definitions",     "$defs",
                                                     "items",      "additionalItems", "additionalProperties",
                                                     "contains",   "propertyNames",   "patternProperties"};

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Looks at each part that is a schema itself; names of properties are no keywords.
class Looker {
 public:
  Looker(Json& document, const std::string& subject, SchemaUse use)
      : document_(document), what_("the schema of " + subject), use_(use) {}

  /// `level`: how deep in the data the part applies.
  Status look(Json& schema, std::size_t depth, std::size_t level) {
    if (depth > kMaxDepth) return too_large(what_ + " is nested too deep");
    if (!schema.is_object() || costs_.contains(&schema)) return {};
    if (const auto [at, fresh] = open_.emplace(&schema, level); !fresh) {
      // Through the data it ends where the data ends.
      if (use_ == SchemaUse::kAnswer && at->second < level) return {};
      return invalid_argument(what_ + " refers to itself", "write out as many levels as there are");
    }
    std::size_t cost = 1;
    for (auto& [name, value] : schema.items()) {
      WEFT_CHECK(check_keyword(name, value));
      WEFT_TRY(const auto parts, parts_of(name, value));
      for (Json* part : parts) {
        WEFT_CHECK(look(*part, depth + 1, level + (is_one_of(kInside, name) ? 1 : 0)));
        if (const auto at = costs_.find(part); at != costs_.end()) cost += at->second;
      }
      if (cost > kMaxParts)
        return too_large(what_ + " has more than " + std::to_string(kMaxParts) +
                         " parts when its references are written out");
    }
    open_.erase(&schema);
    costs_[&schema] = cost;
    return {};
  }

  /// What is left out may hold parts that references led to: it lives on until all parts were seen.
  void leave_out_matching() {
    std::vector<Json::object_t::node_type> left_out;
    for (const auto& [part, cost] : costs_)
      for (const std::string_view name : kMatched)
        left_out.push_back(part->get_ref<Json::object_t&>().extract(std::string(name)));
  }

 private:
  Status check_keyword(const std::string& name, const Json& value) const {
    const bool refused = use_ == SchemaUse::kState && (is_one_of(kMatched, name) || name == "uniqueItems");
    if (refused)
      return invalid_argument(what_ + " uses \"" + name + "\", which is not supported",
                              "\"enum\", \"const\", \"minLength\", \"maxLength\" and \"maxItems\" are");
    const bool step = name == "multipleOf" || name == "divisibleBy";
    if (step && !(value.is_number() && value.get<double>() >= kLeastStep))
      return invalid_argument(what_ + " has a \"" + name + "\" that is no number above 0");
    return {};
  }

  // The schemas that a keyword brings in.
  Result<std::vector<Json*>> parts_of(const std::string& name, Json& value) {
    std::vector<Json*> parts;
    if (name == "$ref") {
      Json* target = target_of(value);
      if (target == nullptr) return invalid_argument(what_ + " has a \"$ref\" that leads to no part of it");
      parts.push_back(target);
    } else if (value.is_object() ? is_one_of(kNamed, name) : value.is_array() && is_one_of(kListed, name)) {
      for (Json& part : value) parts.push_back(&part);
    } else if (is_one_of(kAlone, name)) {
      parts.push_back(&value);
    }
    return parts;
  }

  Json* target_of(const Json& reference) {
    if (!reference.is_string()) return nullptr;
    const auto& target = reference.get_ref<const std::string&>();
    if (!target.starts_with('#')) return nullptr;
    try {
      Json& found = document_.at(Json::json_pointer(target.substr(1)));
      return found.is_object() || found.is_boolean() ? &found : nullptr;
    } catch (const Json::exception&) {
      return nullptr;
    }
  }

  Json& document_;
  const std::string what_;
  const SchemaUse use_;
  std::unordered_map<Json*, std::size_t> open_, costs_;
};

}  // namespace

using nlohmann::json;

struct SchemaCheck::State {
  std::string subject;
  json document;  // the schema refers to its parts
  valijson::Schema schema;
};

Result<SchemaCheck> SchemaCheck::compile(std::string_view schema, std::string subject, SchemaUse use) {
  WEFT_TRY(const std::string bounded, bounded_schema(schema, subject, use));
  auto state = std::make_shared<State>();
  state->subject = std::move(subject);
  state->document = json::parse(bounded, nullptr, false);
  try {
    valijson::SchemaParser parser;
    parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(state->document), state->schema);
  } catch (const std::exception& e) {
    return invalid_argument("the schema of " + state->subject + " cannot be read: " + std::string(e.what()));
  }
  return SchemaCheck(std::move(state));
}

Status SchemaCheck::check(std::string_view text) const {
  if (nests_deeper(text, kDeepestJson))
    return too_large(state_->subject + " is nested deeper than " + std::to_string(kDeepestJson) + " levels");
  json answer;
  try {
    answer = json::parse(text);
  } catch (const json::exception& e) {
    return invalid_argument(state_->subject + " is not JSON: " + std::string(e.what()));
  }
  try {
    valijson::Validator validator;
    valijson::ValidationResults results;
    const valijson::adapters::NlohmannJsonAdapter adapter(answer);
    if (validator.validate(state_->schema, adapter, &results)) return {};
    // The last one is the outermost; the first names the place itself.
    valijson::ValidationResults::Error first;
    if (!results.popError(first)) return invalid_argument(state_->subject + " does not match the schema");
    std::string where;
    for (const std::string& step : first.context) where += step;
    return invalid_argument(state_->subject + " does not match the schema at " + where + ": " + first.description);
  } catch (const std::exception& e) {
    return invalid_argument(state_->subject + " cannot be checked: " + std::string(e.what()));
  }
}

Result<std::string> bounded_schema(std::string_view schema, const std::string& subject, SchemaUse use) {
  if (schema.size() > kMaxBytes)
    return too_large("the schema of " + subject + " has " + std::to_string(schema.size()) + " bytes",
                     "at most " + std::to_string(kMaxBytes) + " are taken");
  Json document = lenient_json<Json>(schema);
  if (!document.is_object()) return invalid_argument("the schema of " + subject + " is not a JSON object");
  Looker looker(document, subject, use);
  WEFT_CHECK(looker.look(document, 1, 0));
  if (use == SchemaUse::kState) return std::string(schema);
  looker.leave_out_matching();
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

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
