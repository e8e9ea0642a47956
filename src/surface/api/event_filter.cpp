#include "surface/api/event_filter.h"

#include <charconv>
#include <nlohmann/json.hpp>

namespace weft {
namespace {

using Json = nlohmann::json;

std::string known_names() {
  std::string names;
  for (const std::string_view name : event_filter_names()) names += (names.empty() ? "" : ", ") + std::string(name);
  return names;
}

std::string* text_field(EventFilter& filter, std::string_view name) {
  if (name == "request_id") return &filter.request_id;
  if (name == "request_type") return &filter.request_type;
  if (name == "user_id") return &filter.user_id;
  if (name == "group_id") return &filter.group_id;
  if (name == "sender_id") return &filter.sender_id;
  if (name == "location_abs") return &filter.location_abs;
  if (name == "timezone") return &filter.timezone;
  if (name == "schema_version") return &filter.schema_version;
  return nullptr;
}

}  // namespace

const std::vector<std::string_view>& event_filter_names() {
  static const std::vector<std::string_view> names{"request_id", "end_seq",      "request_type",  "user_id",
                                                   "group_id",   "sender_id",    "message_id",    "location_abs",
                                                   "timezone",   "has_new_info", "schema_version"};
  return names;
}

Status set_event_filter(EventFilter& filter, std::string_view name, const std::string& value) {
  if (std::string* text = text_field(filter, name)) {
    *text = value;
    if (name == "request_type" && value != "group" && value != "private")
      return invalid_argument("\"request_type\" is \"" + value + "\"", "it is \"group\" or \"private\"");
    return {};
  }
  if (name == "message_id") {
    filter.message = MessageId(value);
    return {};
  }
  if (name == "has_new_info") {
    if (value != "true" && value != "false") return invalid_argument("\"has_new_info\" must be true or false");
    filter.has_new_info = value == "true";
    return {};
  }
  if (name == "end_seq") {
    std::int64_t number = 0;
    const auto [end, failed] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (failed != std::errc() || end != value.data() + value.size())
      return invalid_argument("\"end_seq\" must be a whole number");
    filter.end_seq = number;
    return {};
  }
  return invalid_argument("events have no metadata \"" + std::string(name) + "\"",
                          "they have " + known_names() + "; their time is bounded by from and to");
}

Result<EventFilter> parse_event_filter(std::string_view json) {
  EventFilter filter;
  if (json.empty()) return filter;
  const Json object = Json::parse(json, nullptr, false);
  if (object.is_null()) return filter;
  if (!object.is_object())
    return invalid_argument("\"where\" must be an object of metadata", "such as {\"sender_id\": \"ann\"}");
  for (const auto& [name, value] : object.items()) {
    if (value.is_null()) continue;
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    if (value.is_structured()) return invalid_argument("\"" + name + "\" must be a text, a number, true or false");
    WEFT_CHECK(set_event_filter(filter, name, text));
  }
  return filter;
}

}  // namespace weft
