#include <algorithm>

#include "text/words.h"
#include "weft/memory.h"

namespace weft {
namespace {

bool fits(const std::string& wanted, const std::string& there) { return wanted.empty() || wanted == there; }

}  // namespace

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

}  // namespace weft
