#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/message.h"

namespace weft {

/// Turns one message object into messages. `json` is its text, which has passed `check_json`; `object` is the same
/// parsed; `place` stands before the names of fields in errors ("messages[3]", or empty).
Result<std::vector<Message>> read_message(std::string_view json, const nlohmann::json& object, const std::string& place,
                                          const MessageLimits& limits);

/// Like `parse_message`, for a part of a text that has already passed `check_json`.
Result<std::vector<Message>> parse_checked_message(std::string_view json, const MessageLimits& limits);

/// The text of `content`: a string, null, or an array of parts of which text counts and others stand as "[image]" and
/// so on. Used for what may hold no calls: system prompts and results of tools.
Result<std::string> read_text(const nlohmann::json& content, const std::string& place);

/// A message that Weft itself writes.
inline Message make_message(Role role, std::string content) {
  Message message;
  message.role = role;
  message.content = std::move(content);
  return message;
}

/// A message's JSON with `text` before its own text. String content grows at its beginning; in an array of parts the
/// first part of text does, and where there is none a part of text is put first. Every other byte stays: images, names,
/// cache_control, fields that Weft does not know. Content that is null or missing becomes the text. `raw_message` must
/// be JSON that has been checked; what is no object comes back as it is.
std::string with_text_before(std::string_view raw_message, std::string_view text);

/// The same at the end: string content grows there, or the last part of text, or a part is put last.
std::string with_text_after(std::string_view raw_message, std::string_view text);

/// The same for a message, in its content and, where it has one, in its JSON.
Message with_text_before(Message message, std::string_view text);
Message with_text_after(Message message, std::string_view text);

/// What of a message is counted as tokens: thought, text, and calls with their arguments.
inline std::string counted_text(const Message& message) {
  std::string text = message.reasoning + message.content;
  for (const ToolCall& call : message.tool_calls) text += call.name + call.arguments;
  return text;
}

}  // namespace weft
