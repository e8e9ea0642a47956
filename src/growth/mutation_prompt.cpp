#include "growth/mutation_prompt.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/prompts.h"
#include "growth/rule_words.h"
#include "model/growth_records.h"
#include "model/make_message.h"
#include "text/json_lookup.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
namespace {

using Json = nlohmann::json;

constexpr const char* kSchema = R"({"type":"object","required":["proposals"],"properties":{"proposals":{"type":"array",
"minItems":1,"maxItems":3,"items":{"type":"object","required":["change","reason","risk","validation"],"properties":{
"change":{"type":"string"},"reason":{"type":"string"},"risk":{"type":"string"},"validation":{"type":"string"},
"body":{"type":"string"},"steps":{"type":"array","items":{"type":"object","required":["action"],"properties":{
"action":{"type":"string"},"details":{"type":"string"},"tools":{"type":"array","items":{"type":"string"}}}}}}}}}})";
constexpr std::size_t kMostUses = 20, kMostTools = 60, kLongestTask = 300, kLongestText = 400, kMostSteps = 40;
constexpr std::size_t kMostProposals = 3;

// A model may answer with anything, whatever it was asked for.
std::string string_of(const Json& one, const char* name) {
  const auto at = one.find(name);
  return at != one.end() && at->is_string() ? at->get<std::string>() : std::string();
}

Json told(const Skill& skill, std::span<const SkillRun> uses, std::span<const ToolInfo> tools) {
  Json data;
  Skill shown = skill;
  shown.version_history.clear();
  data["current_skill"] = Json::parse(to_json(shown), nullptr, false);
  data["success_patterns"] = Json::array();
  data["failure_patterns"] = Json::array();
  std::map<std::string, int> reactions;
  for (const SkillRun& use : uses.last(std::min(uses.size(), kMostUses))) {
    Json one{{"task", preview(use.task, kLongestTask)}};
    if (!use.trouble.empty()) one["trouble"] = use.trouble;
    data[use.success ? "success_patterns" : "failure_patterns"].push_back(std::move(one));
    if (use.reaction != UserReaction::kNone) ++reactions[std::string(to_string(use.reaction))];
  }
  data["feedback_trends"] = reactions;
  for (const ToolInfo& tool : tools.first(std::min(tools.size(), kMostTools)))
    data["tools"].push_back({{"name", tool.name}, {"description", preview(tool.description, kLongestTask)}});
  return data;
}

bool read_steps(const Json& given, const std::set<std::string>& tools, std::vector<SkillStep>& into) {
  if (!given.is_array() || given.empty() || given.size() > kMostSteps) return false;
  for (const Json& one : given) {
    if (!one.is_object()) return false;
    SkillStep step{string_of(one, "action"), string_of(one, "details"), {}};
    if (step.action.empty()) return false;
    if (const auto named = one.find("tools"); named != one.end() && named->is_array())
      for (const Json& tool : *named) {
        if (!tool.is_string() || !tools.contains(tool.get<std::string>())) return false;
        step.tools.push_back(tool.get<std::string>());
      }
    into.push_back(std::move(step));
  }
  return true;
}

// Empty where the proposal is none.
std::vector<Proposal> read_proposal(const Json& one, const Skill& skill, const std::set<std::string>& tools) {
  if (!one.is_object()) return {};
  Proposal made;
  made.change = preview(string_of(one, "change"), kLongestText);
  made.reason = preview(string_of(one, "reason"), kLongestText);
  made.risk = preview(string_of(one, "risk"), kLongestText);
  made.validation = preview(string_of(one, "validation"), kLongestText);
  made.variant = skill;
  std::string text = made.change;
  if (!skill.steps.empty()) {
    made.variant.steps.clear();
    const auto steps = one.find("steps");
    if (steps == one.end() || !read_steps(*steps, tools, made.variant.steps)) return {};
    for (const SkillStep& step : made.variant.steps) text += "\n" + step.action + "\n" + step.details;
  } else {
    made.variant.body = string_of(one, "body");
    text += "\n" + made.variant.body;
  }
  if (made.change.empty() || to_json(made.variant) == to_json(skill) || loosens_safety(text)) return {};
  made.type = type_of_change(skill, made.variant);
  return {made};
}

}  // namespace

ModelProposals model_proposals(ChatModel& model, const Skill& skill, std::span<const SkillRun> uses,
                               std::span<const ToolInfo> tools, const Deadline& deadline) {
  ModelProposals found;
  const Json data = told(skill, uses, tools);
  const bool chinese = language_of(skill.description + skill.name) == Language::kChinese;
  const Prompt prompt = shipped_prompt("mutation", chinese ? "zh" : "en");
  found.prompt = prompt.id;
  std::string text(prompt.text);
  const auto good = std::count_if(uses.begin(), uses.end(), [](const SkillRun& use) { return use.success; });
  const std::string rate = uses.empty() ? "?" : std::to_string(100 * good / static_cast<std::int64_t>(uses.size()));
  if (const auto at = text.find("{success_rate}"); at != std::string::npos) text.replace(at, 14, rate);
  ChatRequest request;
  request.json_schema = kSchema;
  request.max_tokens = 3072;
  request.messages = {make_message(Role::kSystem, std::move(text)),
                      make_message(Role::kUser, data.dump(1, ' ', false, Json::error_handler_t::replace))};
  const auto reply = model.complete(request, deadline);
  if (!reply.ok()) {
    found.failed = reply.error().message;
    return found;
  }
  const Json answer = lenient_json<Json>(reply->message.content);
  if (!answer.is_object() || !answer.contains("proposals") || !answer["proposals"].is_array()) {
    found.failed = "the answer is no object with proposals";
    return found;
  }
  std::set<std::string> known;
  for (const ToolInfo& tool : tools) known.insert(tool.name);
  for (const SkillStep& step : skill.steps) known.insert(step.tools.begin(), step.tools.end());
  for (const Json& one : answer["proposals"])
    for (Proposal& proposal : read_proposal(one, skill, known))
      if (found.proposals.size() < kMostProposals) found.proposals.push_back(std::move(proposal));
  if (found.proposals.empty()) found.failed = "none of its proposals could be used";
  return found;
}

}  // namespace weft
