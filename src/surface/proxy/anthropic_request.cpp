#include "surface/proxy/anthropic_request.h"

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "text/json.h"
#include "text/json_lookup.h"

namespace weft::proxy {
namespace {

using Json = nlohmann::ordered_json;

// {"type":"base64","media_type":…,"data":…} or {"type":"url","url":…}.
Json image_part(const Json& source) {
  const std::string url = member(source, "type") == "url" ? text_of(member(source, "url"))
                                                          : "data:" + text_of(member(source, "media_type")) +
                                                                ";base64," + text_of(member(source, "data"));
  return {{"type", "image_url"}, {"image_url", {{"url", url}}}};
}

// What a user says in blocks: texts and images; nothing where it is text alone.
Json parts_of(const Json& content) {
  if (!content.is_array()) return nullptr;
  Json parts = Json::array();
  bool has_image = false;
  for (const Json& block : content) {
    const std::string type = text_of(member(block, "type"));
    if (type == "text") parts.push_back({{"type", "text"}, {"text", member(block, "text")}});
    if (type == "image") parts.push_back(image_part(member(block, "source")));
    has_image = has_image || type == "image";
  }
  return has_image ? parts : Json(nullptr);
}

Json system_message(const Json& system) {
  std::string text = text_of(system);
  if (system.is_array())
    for (const Json& block : system)
      if (member(block, "type") == "text") text += (text.empty() ? "" : "\n\n") + text_of(member(block, "text"));
  return {{"role", "system"}, {"content", text}};
}

Status add_messages(std::string_view array, const MessageLimits& limits, Json& into) {
  std::size_t number = 0;
  for (const std::string_view element : json_elements(array)) {
    auto read = parse_message(element, limits);
    const std::string place = "messages[" + std::to_string(number++) + "]";
    if (!read.ok()) return {Error{read.error().code, place + ": " + read.error().message, read.error().hint}};
    const Json parts = parts_of(member(Json::parse(element), "content"));
    for (const Message& message : *read) {
      Json one = Json::parse(to_chat_json(message));
      if (message.role == Role::kUser && !parts.is_null()) one["content"] = parts;
      into.push_back(std::move(one));
    }
  }
  return {};
}

// Tools that Anthropic runs itself have a type of their own and no schema: nobody here could run them.
Json tools_of(const Json& tools) {
  Json made = Json::array();
  for (const Json& tool : tools) {
    const Json& schema = member(tool, "input_schema");
    if (!schema.is_object()) continue;
    Json function = {{"name", member(tool, "name")}};
    if (const Json& text = member(tool, "description"); text.is_string()) function["description"] = text;
    function["parameters"] = schema;
    made.push_back({{"type", "function"}, {"function", std::move(function)}});
  }
  return made;
}

Json choice_of(const Json& choice) {
  const std::string type = text_of(member(choice, "type"));
  if (type == "any") return "required";
  if (type == "tool") return {{"type", "function"}, {"function", {{"name", member(choice, "name")}}}};
  return type == "none" ? "none" : "auto";
}

void add_wishes(const Json& asked, Json& body) {
  static constexpr std::array<std::pair<const char*, const char*>, 5> kSame = {{{"max_tokens", "max_tokens"},
                                                                                {"temperature", "temperature"},
                                                                                {"top_p", "top_p"},
                                                                                {"top_k", "top_k"},
                                                                                {"stop_sequences", "stop"}}};
  for (const auto& [theirs, ours] : kSame)
    if (const Json& value = member(asked, theirs); !value.is_null()) body[ours] = value;
  if (const Json& tools = member(asked, "tools"); tools.is_array())
    if (Json made = tools_of(tools); !made.empty()) {
      body["tools"] = std::move(made);
      if (const Json& choice = member(asked, "tool_choice"); choice.is_object()) {
        body["tool_choice"] = choice_of(choice);
        if (member(choice, "disable_parallel_tool_use") == true) body["parallel_tool_calls"] = false;
      }
    }
  if (member(asked, "stream") != true) return;
  body["stream"] = true;
  body["stream_options"] = {{"include_usage", true}};
}

}  // namespace

Result<std::string> chat_body_of(std::string_view body, const MessageLimits& limits) {
  WEFT_CHECK(check_json(body, {.max_bytes = body.size(), .max_depth = limits.max_depth}, "the body"));
  const auto array =
      body.find_first_not_of(" \t\r\n") != std::string_view::npos && body[body.find_first_not_of(" \t\r\n")] == '{'
          ? json_member(body, "messages")
          : std::string_view();
  if (!array.starts_with('[')) return invalid_argument("messages is missing", "send an array of messages");
  const Json asked = Json::parse(body);
  Json made = {{"model", member(asked, "model")}};
  made["messages"] = Json::array();
  if (const Json& system = member(asked, "system"); !system.is_null() && !system.empty())
    made["messages"].push_back(system_message(system));
  WEFT_CHECK(add_messages(array, limits, made["messages"]));
  add_wishes(asked, made);
  return write_json(made);
}

}  // namespace weft::proxy
