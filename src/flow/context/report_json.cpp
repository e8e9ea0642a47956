#include <nlohmann/json.hpp>

#include "weft/context.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

Json item_json(const ReportItem& item) {
  return {{"id", item.id},     {"source", item.source}, {"score", item.score},    {"tokens", item.tokens},
          {"kept", item.kept}, {"why", item.why},       {"preview", item.preview}};
}

Json report_json(const ContextReport& report) {
  Json json = {{"window", report.window},
               {"usable", report.usable},
               {"tokens", report.tokens},
               {"token_mode", report.token_mode},
               {"by", report.by},
               {"prefix_equal_bytes", report.prefix_equal_bytes},
               {"prompt_bytes", report.prompt_bytes}};
  json["sections"] = Json::array();
  for (const ReportSection& section : report.sections) {
    Json items = Json::array();
    for (const ReportItem& item : section.items) items.push_back(item_json(item));
    json["sections"].push_back(
        {{"name", section.name}, {"budget", section.budget}, {"tokens", section.tokens}, {"items", std::move(items)}});
  }
  json["timings_ms"] = Json::object();
  for (const auto& [name, ms] : report.timings_ms) json["timings_ms"][name] = ms;
  return json;
}

std::string write(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

std::string to_json(const ContextReport& report) { return write(report_json(report)); }

std::string to_json(const WovenContext& context) {
  Json json = {{"messages", Json::array()}};
  for (const Message& message : context.messages)
    json["messages"].push_back(Json::parse(to_json(message), nullptr, false));
  json["report"] = report_json(context.report);
  return write(json);
}

}  // namespace weft
