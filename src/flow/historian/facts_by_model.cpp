#include "flow/historian/facts_by_model.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/prompts.h"
#include "flow/historian/kept_facts.h"
#include "flow/memory/profile_reader.h"
#include "flow/memory/standing_wish.h"
#include "model/make_message.h"
#include "text/json_lookup.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostMessages = 40;
constexpr std::size_t kMostBytes = 1500;  // shown of each
constexpr std::size_t kLongestFact = 300;
constexpr double kBorne = 0.5;  // of a fact's content words that its quote has

constexpr const char* kSchema =
    R"({"type":"object","properties":{"facts":{"type":"array","maxItems":20,"items":{"type":"object","properties":{)"
    R"("message":{"type":"integer"},"kind":{"type":"string","enum":["fact","wish"]},)"
    R"("text":{"type":"string","minLength":1},"quote":{"type":"string","minLength":1}},)"
    R"("required":["message","kind","text","quote"],"additionalProperties":false}}},"required":["facts"],)"
    R"("additionalProperties":false})";

bool is_borne(const std::string& text, const std::string& quote, const std::string& speaker) {
  if (!missing_facts(facts_to_keep(text, {}), quote + " " + speaker).empty()) return false;
  auto words = index_words(text), said = index_words(quote + " " + speaker + " user 用户");
  if (words.empty()) return false;
  const auto found = std::count_if(words.begin(), words.end(), [&](const std::string& word) {
    return std::find(said.begin(), said.end(), word) != said.end();
  });
  return static_cast<double>(found) >= kBorne * static_cast<double>(words.size());
}

// A model may answer with anything, whatever it was asked for.
std::string string_of(const Json& one, const char* name) {
  const auto at = one.find(name);
  return at != one.end() && at->is_string() ? at->get<std::string>() : std::string();
}

std::optional<SaidFact> read_fact(const Json& one, const MessageRow& row, const std::string& speaker) {
  const std::string text = string_of(one, "text"), quote = string_of(one, "quote");
  if (text.empty() || quote.empty() || text.size() > kLongestFact) return std::nullopt;
  if (row.message.content.find(quote) == std::string::npos || !is_borne(text, quote, speaker)) return std::nullopt;
  const bool chinese = language_of(text) == Language::kChinese;
  const std::string who = !speaker.empty() ? speaker : chinese ? "用户" : "The user";
  if (string_of(one, "kind") == "wish") return wish_fact(who, quote);
  const auto statements = ProfileReader({EntityType::kUser, {who}}).about_entity(text);
  if (!text.starts_with(who)) return std::nullopt;
  return SaidFact{text, quote, statements.empty() ? "told" : statements.front().attribute, text};
}

}  // namespace

FactsOfModel facts_by_model(ChatModel& model, std::span<const MessageRow> messages,
                            const std::function<std::string(const MessageRow&)>& speaker, const Deadline& deadline) {
  FactsOfModel found;
  if (messages.size() > kMostMessages) messages = messages.last(kMostMessages);
  Json data = Json::array();
  std::string all;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const std::string text(cut_bytes(messages[i].message.content, kMostBytes));
    data.push_back({{"message", i + 1}, {"speaker", speaker(messages[i])}, {"text", text}});
    all += text + "\n";
  }
  ChatRequest request;
  request.json_schema = kSchema;
  request.max_tokens = 2048;
  Prompt prompt = shipped_prompt("facts", language_of(all) == Language::kChinese ? "zh" : "en");
  found.prompt = std::move(prompt.id);
  request.messages = {make_message(Role::kSystem, std::string(prompt.text)),
                      make_message(Role::kUser, data.dump(1, ' ', false, Json::error_handler_t::replace))};
  const auto reply = model.complete(request, deadline);
  if (!reply.ok()) {
    found.why_floor = reply.error().message;
    return found;
  }
  const Json answer = lenient_json<Json>(reply->message.content);
  if (!answer.is_object() || !answer.contains("facts") || !answer["facts"].is_array()) {
    found.why_floor = "the answer is no object with facts";
    return found;
  }
  for (const Json& one : answer["facts"]) {
    if (!one.is_object() || !one.contains("message") || !one["message"].is_number_unsigned()) continue;
    const auto number = one["message"].get<std::size_t>();
    if (number == 0 || number > messages.size()) continue;
    const MessageRow& row = messages[number - 1];
    if (auto fact = read_fact(one, row, speaker(row))) found.facts[row.seq].push_back(std::move(*fact));
  }
  return found;
}

}  // namespace weft
