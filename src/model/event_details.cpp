#include "model/event_details.h"

#include <nlohmann/json.hpp>

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json object_of(const EventDetails& details) {
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
  if (!details.attribute.empty()) json["attribute"] = details.attribute;
  if (!details.quote.empty()) json["quote"] = details.quote;
  return json;
}

Json object_of(const Writing& writing) {
  Json json = Json::object();
  for (const TextSpan& span : writing.annotations) json["annotations"].push_back({span.begin, span.end});
  if (!writing.model.empty()) json["model"] = writing.model;
  if (!writing.prompt.empty()) json["prompt"] = writing.prompt;
  return json;
}

Writing writing_of(const Json& json) {
  Writing writing;
  if (!json.is_object()) return writing;
  for (const Json& span : json.value("annotations", Json::array()))
    if (span.is_array() && span.size() == 2 && span[0].is_number_unsigned() && span[1].is_number_unsigned())
      writing.annotations.push_back({span[0].get<std::size_t>(), span[1].get<std::size_t>()});
  const auto text = [&json](const char* name) {
    const auto at = json.find(name);
    return at != json.end() && at->is_string() ? at->get<std::string>() : std::string();
  };
  writing.model = text("model");
  writing.prompt = text("prompt");
  return writing;
}

std::optional<EventDetails> details_of(const Json& json) {
  if (!json.is_object() || !json.contains("schema_version")) return std::nullopt;
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
  details.attribute = field("attribute");
  details.quote = field("quote");
  return details;
}

}  // namespace

std::string to_json(const EventDetails& details) { return dumped(object_of(details)); }

std::string to_json(const Writing& writing) { return dumped(object_of(writing)); }

std::optional<EventDetails> read_details(std::string_view text) {
  return text.empty() ? std::nullopt : details_of(Json::parse(text, nullptr, false));
}

std::string kept_details(const Item& item) {
  Json json = item.event ? object_of(*item.event) : Json::object();
  if (Json writing = object_of(item.writing); !writing.empty()) json["writing"] = std::move(writing);
  return json.empty() ? std::string() : dumped(json);
}

void take_details(std::string_view kept, Item& item) {
  if (kept.empty()) return;
  const Json json = Json::parse(kept, nullptr, false);
  item.event = details_of(json);
  if (json.is_object() && json.contains("writing")) item.writing = writing_of(json["writing"]);
}

}  // namespace weft
