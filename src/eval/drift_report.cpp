#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "eval/drift.h"
#include "text/json.h"
#include "text/utf8.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const std::map<std::string, Kept>& all) {
  Json json = Json::object();
  for (const auto& [name, kept] : all) json[name] = {{"total", kept.total}, {"kept", kept.kept}};
  return json;
}

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", 100 * share);
  return text;
}

std::string row(const std::string& name, const Kept& kept) {
  return "    " + name + ": " + std::to_string(kept.kept) + " of " + std::to_string(kept.total) + "\n";
}

}  // namespace

std::vector<std::string> missed(const DriftReport& report, const DriftOptions& options) {
  std::vector<std::string> all;
  const auto check = [&all](const char* name, double share, double least) {
    if (share < least) all.push_back(std::string(name) + " " + percent(share) + ", below " + percent(least));
  };
  check("anchor retention", report.anchor_retention(), options.min_anchors);
  check("probe consistency", report.probe_consistency(), options.min_probes);
  check("progress", report.turns.share(), options.min_progress);
  if (report.decisions_reversed > 0) all.push_back("decisions reversed: " + std::to_string(report.decisions_reversed));
  if (report.safety_violations > options.max_violations)
    all.push_back("safety violations: " + std::to_string(report.safety_violations));
  if (report.failed > 0) all.push_back("compactions failed: " + std::to_string(report.failed));
  return all;
}

std::string to_json(const DriftReport& report) {
  Json json;
  json["traces"] = report.traces;
  json["anchor_retention"] = report.anchor_retention();
  json["probe_consistency"] = report.probe_consistency();
  json["progress"] = report.turns.share();
  json["safety_violations"] = report.safety_violations;
  json["tokens"] = {{"before", report.tokens_before}, {"after", report.tokens_after}};
  json["by"] = to_string(report.by);
  json["skipped"] = report.skipped;
  json["failed"] = report.failed;
  json["anchors"] = json_of(report.anchors);
  json["probes"] = json_of(report.probes);
  json["unanswerable"] = report.unanswerable;
  json["turns"] = {{"total", report.turns.total}, {"kept", report.turns.kept}};
  json["values_lost"] = report.values_lost;
  json["decisions_reversed"] = report.decisions_reversed;
  json["reduce_ms"] = report.reduce_ms;
  json["lost"] = report.lost;
  return write_json(json);
}

std::string to_text(const DriftReport& report, const DriftOptions& options) {
  std::string text = std::to_string(report.traces) + " sessions, " + std::to_string(report.skipped) +
                     " too short; tokens " + std::to_string(report.tokens_before) + " → " +
                     std::to_string(report.tokens_after) + "; answers by " + std::string(to_string(report.by)) + "\n";
  text += "  anchor retention   " + percent(report.anchor_retention()) + " (of the origin that lost most)\n";
  for (const auto& [name, kept] : report.anchors) text += row(name, kept);
  text += "  probe consistency  " + percent(report.probe_consistency()) + "\n";
  for (const auto& [name, kept] : report.probes) text += row(name, kept);
  text += "  progress           " + percent(report.turns.share()) + " of the next steps\n";
  text += "    values to ask again: " + std::to_string(report.values_lost) +
          ", decisions reversed: " + std::to_string(report.decisions_reversed) + "\n";
  text += "  safety violations  " + std::to_string(report.safety_violations) + "\n";
  constexpr std::size_t kShown = 20, kWidth = 110;
  for (std::size_t i = 0; i < std::min(kShown, report.lost.size()); ++i)
    text += "  lost  " + preview(report.lost[i], kWidth) + "\n";
  if (report.lost.size() > kShown) text += "  …\n";
  const auto thresholds = missed(report, options);
  for (const auto& threshold : thresholds) text += "missed: " + threshold + "\n";
  return text + (thresholds.empty() ? "passed\n" : "");
}

}  // namespace weft
