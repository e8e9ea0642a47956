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
               {"policy", report.policy},
               {"layout", report.layout},
               {"warn_at", report.warn_at},
               {"compact_at", report.compact_at},
               {"compaction", report.compaction},
               {"compaction_missing", report.compaction_missing},
               {"prefix_equal_bytes", report.prefix_equal_bytes},
               {"last_prompt_bytes", report.last_prompt_bytes},
               {"prefix_break", report.prefix_break},
               {"prompt_bytes", report.prompt_bytes}};
  json["sections"] = Json::array();
  for (const ReportSection& section : report.sections) {
    Json items = Json::array();
    for (const ReportItem& item : section.items) items.push_back(item_json(item));
    json["sections"].push_back({{"name", section.name},
                                {"share", section.share},
                                {"budget", section.budget},
                                {"tokens", section.tokens},
                                {"items", std::move(items)}});
  }
  json["timings_ms"] = Json::object();
  for (const auto& [name, ms] : report.timings_ms) json["timings_ms"][name] = ms;
  return json;
}

std::string write(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

std::string to_json(const ContextReport& report) { return write(report_json(report)); }

std::string to_json(const WovenContext& context, bool full) {
  Json json = {{"messages", Json::array()}};
  for (const Message& message : context.messages)
    json["messages"].push_back(Json::parse(full ? to_json(message) : to_chat_json(message), nullptr, false));
  if (!context.tools.empty()) json["tools"] = context.tools;
  if (context.plan) json["plan"] = Json::parse(to_json(*context.plan), nullptr, false);
  if (!context.skein.empty()) json["skein"] = context.skein;
  if (!context.answer.empty()) json["answer"] = context.answer;
  if (context.state_version > 0) json["state_version"] = context.state_version;
  json["report"] = report_json(context.report);
  return write(json);
}

}  // namespace weft
