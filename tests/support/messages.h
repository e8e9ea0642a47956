#pragma once

#include <string>
#include <utility>
#include <vector>

#include "weft/message.h"

namespace weft::test {

inline Message user(std::string text, std::string id = {}) {
  Message message;
  message.id = MessageId(std::move(id));
  message.content = std::move(text);
  return message;
}

inline Message assistant(std::string text, std::string id = {}) {
  Message message = user(std::move(text), std::move(id));
  message.role = Role::kAssistant;
  return message;
}

inline Message thought(std::string text) {
  Message message = assistant({});
  message.reasoning = std::move(text);
  return message;
}

/// An assistant's message with one call for each (id, tool name).
inline Message calls(const std::vector<std::pair<std::string, std::string>>& made, std::string text = {}) {
  Message message = assistant(std::move(text));
  for (const auto& [id, name] : made) message.tool_calls.push_back({id, name, "{}"});
  return message;
}

inline Message output(std::string call_id, std::string text) {
  Message message = user(std::move(text));
  message.role = Role::kTool;
  message.tool_call_id = std::move(call_id);
  return message;
}

inline Message system(std::string text) {
  Message message = user(std::move(text));
  message.role = Role::kSystem;
  return message;
}

/// The same message with a time, in RFC 3339.
inline Message at(Message message, std::string_view time) {
  message.time = parse_time(time).value();
  return message;
}

}  // namespace weft::test
