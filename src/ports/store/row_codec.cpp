#include "ports/store/row_codec.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "text/json.h"

namespace weft {
namespace {

using Json = nlohmann::json;

std::string write(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

bool needs_raw(const Message& message) {
  if (message.raw.empty()) return false;
  const Json json = lenient_json<Json>(message.raw);
  if (!json.is_object()) return false;
  const auto content = json.find("content");
  if (content == json.end() || !content->is_array()) return false;
  return std::any_of(content->begin(), content->end(), [](const Json& part) {
    const std::string type = part.is_object() ? text_of(member(part, "type")) : "text";
    return type != "text" && type != "input_text" && type != "output_text";
  });
}

}  // namespace

std::string encode_extra(const Message& message) {
  Json extra = Json::object();
  if (!message.reasoning.empty()) extra["reasoning"] = message.reasoning;
  if (!message.tool_call_id.empty()) extra["tool_call_id"] = message.tool_call_id;
  if (message.failed) extra["failed"] = true;
  for (const ToolCall& call : message.tool_calls) extra["calls"].push_back({call.id, call.name, call.arguments});
  if (needs_raw(message)) extra["raw"] = message.raw;
  return extra.empty() ? std::string() : write(extra);
}

void decode_extra(std::string_view text, Message& message) {
  if (text.empty()) return;
  const Json extra = Json::parse(text, nullptr, false);
  if (!extra.is_object()) return;
  message.reasoning = text_of(member(extra, "reasoning"));
  message.tool_call_id = text_of(member(extra, "tool_call_id"));
  message.raw = text_of(member(extra, "raw"));
  message.failed = member(extra, "failed") == true;
  for (const Json& call : member(extra, "calls"))
    if (call.is_array() && call.size() == 3)
      message.tool_calls.push_back({text_of(call[0]), text_of(call[1]), text_of(call[2])});
}

// Without a JSON value, whose destructor would need memory where there may be none.
std::string encode_sources(const std::vector<MessageId>& sources) {
  JsonWriter out;
  out.begin('[');
  for (const MessageId& id : sources) out.text(id.str());
  out.end(']');
  return out.take();
}

std::vector<MessageId> decode_sources(std::string_view text) {
  std::vector<MessageId> sources;
  const Json list = Json::parse(text, nullptr, false);
  if (!list.is_array()) return sources;
  for (const Json& id : list)
    if (id.is_string()) sources.emplace_back(id.get<std::string>());
  return sources;
}

}  // namespace weft
