#include "eval/write_gate.h"

#include <nlohmann/json.hpp>
#include <optional>

#include "eval/json_lines.h"
#include "flow/historian/write_gate.h"
#include "text/json.h"

namespace weft {
namespace {

using Json = nlohmann::json;

constexpr std::array kReasons = {Refusal::kEmptyTalk, Refusal::kDuplicate, Refusal::kEcho, Refusal::kLoop};

struct LabelledText {
  std::string id, language, text;
  std::optional<Refusal> junk;  // empty: a fact
  std::vector<std::string> recalled, recent;
  std::int64_t day = 0;
};

std::optional<Refusal> reason_of(const std::string& name) {
  for (const Refusal reason : kReasons) {
    if (name == to_string(reason)) return reason;
  }
  return std::nullopt;
}

Result<LabelledText> read_text(const Json& json) {
  try {
    LabelledText labelled;
    labelled.id = json.at("id").get<std::string>();
    labelled.language = json.value("lang", "");
    labelled.text = json.at("text").get<std::string>();
    labelled.recalled = json.value("recalled", std::vector<std::string>{});
    labelled.recent = json.value("recent", std::vector<std::string>{});
    labelled.day = json.value("day", std::int64_t{0});
    const auto kind = json.at("kind").get<std::string>();
    if (kind == "fact") return labelled;
    if (kind != "junk") return invalid_argument("unknown kind '" + kind + "'", "use \"fact\" or \"junk\"");
    const auto reason = json.at("reason").get<std::string>();
    labelled.junk = reason_of(reason);
    if (!labelled.junk)
      return invalid_argument("unknown reason '" + reason + "'", "use empty_talk, duplicate, echo or loop");
    return labelled;
  } catch (const Json::exception& error) {
    return invalid_argument(error.what(), R"(each line needs "id", "text", "kind", and "reason" for junk)");
  }
}

void count(const LabelledText& labelled, const std::optional<Refused>& refused, GateEvalReport& report) {
  const bool wrong = labelled.junk.has_value() != refused.has_value();
  for (GateEvalReport::Counts* counts : {&report.all, &report.by_language[labelled.language]}) {
    ++(labelled.junk ? counts->junk : counts->facts);
    if (wrong) ++(labelled.junk ? counts->junk_let_in : counts->facts_refused);
  }
  if (labelled.junk) {
    auto& reason = report.by_reason[static_cast<std::size_t>(*labelled.junk)];
    ++reason.junk;
    reason.let_in += wrong ? 1 : 0;
  } else if (wrong) {
    ++report.by_reason[static_cast<std::size_t>(refused->reason)].facts_refused;
  }
  if (wrong) report.wrong.push_back(labelled.id);
}

Status judge_file(const std::string& path, GateEvalReport& report) {
  DuplicateIndex known;
  return each_json_line(path, [&](const Json& json, std::size_t) -> Status {
    WEFT_TRY(const LabelledText labelled, read_text(json));
    GateContext context;
    context.known = &known;
    context.recent = labelled.recent;
    context.recalled = &labelled.recalled;
    context.day = labelled.day;
    const auto refused = judge(labelled.text, context);
    if (!refused) known.add(labelled.id, labelled.text, labelled.day);
    count(labelled, refused, report);
    return {};
  });
}

nlohmann::ordered_json counts_json(const GateEvalReport::Counts& counts) {
  nlohmann::ordered_json json;
  json["facts"] = counts.facts;
  json["facts_refused"] = counts.facts_refused;
  json["junk"] = counts.junk;
  json["junk_let_in"] = counts.junk_let_in;
  return json;
}

}  // namespace

Result<GateEvalReport> eval_write_gate(const std::vector<std::string>& files) {
  GateEvalReport report;
  for (const auto& path : files) WEFT_CHECK(judge_file(path, report));
  return report;
}

std::string to_json(const GateEvalReport& report) {
  nlohmann::ordered_json json = counts_json(report.all);
  for (const Refusal reason : kReasons) {
    const auto& counts = report.by_reason[static_cast<std::size_t>(reason)];
    auto& entry = json["by_reason"][to_string(reason)];
    entry["junk"] = counts.junk;
    entry["let_in"] = counts.let_in;
    entry["facts_refused"] = counts.facts_refused;
  }
  json["by_language"] = nlohmann::ordered_json::object();
  for (const auto& [language, counts] : report.by_language) json["by_language"][language] = counts_json(counts);
  json["wrong"] = report.wrong;
  return write_json(json);
}

}  // namespace weft
