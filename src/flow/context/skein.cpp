#include "flow/context/skein.h"

#include <string_view>

#include "text/markup.h"

namespace weft {
namespace {

std::string attribute(std::string_view name, std::string_view value) {
  return value.empty() ? std::string() : " " + std::string(name) + "=\"" + escape_attribute(value) + "\"";
}

void add_block(std::string& out, const std::string& text) {
  if (text.empty()) return;
  if (out.back() != '\n') out += "\n\n";
  out += text;
}

void add_message(std::string& out, const Message& message) {
  out += "<message" + attribute("role", to_string(message.role)) + attribute("name", message.name) +
         attribute("call", message.tool_call_id) + ">\n";
  if (!message.content.empty()) out += escape_markup(message.content) + "\n";
  for (const ToolCall& call : message.tool_calls) {
    out += "<tool_call" + attribute("id", call.id) + attribute("name", call.name) + ">" +
           escape_markup(call.arguments) + "</tool_call>\n";
  }
  out += "</message>\n";
}

}  // namespace

std::string skein_text(const SkeinParts& parts) {
  std::string out = "<root>\n<system>\n";
  add_block(out, escape_markup(parts.instruction));
  add_block(out, parts.automation_block);
  add_block(out, parts.curation_block);
  if (out.back() != '\n') out += '\n';
  out += "</system>\n\n<chat_history>\n";
  for (const Message& message : parts.history) add_message(out, message);
  out += "</chat_history>\n\n<user_input>\n";
  if (!parts.user_input.empty()) out += escape_markup(parts.user_input) + "\n";
  return out + "</user_input>\n</root>\n";
}

}  // namespace weft
