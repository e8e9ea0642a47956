// What is missing, as a model says it.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/prompts.h"
#include "growth/gaps.h"
#include "model/make_message.h"
#include "text/json_lookup.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
namespace {

using Json = nlohmann::json;

constexpr const char* kSchema =
    R"({"type":"object","required":["gaps"],"properties":{"gaps":{"type":"array","maxItems":8,
"items":{"type":"object","required":["what","by","kind"],"properties":{"what":{"type":"string"},
"by":{"enum":["research","person"]},"kind":{"enum":["knowledge","decision","action","judgement"]},
"question":{"type":"string"},"choices":{"type":"array","maxItems":6,"items":{"type":"string"}}}}}}})";
constexpr std::size_t kMostGaps = 8, kMostTools = 60, kMostKnown = 40, kLongest = 400, kMostChoices = 6;

std::string string_of(const Json& one, const char* name) {
  const auto at = one.find(name);
  return at != one.end() && at->is_string() ? preview(at->get<std::string>(), kLongest) : std::string();
}

Gap read_gap(const Json& one) {
  Gap gap;
  gap.what = string_of(one, "what");
  gap.text = string_of(one, "question");
  gap.ask = string_of(one, "by") != "research";
  const std::string kind = string_of(one, "kind");
  if (kind == "decision") gap.question = QuestionKind::kDecision;
  if (kind == "action") gap.question = QuestionKind::kAction, gap.kind = GapKind::kPhysical;
  if (kind == "judgement") gap.question = QuestionKind::kJudgement, gap.kind = GapKind::kTaste;
  if (const auto choices = one.find("choices"); choices != one.end() && choices->is_array())
    for (const Json& choice : *choices)
      if (choice.is_string() && gap.choices.size() < kMostChoices)
        gap.choices.push_back(preview(choice.get<std::string>(), kLongest));
  return gap;
}

}  // namespace

ModelGaps model_gaps(ChatModel& model, std::string_view task, std::span<const std::string> known,
                     std::span<const ToolInfo> tools, const Deadline& deadline) {
  ModelGaps found;
  const Prompt prompt = shipped_prompt("gaps", language_of(task) == Language::kChinese ? "zh" : "en");
  found.prompt = prompt.id;
  Json data{{"task", task}, {"known", Json::array()}, {"tools", Json::array()}};
  for (const std::string& one : known.first(std::min(known.size(), kMostKnown)))
    data["known"].push_back(preview(one, kLongest));
  for (const ToolInfo& tool : tools.first(std::min(tools.size(), kMostTools)))
    data["tools"].push_back({{"name", tool.name}, {"description", preview(tool.description, kLongest)}});
  ChatRequest request;
  request.json_schema = kSchema;
  request.messages = {make_message(Role::kSystem, std::string(prompt.text)),
                      make_message(Role::kUser, data.dump(1, ' ', false, Json::error_handler_t::replace))};
  const auto reply = model.complete(request, deadline);
  if (!reply.ok()) {
    found.failed = reply.error().message;
    return found;
  }
  const Json answer = lenient_json<Json>(reply->message.content);
  if (!answer.is_object() || !answer.contains("gaps") || !answer["gaps"].is_array()) {
    found.failed = "the answer is no object with gaps";
    return found;
  }
  for (const Json& one : answer["gaps"]) {
    if (!one.is_object() || found.gaps.size() >= kMostGaps) continue;
    Gap gap = read_gap(one);
    if (!gap.what.empty()) found.gaps.push_back(std::move(gap));
  }
  return found;
}

}  // namespace weft
