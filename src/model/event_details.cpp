#include "model/event_details.h"

#include "model/records.h"

namespace weft {
namespace {

bool is_object(std::string_view text) {
  return text.starts_with('{') && check_json(text, {.max_bytes = text.size()}, "details").ok();
}

std::optional<EventDetails> details_of(std::string_view object) {
  if (json_member(object, "schema_version").empty()) return std::nullopt;
  EventDetails details;
  if (!record<EventDetails>().read(object, "", details).ok()) return std::nullopt;
  return details;
}

std::string sender_json(const UserId& sender) {
  JsonWriter out;
  out.begin('{');
  out.name("sender_id");
  out.text(sender.str());
  out.end('}');
  return out.take();
}

}  // namespace

std::string kept_details(const Item& item) {
  std::string json = item.event ? to_json(*item.event) : std::string();
  if (!item.event && !item.sender_id.empty()) json = sender_json(item.sender_id);
  if (item.writing == Writing()) return json;
  const std::string writing = "\"writing\":" + to_json(item.writing) + "}";
  if (json.empty()) return "{" + writing;
  json.back() = ',';
  return json + writing;
}

void take_details(std::string_view kept, Item& item) {
  if (!is_object(kept)) return;
  item.event = details_of(kept);
  if (!item.event) item.sender_id = UserId(json_text(json_member(kept, "sender_id")).value_or(""));
  if (const std::string_view writing = json_member(kept, "writing"); writing.starts_with('{'))
    if (!record<Writing>().read(writing, "writing", item.writing).ok()) item.writing = {};
}

}  // namespace weft
