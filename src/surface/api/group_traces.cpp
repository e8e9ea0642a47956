// What of a user stands in groups, and forgetting it there.
#include "surface/api/group_traces.h"

#include <nlohmann/json.hpp>

#include "surface/api/handlers.h"
#include "surface/api/json.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;
using http::Request;
using http::ResponseWriter;

Result<std::string> told(Engine& engine, const Request& request, const ResponseWriter& out) {
  WEFT_TRY(const auto context, context_of(engine, request, out));
  WEFT_TRY(const auto traces, engine.group_traces(context));
  return to_json(traces);
}

Result<std::string> forgotten(Engine& engine, const Request& request, const ResponseWriter& out) {
  WEFT_TRY(const auto context, context_of(engine, request, out));
  WEFT_TRY(const auto receipts, engine.erase_in_groups(context));
  std::string json;
  for (const EraseReceipt& receipt : receipts) json += (json.empty() ? "" : ",") + to_json(receipt);
  return "{\"receipts\":[" + json + "]}";
}

}  // namespace

std::string to_json(const std::vector<GroupTrace>& traces) {
  Json json = {{"groups", Json::array()}};
  for (const GroupTrace& trace : traces)
    json["groups"].push_back(
        {{"group_id", trace.group_id}, {"events", trace.events}, {"messages", trace.messages.size()}});
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void add_group_traces_api(http::Router& router, Engine& engine) {
  add_handler(router, engine, "GET", "/v1/erase/groups", told);
  add_handler(router, engine, "POST", "/v1/erase/groups", forgotten);
}

}  // namespace weft
