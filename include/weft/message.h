#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/ids.h"
#include "weft/result.h"
#include "weft/time.h"
#include "weft/value.h"

namespace weft {

enum class Role { kSystem, kUser, kAssistant, kTool };

std::string_view to_string(Role role);

/// One call of a tool by the model; `arguments` is the JSON text exactly as the model wrote it.
struct ToolCall {
  std::string id;
  std::string name;
  std::string arguments;

  /// One that a program writes: `arguments` is an object.
  static ToolCall make(std::string id, std::string name, const Value& arguments) {
    return {std::move(id), std::move(name), to_json(arguments)};
  }
};

/// One message of a conversation, whatever wire form it came in.
struct Message {
  MessageId id;                       ///< empty: the engine gives one
  Role role = Role::kUser;
  std::string name;                   ///< what the speaker is called, where the source says so; identifies nobody
  UserId sender_id;                   ///< which user speaks; empty: not known, or no user
  std::string content;                ///< the text; parts of other kinds stand as "[image]", "[audio]", "[file]"
  std::string reasoning;              ///< the model's thought before it acted or answered
  std::vector<ToolCall> tool_calls;   ///< only of an assistant
  std::string tool_call_id;           ///< only of a tool: which call this is the output of
  bool failed = false;                ///< only of a tool: its sender marked the output as an error ("is_error")
  std::optional<Time> time;           ///< when it was said; the engine's clock where absent
  std::string raw;                    ///< the JSON it was read from; empty for messages made in code

  /// What a user says; `name` where several may speak.
  static Message user(std::string text, std::string name = {});
  /// What the model answers.
  static Message assistant(std::string text);
  /// A step of the model: what it thinks, and the calls it makes.
  static Message step(std::string thought, std::vector<ToolCall> calls);
  /// What a tool gives back for the call of that id.
  static Message output(std::string call_id, std::string text);
  /// An output that its tool calls an error.
  static Message failure(std::string call_id, std::string text);
};

inline Message Message::user(std::string text, std::string name) {
  Message message;
  message.name = std::move(name);
  message.content = std::move(text);
  return message;
}

inline Message Message::assistant(std::string text) {
  Message message = user(std::move(text));
  message.role = Role::kAssistant;
  return message;
}

inline Message Message::step(std::string thought, std::vector<ToolCall> calls) {
  Message message = assistant({});
  message.reasoning = std::move(thought);
  message.tool_calls = std::move(calls);
  return message;
}

inline Message Message::output(std::string call_id, std::string text) {
  Message message = user(std::move(text));
  message.role = Role::kTool;
  message.tool_call_id = std::move(call_id);
  return message;
}

inline Message Message::failure(std::string call_id, std::string text) {
  Message message = output(std::move(call_id), std::move(text));
  message.failed = true;
  return message;
}

/// Bounds on what the reader of messages accepts.
struct MessageLimits {
  std::size_t max_bytes = 16 * 1024 * 1024;  ///< of one message's JSON
  std::size_t max_depth = 64;                ///< of nested JSON
  std::size_t max_tool_calls = 256;          ///< in one message
};

/// Reads one message object in OpenAI chat form or Anthropic form (content blocks text, thinking, tool_use,
/// tool_result). An Anthropic user message with tool results gives several: the results first, then the user's text.
/// Errors say which field is wrong. Invalid UTF-8 is refused with the byte at which it begins.
Result<std::vector<Message>> parse_message(std::string_view json, const MessageLimits& limits = {});

/// Reads a JSON array of messages, or an object with a "messages" array (and Anthropic's top-level "system").
Result<std::vector<Message>> parse_messages(std::string_view json, const MessageLimits& limits = {});

/// Writes a message in OpenAI chat form, with "id", "time", "name", "reasoning_content" and "is_error" where they are
/// known.
std::string to_json(const Message& message);

/// The same with nothing but what every chat API takes: "role", "name", "content", "tool_calls", "tool_call_id".
std::string to_chat_json(const Message& message);

/// The message with nothing but that.
Message chat_form(const Message& message);

}  // namespace weft
