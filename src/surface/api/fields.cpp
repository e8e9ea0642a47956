#include "surface/api/fields.h"

#include <nlohmann/json.hpp>

#include "text/json.h"

namespace weft::fields {

Error wrong(std::string_view field, std::string_view wanted) {
  return invalid_argument("\"" + std::string(field) + "\" must be " + std::string(wanted));
}

Result<Json> parse_object(std::string_view text) {
  WEFT_TRY(auto json, read_json(text, {.max_bytes = text.size()}, "the body"));
  if (!json.is_object()) return invalid_argument("the body must be a JSON object");
  return json;
}

bool present(const Json& object, const char* field) { return object.contains(field) && !object[field].is_null(); }

Status read(const Json& object, const char* field, std::string& into) {
  if (!present(object, field)) return {};
  if (!object[field].is_string()) return wrong(field, "a string");
  into = object[field].get<std::string>();
  return {};
}

Status read(const Json& object, const char* field, bool& into) {
  if (!present(object, field)) return {};
  if (!object[field].is_boolean()) return wrong(field, "true or false");
  into = object[field].get<bool>();
  return {};
}

Status read(const Json& object, const char* field, double& into) {
  if (!present(object, field)) return {};
  if (!object[field].is_number()) return wrong(field, "a number");
  into = object[field].get<double>();
  return {};
}

Status read(const Json& object, const char* field, std::vector<std::string>& into) {
  if (!present(object, field)) return {};
  if (!object[field].is_array()) return wrong(field, "an array of strings");
  for (const Json& one : object[field]) {
    if (!one.is_string()) return wrong(field, "an array of strings");
    into.push_back(one.get<std::string>());
  }
  return {};
}

Status read(const Json& object, const char* field, std::optional<Time>& into) {
  std::string text;
  WEFT_CHECK(read(object, field, text));
  if (text.empty()) return {};
  const auto time = parse_time(text);
  if (!time.ok()) return wrong(field, "a time such as 2026-03-01T09:30:00+08:00");
  into = *time;
  return {};
}

}  // namespace weft::fields
