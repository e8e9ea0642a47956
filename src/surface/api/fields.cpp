#include "surface/api/fields.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/edit_distance.h"
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

Status check_name(std::string_view name, std::initializer_list<std::string_view> known, std::string_view where) {
  if (where.empty() && (name == "user" || name == "metadata" || name == "world")) return {};
  if (std::find(known.begin(), known.end(), name) != known.end()) return {};
  std::string_view nearest;
  std::size_t least = std::max<std::size_t>(3, name.size() / 3 + 1);
  std::string all;
  for (const std::string_view one : known) {
    all += (all.empty() ? "" : ", ") + std::string(one);
    if (const auto away = edit_distance(one, name.substr(0, 80)); away < least) least = away, nearest = one;
  }
  const std::string shown = std::string(where) + std::string(name.substr(0, 80));
  std::string hint = nearest.empty() ? "" : "did you mean \"" + std::string(nearest) + "\"? ";
  hint += all.empty() ? "no fields are read here" : "fields: " + all;
  return invalid_argument("there is no field \"" + shown + "\"", hint);
}

Status check_names(const Json& object, std::initializer_list<std::string_view> known, std::string_view where) {
  for (const auto& [name, value] : object.items()) WEFT_CHECK(check_name(name, known, where));
  return {};
}

Status check_no_fields(std::string_view body) {
  if (body.find_first_not_of(" \t\r\n") == std::string_view::npos) return {};
  WEFT_TRY(const auto json, parse_object(body));
  return check_names(json, {});
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
