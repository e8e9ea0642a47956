#include "flow/compaction/probes.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "base/strings.h"
#include "text/json.h"

namespace weft {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kTogether = 30;  // words to either side within which the facts of one answer stand

Result<ProbeKind> kind_of(const std::string& name) {
  for (const ProbeKind kind : {ProbeKind::kSafety, ProbeKind::kPreference, ProbeKind::kTask})
    if (name == to_string(kind)) return kind;
  return invalid_argument("unknown kind '" + name + "'", "use safety, preference or task");
}

Result<Probe> probe_of(const Json& json) {
  try {
    Probe probe;
    probe.id = json.at("id").get<std::string>();
    WEFT_TRY(probe.kind, kind_of(json.at("kind").get<std::string>()));
    probe.question = json.at("question").get<std::string>();
    for (const Json& fact : json.at("expected"))
      probe.expected.push_back(fact.is_string() ? std::vector{fact.get<std::string>()}
                                                : fact.get<std::vector<std::string>>());
    probe.lang = json.value("lang", "");
    if (probe.lang.empty()) probe.lang = language_of(probe.question) == Language::kChinese ? "zh" : "en";
    probe.forbidden = json.value("forbidden", std::vector<std::string>{});
    probe.trace = json.value("trace", "");
    if (probe.id.empty() || probe.question.empty())
      return invalid_argument("\"id\" and \"question\" must not be empty");
    if (probe.expected.empty()) return invalid_argument("\"expected\" is empty", "name at least one fact");
    for (const auto& wordings : probe.expected)
      if (std::none_of(wordings.begin(), wordings.end(), [](const auto& text) { return !make_claim(text).empty(); }))
        return invalid_argument("a fact of \"expected\" has no word to look for");
    return probe;
  } catch (const Json::exception& error) {
    return invalid_argument(error.what(), R"(each line needs "id", "kind", "question" and "expected")");
  }
}

std::vector<std::vector<Claim>> claims_of(const Probe& probe) {
  std::vector<std::vector<Claim>> facts;
  for (const auto& wordings : probe.expected) {
    auto& claims = facts.emplace_back();
    for (const std::string& wording : wordings) claims.push_back(make_claim(wording));
  }
  return facts;
}

}  // namespace

std::string_view to_string(ProbeKind kind) {
  switch (kind) {
    case ProbeKind::kSafety: return "safety";
    case ProbeKind::kPreference: return "preference";
    case ProbeKind::kTask: return "task";
  }
  return "task";
}

Result<std::vector<Probe>> parse_probes(std::string_view jsonl, std::string_view name) {
  std::vector<Probe> probes;
  std::unordered_set<std::string> ids;
  std::size_t number = 0;
  for (const std::string_view line : lines_of(jsonl)) {
    ++number;
    if (trimmed(line).empty()) continue;
    const std::string where = std::string(name) + ":" + std::to_string(number);
    WEFT_TRY(const Json json, read_json(line, {}, where));
    auto probe = probe_of(json);
    if (!probe.ok()) return invalid_argument(where + ": " + probe.error().message, probe.error().hint);
    if (!ids.insert(probe->id).second) return invalid_argument(where + ": the id '" + probe->id + "' is there twice");
    probes.push_back(std::move(*probe));
  }
  if (probes.empty()) return invalid_argument(std::string(name) + ": no probe in it", "one JSON object a line");
  return probes;
}

bool probe_violated(const Probe& probe, const StatedText& context) {
  return std::any_of(probe.forbidden.begin(), probe.forbidden.end(),
                     [&](const std::string& text) { return context.says(make_claim(text)); });
}

bool probe_answered(const Probe& probe, const StatedText& context) {
  return context.says_together(claims_of(probe), kTogether) && !probe_violated(probe, context);
}

bool answer_is_right(const Probe& probe, std::string_view answer) {
  const StatedText read(answer);
  for (const auto& claims : claims_of(probe))
    if (std::none_of(claims.begin(), claims.end(), [&](const Claim& claim) { return read.says(claim); })) return false;
  return !probe_violated(probe, read);
}

}  // namespace weft
