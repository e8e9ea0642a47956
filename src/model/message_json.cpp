#include <fmt/format.h>
#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <vector>

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

enum class End { kFront, kBack };

// A JSON text, of which a part is replaced by another.
std::string replaced(std::string_view json, std::string_view part, std::string_view by) {
  const auto at = static_cast<std::size_t>(part.data() - json.data());
  return std::string(json.substr(0, at)).append(by).append(json.substr(at + part.size()));
}

std::string as_string(std::string_view text) { return write_json(nlohmann::json(text)); }

// A JSON string with more text in it; what it holds stays written as it is.
std::string grown(std::string_view string, std::string_view text, End end) {
  std::string added = as_string(text);
  if (end == End::kFront) return added.substr(0, added.size() - 1).append(string.substr(1));
  return std::string(string.substr(0, string.size() - 1)).append(added.substr(1));
}

// The JSON string that a part's text is; empty where it is of another kind.
std::string_view text_of_part(std::string_view part) {
  if (part.starts_with('"')) return part;
  if (!part.starts_with('{')) return {};
  const std::string_view type = json_member(part, "type");
  if (type != R"("text")" && type != R"("input_text")" && type != R"("output_text")") return {};
  const std::string_view text = json_member(part, "text");
  return text.starts_with('"') ? text : std::string_view();
}

// OpenAI's Responses API calls parts otherwise than chat completions do.
bool has_input_parts(const std::vector<std::string_view>& parts) {
  return std::any_of(parts.begin(), parts.end(), [](std::string_view part) {
    return part.starts_with('{') && json_member(part, "type").starts_with(R"("input_)");
  });
}

std::string with_part(std::string_view array, std::string_view text, End end) {
  const auto parts = json_elements(array);
  const std::string part = (has_input_parts(parts) ? R"({"type":"input_text","text":)" : R"({"type":"text","text":)") +
                           as_string(text) + "}";
  if (parts.empty()) return "[" + part + "]";
  if (end == End::kFront) return "[" + part + "," + std::string(array.substr(1));
  return std::string(array.substr(0, array.size() - 1)) + "," + part + "]";
}

std::string grown_array(std::string_view array, std::string_view text, End end) {
  auto parts = json_elements(array);
  if (end == End::kBack) std::reverse(parts.begin(), parts.end());
  for (const std::string_view part : parts) {
    const std::string_view own = text_of_part(part);
    if (!own.empty()) return replaced(array, own, grown(own, text, end));
  }
  return with_part(array, text, end);
}

std::string grown_content(std::string_view content, std::string_view text, End end) {
  if (content.starts_with('"')) return grown(content, text, end);
  if (content.starts_with('[')) return grown_array(content, text, end);
  return as_string(text);
}

std::string grown_message(std::string_view raw, std::string_view text, End end) {
  const auto begin = raw.find_first_not_of(" \n\r\t\xEF\xBB\xBF");
  if (begin == std::string_view::npos || raw[begin] != '{' || text.empty()) return std::string(raw);
  std::string_view content = json_member(raw, "content");
  if (content.empty()) content = json_member(raw, "text");  // as the reader of messages takes it
  if (!content.empty()) return replaced(raw, content, grown_content(content, text, end));
  const auto close = raw.rfind('}');
  const bool alone = json_members(raw).empty();
  return std::string(raw.substr(0, close))
      .append(alone ? "" : ",")
      .append(R"("content":)")
      .append(as_string(text))
      .append(raw.substr(close));
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

std::string with_text_before(std::string_view raw_message, std::string_view text) {
  return grown_message(raw_message, text, End::kFront);
}

std::string with_text_after(std::string_view raw_message, std::string_view text) {
  return grown_message(raw_message, text, End::kBack);
}

Message with_text_before(Message message, std::string_view text) {
  if (!message.raw.empty()) message.raw = with_text_before(message.raw, text);
  message.content.insert(0, text);
  return message;
}

Message with_text_after(Message message, std::string_view text) {
  if (!message.raw.empty()) message.raw = with_text_after(message.raw, text);
  message.content.append(text);
  return message;
}

}  // namespace weft
