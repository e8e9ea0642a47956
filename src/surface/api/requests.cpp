// Reads the bodies of the API's requests.
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "surface/api/event_filter.h"
#include "surface/api/fields.h"
#include "surface/api/json.h"
#include "text/json.h"
#include "text/time_bounds.h"

namespace weft {
namespace {

using namespace fields;  // NOLINT: the parts of this very thing

constexpr std::size_t kMaxTopK = 1000;

Status read_session(const Json& object, const char* field, std::optional<SessionId>& into) {
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

// Times to search by, as people say them: "2026-03-01", "last week", 三月.
Status read_times(const Json& object, SearchRequest& into) {
  WEFT_CHECK(read(object, "asked", into.asked));
  const Time now = into.asked.value_or(SystemClock().now());
  const auto bounds = [&](const char* field) -> Result<TimeBounds> {
    std::string text;
    WEFT_CHECK(read(object, field, text));
    if (text.empty()) return TimeBounds{};
    auto found = read_time_bounds(text, now);
    if (!found.ok())
      return invalid_argument(std::string("\"") + field + "\": " + found.error().message, found.error().hint);
    return found;
  };
  WEFT_TRY(const TimeBounds from, bounds("from"));
  WEFT_TRY(const TimeBounds to, bounds("to"));
  WEFT_TRY(const TimeBounds as_of, bounds("as_of"));
  into.from = from.from;
  into.to = to.to;
  into.as_of = as_of.to ? as_of.to : as_of.from;
  if (into.from && into.to && *into.to < *into.from) return wrong("to", "no earlier than \"from\"");
  return {};
}

}  // namespace

Result<SearchRequest> parse_search_request(std::string_view text) {
  WEFT_TRY(const auto json, parse_object(text));
  WEFT_CHECK(check_names(json, {"query", "top_k", "kinds", "from", "to", "session", "not_session", "recipe", "compact",
                                "where", "as_of", "asked"}));
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
  WEFT_CHECK(read_times(json, out));
  WEFT_CHECK(read_session(json, "session", out.session));
  WEFT_CHECK(read_session(json, "not_session", out.not_session));
  WEFT_CHECK(read(json, "recipe", out.recipe));
  WEFT_TRY(out.events, parse_event_filter(json_member(text, "where")));
  return out;
}

Result<bool> wants_compact(std::string_view text) {
  WEFT_TRY(const auto json, parse_object(text));
  if (!present(json, "compact")) return false;
  if (!json["compact"].is_boolean()) return wrong("compact", "true or false");
  return json["compact"].get<bool>();
}

Result<EraseRequest> parse_erase_request(std::string_view text) {
  WEFT_TRY(const auto json, parse_object(text));
  WEFT_CHECK(check_names(json, {"everything", "messages", "before", "session"}));
  EraseRequest out;
  if (present(json, "everything")) {
    if (!json["everything"].is_boolean()) return wrong("everything", "true or false");
    out.everything = json["everything"].get<bool>();
  }
  WEFT_CHECK(read(json, "before", out.before));
  std::optional<SessionId> session;
  WEFT_CHECK(read_session(json, "session", session));
  out.session = session.value_or(SessionId());
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
  if (is_object)
    for (const auto& [name, value] : json_members(text)) WEFT_CHECK(check_name(name, {"messages", "system"}));
  return parse_messages(text, limits);
}

MessageLimits message_limits(const Config& config) {
  return {.max_bytes = static_cast<std::size_t>(config.limits.max_message_bytes),
          .max_depth = static_cast<std::size_t>(config.limits.max_depth),
          .max_tool_calls = static_cast<std::size_t>(config.limits.max_tool_calls)};
}

}  // namespace weft
