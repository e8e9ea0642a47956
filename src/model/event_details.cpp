#include "model/event_details.h"

#include <algorithm>

#include "model/records.h"
#include "text/instruction_like.h"
#include "text/words.h"
#include "weft/memory.h"

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

bool fits(const std::string& wanted, const std::string& there) { return wanted.empty() || wanted == there; }

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

bool EventFilter::empty() const {
  return request_id.empty() && request_type.empty() && user_id.empty() && group_id.empty() && sender_id.empty() &&
         location_abs.empty() && timezone.empty() && schema_version.empty() && !message && !end_seq && !has_new_info;
}

bool EventFilter::passes(const Item& item) const {
  if (empty()) return true;
  if (!item.event) return false;
  const EventDetails& event = *item.event;
  if (!fits(request_id, event.request_id) || !fits(request_type, event.request_type) || !fits(user_id, event.user_id) ||
      !fits(group_id, event.group_id) || !fits(sender_id, event.sender_id) || !fits(timezone, event.timezone) ||
      !fits(schema_version, event.schema_version))
    return false;
  if (!location_abs.empty() && normalize(event.location_abs).find(normalize(location_abs)) == std::string::npos)
    return false;
  if (message && std::find(event.message_ids.begin(), event.message_ids.end(), *message) == event.message_ids.end())
    return false;
  return (!end_seq || *end_seq == event.end_seq) && (!has_new_info || *has_new_info == event.has_new_info);
}

bool is_suspect(const Item& item) { return item.who == "tool" && reads_like_instructions(item.text); }

}  // namespace weft
