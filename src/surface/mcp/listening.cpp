#include "surface/mcp/listening.h"

#include "surface/mcp/protocol.h"

namespace weft::mcp {
namespace {

constexpr std::size_t kMostUris = 256;  // of one stream: each is looked at again and again

}  // namespace

Result<Listening> listening_of(const Value& params) {
  const Value* wanted = params.find("notifications");
  if (wanted == nullptr || wanted->object() == nullptr) return invalid_argument("\"notifications\" is missing");
  Listening out;
  ValueObject acknowledged;
  if (const Value* list = wanted->find("resourcesListChanged"); list != nullptr && *list == Value(true)) {
    out.interest.list = true;
    acknowledged.emplace_back("resourcesListChanged", true);
  }
  if (const Value* uris = wanted->find("resourceSubscriptions"); uris != nullptr && uris->list() != nullptr) {
    if (uris->list()->size() > kMostUris)
      return invalid_argument("at most " + std::to_string(kMostUris) + " resources can be listened to at once");
    for (const Value& uri : *uris->list()) {
      if (uri.text() == nullptr) return invalid_argument("\"resourceSubscriptions\" must be texts");
      out.interest.uris.push_back(*uri.text());
    }
    acknowledged.emplace_back("resourceSubscriptions", *uris);
  }
  out.acknowledged = std::move(acknowledged);
  return out;
}

Value of_stream(const Value& params, const std::string& id) {
  ValueObject out = params.object() == nullptr ? ValueObject() : *params.object();
  out.emplace_back("_meta", ValueObject{{std::string(kMetaSubscription), parse_value(id).value_or(Value(id))}});
  return out;
}

std::string acknowledgement(const Listening& listening, const std::string& id) {
  return notification_message("notifications/subscriptions/acknowledged",
                              of_stream(ValueObject{{"notifications", listening.acknowledged}}, id));
}

Value end_of_stream(const std::string& id) {
  return finished({Revision::k2026_07_28, false, std::nullopt}, of_stream(Value(), id));
}

}  // namespace weft::mcp
