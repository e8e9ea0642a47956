#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "model/message_reader.h"
#include "model/records.h"
#include "text/json.h"
#include "weft/message.h"

namespace weft {
namespace {

constexpr std::string_view kWhat = "the JSON";

// The first character of a value, behind white space and a byte order mark.
std::size_t first_of(std::string_view json) { return json.find_first_not_of(" \n\r\t\xEF\xBB\xBF"); }

// Parsed message by message, so that the memory taken is that of one, and each is held to its own limit.
Status read_array(std::string_view array, const std::string& place, const MessageLimits& limits,
                  std::vector<Message>& out) {
  const auto texts = json_elements(array);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string here = fmt::format("{}[{}]", place, i);
    if (texts[i].size() > limits.max_bytes) {
      return too_large(fmt::format("{} has {} bytes, more than {}", here, texts[i].size(), limits.max_bytes),
                       "send a shorter message or raise limits.max_message_bytes");
    }
    const auto value = nlohmann::json::parse(texts[i].begin(), texts[i].end(), nullptr, false);
    WEFT_TRY(auto messages, read_message(texts[i], value, here, limits));
    std::move(messages.begin(), messages.end(), std::back_inserter(out));
  }
  return {};
}

// Anthropic's system prompt stands beside the messages.
Status read_system(std::string_view json, const MessageLimits& limits, std::vector<Message>& out) {
  if (json.size() > limits.max_bytes) {
    return too_large(fmt::format("system has {} bytes, more than {}", json.size(), limits.max_bytes),
                     "send a shorter system prompt or raise limits.max_message_bytes");
  }
  const auto value = nlohmann::json::parse(json.begin(), json.end(), nullptr, false);
  if (value.is_null()) return {};
  Message message;
  message.role = Role::kSystem;
  WEFT_TRY(message.content, read_text(value, "system"));
  message.raw = json;
  out.push_back(std::move(message));
  return {};
}

}  // namespace

Result<std::vector<Message>> parse_message(std::string_view json, const MessageLimits& limits) {
  WEFT_TRY(const nlohmann::json value, read_json(json, {limits.max_bytes, limits.max_depth}, kWhat));
  return read_message(json, value, "", limits);
}

Result<std::vector<Message>> parse_checked_message(std::string_view json, const MessageLimits& limits) {
  // Parsed again, `parse_message` says which limit it exceeds.
  if (json.size() > limits.max_bytes || nests_deeper(json, limits.max_depth)) return parse_message(json, limits);
  return read_message(json, nlohmann::json::parse(json.begin(), json.end(), nullptr, false), "", limits);
}

Result<std::vector<Message>> parse_messages(std::string_view json, const MessageLimits& limits) {
  WEFT_CHECK(check_json(json, {json.size(), limits.max_depth + 2}, kWhat));
  std::vector<Message> out;
  json.remove_prefix(first_of(json));
  if (json.starts_with('[')) {
    WEFT_CHECK(read_array(json, "messages", limits, out));
    return out;
  }
  if (!json.starts_with('{')) {
    return invalid_argument("the JSON is neither an array nor an object", "send an array of messages");
  }
  const std::string_view messages = json_member(json, "messages");
  if (!messages.starts_with('[')) {
    return invalid_argument(messages.empty() ? "messages is missing" : "messages is no array",
                            "send an array of messages, or an object with such an array as \"messages\"");
  }
  if (const std::string_view system = json_member(json, "system"); !system.empty()) {
    WEFT_CHECK(read_system(system, limits, out));
  }
  WEFT_CHECK(read_array(messages, "messages", limits, out));
  return out;
}

std::string to_json(const Message& message) { return to_json<Message>(message); }

std::string to_chat_json(const Message& message) { return to_json<Message>(chat_form(message)); }

Message chat_form(const Message& message) {
  Message plain;
  plain.role = message.role;
  plain.name = message.name;
  plain.content = message.content;
  plain.tool_calls = message.tool_calls;
  plain.tool_call_id = message.tool_call_id;
  return plain;
}

}  // namespace weft
