#include "surface/proxy/refusal.h"

#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/strings.h"
#include "model/message_reader.h"
#include "text/json.h"

namespace weft::proxy {
namespace {

constexpr std::size_t kMostRead = 64 * 1024;  // of an error; longer ones are no errors of a model's server

constexpr std::array<std::string_view, 21> kTooLong = {
    "context_length_exceeded", "maximum context length",   "max context length",
    "prompt is too long",      "exceed_context_size",      "exceeds the available context size",
    "input token count",       "exceed context limit",     "exceeds the context",
    "context window",          "context length",           "context size",
    "prompt too long",         "reduce the length of the", "too many input tokens",
    "input is too long",       "maximum input length",     "max_model_len",
    "model_max_prompt_tokens", "exceeds maximum tokens",   "too large for model",
};

// A limit of calls or of money speaks of tokens as well, and no shorter prompt helps.
constexpr std::array<std::string_view, 5> kNotTooLong = {"per minute", "per day", "rate_limit", "rate limit", "quota"};

constexpr std::array<std::string_view, 17> kSystemFirst = {
    "system message must be",        "system messages must be",   "system message should be",
    "system messages should be",     "system message can only",   "system message is only",
    "only the first message can be", "only one system message",   "multiple system messages",
    "unexpected role 'system'",      "unexpected role system",    "unexpected role \"system\"",
    "system role must be",           "system prompt must be",     "system message at the beginning",
    "system messages are only",      "developer message must be",
};

constexpr std::array<std::string_view, 14> kNoSystem = {
    "only user and assistant roles",
    "only user, assistant",
    "system role not supported",
    "system role is not supported",
    "does not support system",
    "doesn't support system",
    "not support the system role",
    "system messages are not supported",
    "system message is not supported",
    "system prompt is not supported",
    "system instruction is not",
    "developer instruction is not",
    "role 'system' is not",
    "unsupported role: system",
};

constexpr std::array<std::string_view, 7> kInTurn = {
    "roles must alternate",     "role must alternate",  "must alternate between",       "roles should alternate",
    "alternate user/assistant", "consecutive messages", "multiturn requests alternate",
};

// What stands before the number of the window, the surest first.
constexpr std::array<std::string_view, 23> kBeforeWindow = {
    "maximum context length is",
    "maximum context length of this model is",
    "maximum context length of",
    "max context length is",
    "context length is only",
    "context length of only",
    "context length is",
    "context length of",
    "context length (",
    "context window of",
    "context window is",
    "context window (",
    "context size (",
    "context size of",
    "context size is",
    "n_ctx\":",
    "n_ctx:",
    "number of tokens allowed (",
    "for model with",
    "> ",
    "context limit:",
    "model_max_prompt_tokens:",
    "max_model_len:",
};

constexpr std::array<std::string_view, 10> kBeforePrompt = {
    "messages resulted in", "n_prompt_tokens\":", "prompt contains",     "prompt is too long:", "input token count (",
    "request has",          "passed at least",    "you requested about", "you requested",       "input length is",
};

// Without the escapes of JSON, as far as they matter: some servers write '>' as one.
std::string lowered(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, kMostRead))
    if (c != '\\') out += to_lower(c);
  constexpr std::string_view kGreater = "u003e";
  for (auto at = out.find(kGreater); at != std::string::npos; at = out.find(kGreater, at))
    out.replace(at, kGreater.size(), ">");
  return out;
}

bool has_any(std::string_view text, std::span<const std::string_view> phrases) {
  for (const auto phrase : phrases)
    if (text.find(phrase) != std::string_view::npos) return true;
  return false;
}

// The number behind a phrase, with separators of thousands or without; 0 where there is none.
std::int64_t number_at(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '"' || text[at] == '(')) ++at;
  std::int64_t number = 0;
  for (int digits = 0; at < text.size() && digits < 12; ++at) {
    const bool separates = digits > 0 && (text[at] == ',' || text[at] == '_') && at + 1 < text.size() &&
                           text[at + 1] >= '0' && text[at + 1] <= '9';
    if (separates) continue;
    if (text[at] < '0' || text[at] > '9') break;
    number = number * 10 + (text[at] - '0');
    ++digits;
  }
  return number;
}

std::int64_t number_behind(std::string_view text, std::span<const std::string_view> phrases) {
  for (const auto phrase : phrases) {
    for (auto at = text.find(phrase); at != std::string_view::npos; at = text.find(phrase, at + 1)) {
      const auto number = number_at(text, at + phrase.size());
      if (number >= 128) return number;
    }
  }
  return 0;
}

}  // namespace

Refusal read_refusal(int status, std::string_view body) {
  Refusal refusal;
  if (status < 400 || status == 401 || status == 403 || status == 404 || status == 429) return refusal;
  const std::string text = lowered(body);
  refusal.needs.no_system = has_any(text, kNoSystem);
  refusal.needs.in_turn = has_any(text, kInTurn);
  refusal.needs.system_first = has_any(text, kSystemFirst) || refusal.needs.in_turn;
  if (refusal.needs.any()) {
    refusal.kind = Refusal::Kind::kSystemMessages;
  } else if (has_any(text, kTooLong) && !has_any(text, kNotTooLong)) {
    refusal.kind = Refusal::Kind::kTooLong;
    refusal.window = number_behind(text, kBeforeWindow);
    refusal.prompt = number_behind(text, kBeforePrompt);
  }
  return refusal;
}

namespace {

bool has_parts(const Message& message) { return json_member(message.raw, "content").starts_with('['); }

// The parts of a message, without their brackets.
std::string parts_in(const Message& message) {
  if (!has_parts(message)) return write_json(nlohmann::json{{"type", "text"}, {"text", message.content}});
  const std::string_view content = json_member(message.raw, "content");
  return std::string(content.substr(1, content.size() - 2));
}

Message joined(const Message& first, const Message& second) {
  Message both = first;
  both.content += (both.content.empty() || second.content.empty() ? "" : "\n\n") + second.content;
  both.raw.clear();
  if (!first.raw.empty() && !second.raw.empty() && (has_parts(first) || has_parts(second)))
    both.raw = R"({"role":")" + std::string(to_string(first.role)) + R"(","content":[)" + parts_in(first) + "," +
               parts_in(second) + "]}";
  return both;
}

// All system messages as one.
std::optional<Message> system_of(const std::vector<Message>& messages) {
  std::optional<Message> system;
  for (const Message& message : messages) {
    if (message.role != Role::kSystem) continue;
    system = system ? joined(*system, message) : message;
  }
  return system;
}

}  // namespace

std::vector<Message> fitted(const std::vector<Message>& messages, TemplateNeeds needs) {
  std::vector<Message> out;
  std::optional<Message> system;
  if (needs.system_first || needs.no_system) system = system_of(messages);
  if (system && !needs.no_system) out.push_back(*system);
  for (const Message& message : messages) {
    if (system && message.role == Role::kSystem) continue;
    const bool before_first = needs.no_system && system && message.role == Role::kUser;
    Message next = before_first ? with_text_before(message, system->content + "\n\n") : message;
    if (before_first) needs.no_system = false;
    const bool same = needs.in_turn && !out.empty() && out.back().role == next.role && next.role != Role::kTool &&
                      out.back().tool_calls.empty() && next.tool_calls.empty();
    if (same)
      out.back() = joined(out.back(), next);
    else
      out.push_back(std::move(next));
  }
  return out;
}

}  // namespace weft::proxy
