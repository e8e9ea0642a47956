#include "flow/memory/state_schema.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>

namespace weft {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxBytes = std::size_t{256} << 10;
constexpr std::size_t kMaxDepth = 64, kMaxHops = 64;

template <std::size_t N>
bool is_one_of(const std::array<const char*, N>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Whether a reference leads to a part of the document that is not only a reference itself.
bool leads_somewhere(const Json& document, const Json& schema) {
  const Json* at = &schema;
  for (std::size_t hop = 0; hop < kMaxHops; ++hop) {
    const auto reference = at->is_object() ? at->find("$ref") : at->end();
    if (!at->is_object() || reference == at->end()) return at->is_object() || at->is_boolean();
    if (!reference->is_string()) return false;
    const auto& target = reference->get_ref<const std::string&>();
    if (!target.starts_with('#')) return false;
    try {
      at = &document.at(Json::json_pointer(target.substr(1)));
    } catch (const Json::exception&) {
      return false;
    }
  }
  return false;
}

// Looks at each part of a schema that is a schema itself; names of properties are not keywords.
class Keywords {
 public:
  explicit Keywords(const Json& document) : document_(document) {}

  Status look(const Json& schema, std::size_t depth) {
    static constexpr std::array kMatched = {"pattern", "patternProperties", "format"};
    static constexpr std::array kNamed = {"properties", "definitions", "$defs", "dependencies"};
    static constexpr std::array kWithin = {
        "items", "additionalItems", "additionalProperties", "contains", "not", "if", "then", "else", "propertyNames"};
    static constexpr std::array kListed = {"items", "allOf", "anyOf", "oneOf"};
    if (depth > kMaxDepth) return too_large("the schema of the state is nested too deep");
    if (!schema.is_object()) return {};
    for (const auto& [name, value] : schema.items()) {
      if (is_one_of(kMatched, name))
        return invalid_argument("the schema of the state uses \"" + name + "\", which is not supported",
                                "say it with \"enum\", \"minLength\" or \"maxLength\"");
      if (name == "$ref" && !leads_somewhere(document_, schema))
        return invalid_argument("the schema of the state has a \"$ref\" that leads to no part of it");
      const bool list = value.is_array() && is_one_of(kListed, name);
      if (!list && !(value.is_object() && (is_one_of(kNamed, name) || is_one_of(kWithin, name)))) continue;
      if (!list && is_one_of(kWithin, name)) {
        WEFT_CHECK(look(value, depth + 1));
        continue;
      }
      for (const Json& part : value) WEFT_CHECK(look(part, depth + 1));
    }
    return {};
  }

 private:
  const Json& document_;
};

}  // namespace

Result<StateSchema> StateSchema::compile(std::string_view json) {
  if (json.size() > kMaxBytes)
    return too_large("the schema of the state has " + std::to_string(json.size()) + " bytes",
                     "at most " + std::to_string(kMaxBytes) + " are taken");
  const Json document = Json::parse(json, nullptr, false);
  if (!document.is_object()) return invalid_argument("the schema of the state is not a JSON object");
  WEFT_CHECK(Keywords(document).look(document, 1));
  WEFT_TRY(auto check, SchemaCheck::compile(json, "the state"));
  return StateSchema(std::move(check));
}

Status StateSchema::check(const Value& root) const { return check_.check(to_json(root)); }

}  // namespace weft
