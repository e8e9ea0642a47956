#include "surface/proxy/responses_chat.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "text/json.h"
#include "text/json_lookup.h"

namespace weft::proxy {
namespace {

using Json = nlohmann::ordered_json;

Error only_there(const std::string& what) {
  return invalid_argument(what +
                              " needs a model's server that speaks the Responses API, and this one speaks chat "
                              "completions only",
                          "leave it out, or set proxy.upstream to such a server");
}

// A part of what a user says; nothing where chat completions know no such part.
std::optional<Json> part_of(const Json& part) {
  const std::string type = text_of(member(part, "type"));
  if (type == "input_text" || type == "output_text" || type == "text")
    return Json{{"type", "text"}, {"text", text_of(member(part, "text"))}};
  if (type == "image_url" || type == "input_audio" || type == "file") return part;
  if (type == "input_image" && member(part, "image_url").is_string()) {
    Json image = {{"url", member(part, "image_url")}};
    if (const Json& detail = member(part, "detail"); detail.is_string()) image["detail"] = detail;
    return Json{{"type", "image_url"}, {"image_url", std::move(image)}};
  }
  if (type == "input_file" && !member(part, "file_url").is_string()) {
    Json file = Json::object();
    for (const char* name : {"filename", "file_data", "file_id"})
      if (const Json& value = member(part, name); value.is_string()) file[name] = value;
    return Json{{"type", "file"}, {"file", std::move(file)}};
  }
  return std::nullopt;
}

// What a user says in parts of several kinds; null where it is text alone.
Result<Json> parts_of(const Message& message, bool held) {
  const Json raw = Json::parse(message.raw, nullptr, false);
  const Json& content = member(raw, "content");
  if (!content.is_array()) return Json(nullptr);
  Json parts = Json::array();
  bool all_text = true;
  for (const Json& part : content) {
    auto made = part_of(part);
    if (!made && held) return Json(nullptr);  // its words stand there all the same
    if (!made) return only_there("a part of the type \"" + text_of(member(part, "type")).substr(0, 40) + "\"");
    all_text = all_text && member(*made, "type") == "text";
    parts.push_back(std::move(*made));
  }
  return all_text ? Json(nullptr) : parts;
}

Result<Json> message_of(const Message& message, bool held) {
  Json made = Json::parse(to_chat_json(message));
  if (message.role != Role::kUser || message.raw.empty()) return made;
  WEFT_TRY(Json parts, parts_of(message, held));
  if (!parts.is_null()) made["content"] = std::move(parts);
  return made;
}

Result<Json> messages_of(const ChatCall& call) {
  Json messages = Json::array();
  std::size_t place = 0;
  const Message& head = call.messages.front();
  const std::size_t first = head.role == Role::kSystem && head.raw.empty() ? 1 : 0;  // behind the instructions
  for (const Message& message : call.messages) {
    const bool held = place >= first && place < first + call.responses.held;
    WEFT_TRY(Json made, message_of(message, held));
    messages.push_back(std::move(made));
    ++place;
  }
  return messages;
}

// Items that stand for what the server itself has done or keeps say nothing to another one.
Status check_items(const Json& input) {
  static constexpr std::array<std::string_view, 6> kKnown = {
      "message", "function_call", "function_call_output", "reasoning", "custom_tool_call", "custom_tool_call_output"};
  if (!input.is_array()) return {};
  for (std::size_t i = 0; i < input.size(); ++i) {
    const std::string type = text_of(member(input[i], "type"));
    if (type.empty() || std::find(kKnown.begin(), kKnown.end(), type) != kKnown.end()) continue;
    return {only_there("input[" + std::to_string(i) + "] of the type \"" + type.substr(0, 40) + "\"")};
  }
  return {};
}

// Made here, it is kept until its client asks for it.
Status check_background(const Json& asked) {
  if (member(asked, "store") == false)
    return {invalid_argument("background needs \"store\": true: what is not kept cannot be asked for later")};
  return member(asked, "stream") == true ? Status(only_there("background together with stream")) : Status();
}

Status check_wishes(const Json& asked) {
  for (const char* name : {"conversation", "prompt"})
    if (!member(asked, name).is_null()) return {only_there(name)};
  if (member(asked, "background") == true) WEFT_CHECK(check_background(asked));
  return check_items(member(asked, "input"));
}

Result<Json> tools_of(const Json& tools) {
  Json made = Json::array();
  for (std::size_t i = 0; i < tools.size(); ++i) {
    const std::string type = text_of(member(tools[i], "type"));
    if (type != "function")
      return only_there("tools[" + std::to_string(i) + "] of the type \"" + type.substr(0, 40) + "\"");
    Json function = Json::object();
    for (const char* name : {"name", "description", "parameters", "strict"})
      if (const Json& value = member(tools[i], name); !value.is_null()) function[name] = value;
    made.push_back({{"type", "function"}, {"function", std::move(function)}});
  }
  return made;
}

// Those that the choice allows, which is then how many of them are to be called.
void narrow(const Json& choice, Json& body) {
  Json kept = Json::array();
  for (const Json& tool : body["tools"])
    for (const Json& allowed : member(choice, "tools"))
      if (member(member(tool, "function"), "name") == member(allowed, "name")) kept.push_back(tool);
  if (kept.empty()) return;
  body["tools"] = std::move(kept);
  body["tool_choice"] = member(choice, "mode");
}

void add_choice(const Json& choice, Json& body) {
  const std::string type = text_of(member(choice, "type"));
  if (choice.is_string()) body["tool_choice"] = choice;
  if (type == "function") body["tool_choice"] = {{"type", type}, {"function", {{"name", member(choice, "name")}}}};
  if (type == "allowed_tools" && member(choice, "tools").is_array()) narrow(choice, body);
}

void add_format(const Json& format, Json& body) {
  const std::string type = text_of(member(format, "type"));
  if (type == "json_object") body["response_format"] = {{"type", type}};
  if (type != "json_schema") return;
  Json schema = Json::object();
  for (const char* name : {"name", "description", "schema", "strict"})
    if (const Json& value = member(format, name); !value.is_null()) schema[name] = value;
  body["response_format"] = {{"type", type}, {"json_schema", std::move(schema)}};
}

Status add_wishes(const Json& asked, Json& body) {
  static constexpr std::array<std::pair<const char*, const char*>, 9> kSame = {
      {{"max_output_tokens", "max_tokens"},
       {"temperature", "temperature"},
       {"top_p", "top_p"},
       {"user", "user"},
       {"safety_identifier", "safety_identifier"},
       {"prompt_cache_key", "prompt_cache_key"},
       {"service_tier", "service_tier"},
       {"seed", "seed"},
       {"stop", "stop"}}};
  for (const auto& [theirs, ours] : kSame)
    if (const Json& value = member(asked, theirs); !value.is_null()) body[ours] = value;
  if (const Json& effort = member(member(asked, "reasoning"), "effort"); effort.is_string())
    body["reasoning_effort"] = effort;
  add_format(member(member(asked, "text"), "format"), body);
  if (const Json& tools = member(asked, "tools"); tools.is_array() && !tools.empty()) {
    WEFT_TRY(body["tools"], tools_of(tools));
    if (const Json& parallel = member(asked, "parallel_tool_calls"); parallel.is_boolean())
      body["parallel_tool_calls"] = parallel;
    add_choice(member(asked, "tool_choice"), body);
  }
  if (member(asked, "stream") != true) return {};
  body["stream"] = true;
  body["stream_options"] = {{"include_usage", true}};
  return {};
}

}  // namespace

Result<ChatCall> chat_call_of(const ChatCall& call, const Config& config) {
  const Json asked = Json::parse(call.body);
  WEFT_CHECK(check_wishes(asked));
  Json body = {{"model", member(asked, "model")}};
  WEFT_TRY(body["messages"], messages_of(call));
  WEFT_CHECK(add_wishes(asked, body));
  WEFT_TRY(ChatCall made, parse_call(write_json(body), config));
  made.names = call.names;
  made.responses = call.responses;
  made.responses.asked = call.body;
  return made;
}

}  // namespace weft::proxy
