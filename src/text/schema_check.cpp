#include "text/schema_check.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <vector>

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

#include "text/json.h"

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

}  // namespace weft
