#include "model/event_details.h"

#include <nlohmann/json.hpp>

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

std::string to_json(const EventDetails& details) {
  Json json = {{"request_id", details.request_id},
               {"end_seq", details.end_seq},
               {"timestamp_utc", details.timestamp_utc},
               {"timestamp_local", details.timestamp_local},
               {"timezone", details.timezone},
               {"location_abs", details.location_abs},
               {"request_type", details.request_type},
               {"user_id", details.user_id},
               {"group_id", details.group_id},
               {"sender_id", details.sender_id},
               {"message_ids", Json::array()},
               {"has_new_info", details.has_new_info},
               {"schema_version", details.schema_version},
               {"did_what", details.did_what},
               {"new_info", details.new_info}};
  for (const MessageId& id : details.message_ids) json["message_ids"].push_back(id.str());
  if (details.degraded) {
    json["degraded"] = true;
    json["degraded_why"] = details.degraded_why;
  }
  if (details.valid_until) json["valid_until"] = format_time(*details.valid_until);
  if (!details.supersedes.empty()) json["supersedes"] = details.supersedes.str();
  if (!details.superseded_by.empty()) json["superseded_by"] = details.superseded_by.str();
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<EventDetails> read_details(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  const auto field = [&json](const char* name) {
    const auto at = json.find(name);
    return at != json.end() && at->is_string() ? at->get<std::string>() : std::string();
  };
  EventDetails details;
  details.request_id = field("request_id");
  details.end_seq = json.value("end_seq", std::int64_t{0});
  details.timestamp_utc = field("timestamp_utc");
  details.timestamp_local = field("timestamp_local");
  details.timezone = field("timezone");
  details.location_abs = field("location_abs");
  details.request_type = field("request_type");
  details.user_id = field("user_id");
  details.group_id = field("group_id");
  details.sender_id = field("sender_id");
  for (const Json& id : json.value("message_ids", Json::array()))
    if (id.is_string()) details.message_ids.emplace_back(id.get<std::string>());
  details.has_new_info = json.value("has_new_info", false);
  details.schema_version = field("schema_version");
  details.did_what = field("did_what");
  details.new_info = field("new_info");
  details.degraded = json.value("degraded", false);
  details.degraded_why = field("degraded_why");
  if (const auto until = parse_time(field("valid_until")); until.ok()) details.valid_until = *until;
  details.supersedes = ItemId(field("supersedes"));
  details.superseded_by = ItemId(field("superseded_by"));
  return details;
}

}  // namespace weft
