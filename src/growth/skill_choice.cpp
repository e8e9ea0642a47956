#include "growth/skill_choice.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/prompts.h"
#include "growth/skill_match.h"
#include "model/message_reader.h"
#include "text/json.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
namespace {

using Json = nlohmann::json;

constexpr const char* kSchema =
    R"({"type":"object","required":["skills"],"properties":{"skills":{"type":"array","maxItems":5,
"items":{"type":"string"}}}})";
// How much of a skill is shown: characters of each text, and how many conditions.
constexpr std::size_t kShownText = 300, kShownConditions = 6;
constexpr std::size_t kLongestTask = 2000, kAnswerBytes = 16 * 1024;
constexpr std::int64_t kAnswerTokens = 256;

Json told(const Skill& skill) {
  Json one{{"id", skill.skill_id}, {"name", preview(skill.name, kShownText)}, {"when", Json::array()}};
  one["what"] = preview(skill.description, kShownText);
  for (const std::string& condition : skill.trigger_conditions)
    if (one["when"].size() < kShownConditions) one["when"].push_back(preview(condition, kShownText));
  return one;
}

ChatRequest request_for(std::string_view question, std::string_view task, std::span<const SkillMatch> ranked) {
  Json data{{"task", preview(task, kLongestTask)}, {"procedures", Json::array()}};
  for (const SkillMatch& match : ranked) data["procedures"].push_back(told(match.skill));
  ChatRequest request;
  request.json_schema = kSchema;
  request.max_tokens = kAnswerTokens;
  request.messages = {make_message(Role::kSystem, std::string(question)),
                      make_message(Role::kUser, data.dump(1, ' ', false, Json::error_handler_t::replace))};
  return request;
}

// The named ones in the order of the answer; an id that was not shown makes the whole answer worthless.
Result<std::vector<SkillMatch>> read_choice(std::string_view answer, std::span<const SkillMatch> ranked) {
  WEFT_TRY(const Json json, read_json(answer, {.max_bytes = kAnswerBytes, .max_depth = 4}, "choice of skills"));
  const auto list = json.is_object() ? json.find("skills") : json.end();
  if (!json.is_object() || list == json.end() || !list->is_array())
    return invalid_argument("the answer is no object with skills");
  std::vector<SkillMatch> chosen;
  for (const Json& id : *list) {
    const auto named = [&](const SkillMatch& match) {
      return id.is_string() && id.get_ref<const std::string&>() == match.skill.skill_id;
    };
    const auto found = std::find_if(ranked.begin(), ranked.end(), named);
    if (found == ranked.end()) return invalid_argument("the answer names a skill that was not shown");
    if (std::none_of(chosen.begin(), chosen.end(), named)) chosen.push_back(*found);
  }
  return chosen;
}

Result<SkillChoice> by_name(ChatModel& model, std::string_view task, std::span<const SkillMatch> shown,
                            const Deadline& deadline) {
  const Prompt prompt = shipped_prompt("skills", language_of(task) == Language::kChinese ? "zh" : "en");
  WEFT_TRY(const ChatReply reply, model.complete(request_for(prompt.text, task, shown), deadline));
  WEFT_TRY(auto chosen, read_choice(reply.message.content, shown));
  return SkillChoice{std::move(chosen), prompt.id + ", " + model.name(), {}};
}

}  // namespace

SkillChoice chosen_by_ranking(std::span<const SkillMatch> ranked, std::size_t most) {
  SkillChoice choice;
  choice.by = "ranking";
  for (const SkillMatch& match : ranked)
    if (match.likeness >= kReferred && choice.matches.size() < most) choice.matches.push_back(match);
  return choice;
}

SkillChoice chosen_by_model(ChatModel& model, std::string_view task, std::span<const SkillMatch> ranked,
                            std::size_t most, const Deadline& deadline) {
  SkillChoice floor = chosen_by_ranking(ranked, most);
  const auto shown = ranked.first(std::min(ranked.size(), kChosenAmong));
  if (shown.empty() || shown.front().likeness < kWorthAsking) return floor;
  auto chosen = by_name(model, task, shown, deadline);
  if (!chosen.ok()) {
    floor.failed = chosen.error().message;
    return floor;
  }
  if (chosen->matches.size() > most) chosen->matches.resize(most);
  for (SkillMatch& match : chosen->matches) match.likeness = std::max(match.likeness, kReferred);
  return std::move(*chosen);
}

}  // namespace weft
