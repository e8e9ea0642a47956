// Reads the bodies of the API's requests.
#include <nlohmann/json.hpp>

#include "surface/api/json.h"
#include "text/json.h"

namespace weft {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxTopK = 1000;

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

Status read(const Json& object, const char* field, std::optional<Time>& into) {
  std::string text;
  WEFT_CHECK(read(object, field, text));
  if (text.empty()) return {};
  const auto time = parse_time(text);
  if (!time.ok()) return wrong(field, "a time such as 2026-03-01T09:30:00+08:00");
  into = *time;
  return {};
}

Status read(const Json& object, const char* field, std::optional<SessionId>& into) {
  std::string text;
  WEFT_CHECK(read(object, field, text));
  if (text.empty()) return {};
  WEFT_CHECK(check_id(text, field));
  into = SessionId(text);
  return {};
}

Status read_kinds(const Json& object, std::vector<ItemKind>& into) {
  if (!present(object, "kinds")) return {};
  const auto& kinds = object["kinds"];
  if (!kinds.is_array()) return wrong("kinds", "an array of names");
  for (const auto& kind : kinds) {
    const auto known = kind.is_string() ? parse_item_kind(kind.get<std::string>()) : std::nullopt;
    if (!known) return wrong("kinds", "an array of \"message\", \"event\" and \"narrative\"");
    into.push_back(*known);
  }
  return {};
}

}  // namespace

Result<SearchRequest> parse_search_request(std::string_view text) {
  WEFT_TRY(const auto json, parse_object(text));
  SearchRequest out;
  WEFT_CHECK(read(json, "query", out.query));
  if (out.query.empty()) return wrong("query", "a string with what is searched");
  if (present(json, "top_k")) {
    const auto& top = json["top_k"];
    if (!top.is_number_unsigned() || top.get<std::uint64_t>() == 0 || top.get<std::uint64_t>() > kMaxTopK) {
      return wrong("top_k", "a whole number from 1 to " + std::to_string(kMaxTopK));
    }
    out.top_k = top.get<std::size_t>();
  }
  WEFT_CHECK(read_kinds(json, out.kinds));
  WEFT_CHECK(read(json, "from", out.from));
  WEFT_CHECK(read(json, "to", out.to));
  WEFT_CHECK(read(json, "session", out.session));
  WEFT_CHECK(read(json, "not_session", out.not_session));
  WEFT_CHECK(read(json, "recipe", out.recipe));
  return out;
}

Result<ContextRequest> parse_context_request(std::string_view text, const MessageLimits& limits) {
  ContextRequest out;
  if (text.empty()) return out;
  WEFT_TRY(const auto json, parse_object(text));
  WEFT_CHECK(read(json, "system", out.system));
  WEFT_CHECK(read(json, "input", out.input));
  WEFT_CHECK(read(json, "model", out.model));
  if (present(json, "window")) {
    if (!json["window"].is_number_unsigned()) return wrong("window", "a whole number of tokens");
    out.window = json["window"].get<std::int64_t>();
  }
  const char* field = present(json, "history") ? "history" : "messages";
  if (!present(json, field)) return out;
  WEFT_TRY(out.history, parse_messages(json_member(text, field), limits));
  return out;
}

Result<EraseRequest> parse_erase_request(std::string_view text) {
  WEFT_TRY(const auto json, parse_object(text));
  EraseRequest out;
  if (present(json, "everything")) {
    if (!json["everything"].is_boolean()) return wrong("everything", "true or false");
    out.everything = json["everything"].get<bool>();
  }
  WEFT_CHECK(read(json, "before", out.before));
  if (!present(json, "messages")) return out;
  if (!json["messages"].is_array()) return wrong("messages", "an array of ids");
  for (const auto& id : json["messages"]) {
    if (!id.is_string()) return wrong("messages", "an array of ids");
    out.messages.emplace_back(id.get<std::string>());
  }
  return out;
}

Result<std::vector<Message>> parse_observed(std::string_view text, const MessageLimits& limits) {
  WEFT_CHECK(check_json(text, {.max_bytes = text.size(), .max_depth = limits.max_depth + 2}, "the body"));
  const auto start = text.find_first_not_of(" \t\r\n");
  const bool is_object = start != std::string_view::npos && text[start] == '{';
  if (is_object && json_member(text, "messages").empty()) return parse_message(text, limits);
  return parse_messages(text, limits);
}

MessageLimits message_limits(const Config& config) {
  return {.max_bytes = static_cast<std::size_t>(config.limits.max_message_bytes),
          .max_depth = static_cast<std::size_t>(config.limits.max_depth),
          .max_tool_calls = static_cast<std::size_t>(config.limits.max_tool_calls)};
}

}  // namespace weft
