#include "surface/proxy/responses_chat.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "surface/proxy/responses_items.h"
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
  if (type == "input_file" && member(part, "file_url").is_string())
    return Json{{"type", "text"}, {"text", "[file] " + text_of(member(part, "file_url"))}};
  if (type == "input_file") {
    Json file = Json::object();
    for (const char* name : {"filename", "file_data", "file_id"})
      if (const Json& value = member(part, name); value.is_string()) file[name] = value;
    return Json{{"type", "file"}, {"file", std::move(file)}};
  }
  return std::nullopt;
}

// Parts of several kinds; null where all is text. Kinds that have no place are counted.
Json parts_of(const Json& content, LeftOut& left_out) {
  if (!content.is_array()) return nullptr;
  Json parts = Json::array();
  bool all_text = true;
  for (const Json& part : content) {
    auto made = part_of(part);
    if (!made) {
      ++left_out[text_of(member(part, "type"))];
      continue;
    }
    all_text = all_text && member(*made, "type") == "text";
    parts.push_back(std::move(*made));
  }
  return all_text ? Json(nullptr) : parts;
}

// An output of a tool: a text, a list of parts, or a screenshot.
Json output_parts(const Json& raw, LeftOut& left_out) {
  const Json& output = member(raw, "output");
  if (!output.is_object() || !member(output, "image_url").is_string()) return parts_of(output, left_out);
  return parts_of(Json::array({{{"type", "input_image"}, {"image_url", member(output, "image_url")}}}), left_out);
}

// Arguments as chat completions want them: the text of an object.
void mend_arguments(Json& message) {
  if (!message.contains("tool_calls")) return;
  for (Json& call : message["tool_calls"]) {
    Json& arguments = call["function"]["arguments"];
    const std::string text = text_of(arguments);
    const Json read = Json::parse(text.empty() ? "{}" : text, nullptr, false);
    if (text.empty() || !read.is_object()) arguments = read.is_object() ? "{}" : write_json(Json{{"input", text}});
  }
}

// Whether all items of a message are such that have no place: what the server has done or keeps by itself. They are
// counted, but for thoughts and for tools, which are taken elsewhere.
bool has_no_place(const Message& message, LeftOut& left_out) {
  const Json items = Json::parse("[" + message.raw + "]", nullptr, false);
  if (message.raw.empty() || !items.is_array()) return false;
  bool any = false;
  for (const Json& item : items) {
    const std::string type = text_of(member(item, "type"));
    const bool known = type.empty() || type == "message" || type.ends_with("_output") ||
                       type == "mcp_approval_request" || type == "mcp_approval_response" ||
                       (type.ends_with("_call") && member(item, "call_id").is_string());
    any = any || known;
    if (!known && type != "reasoning" && type != "additional_tools" && type != "item_reference") ++left_out[type];
  }
  return !any;
}

Json message_of(const Message& message, LeftOut& left_out) {
  Json made = Json::parse(to_chat_json(message));
  mend_arguments(made);
  if (message.raw.empty() || (message.role != Role::kUser && message.role != Role::kTool)) return made;
  const Json raw = Json::parse(message.raw, nullptr, false);
  Json parts = message.role == Role::kTool ? output_parts(raw, left_out) : parts_of(member(raw, "content"), left_out);
  if (!parts.is_null()) made["content"] = std::move(parts);
  return made;
}

Json messages_of(const ChatCall& call, LeftOut& left_out) {
  Json messages = Json::array();
  for (const Message& message : call.messages) {
    if (!has_no_place(message, left_out)) messages.push_back(message_of(message, left_out));
  }
  return messages;
}

// Made here, it is kept until its client asks for it.
Status check_background(const Json& asked) {
  if (member(asked, "store") == false)
    return {invalid_argument("background needs \"store\": true: what is not kept cannot be asked for later")};
  return member(asked, "stream") == true ? Status(only_there("background together with stream")) : Status();
}

// What an item says that only its server has cannot be told to another one. Thoughts are left out anyway.
Status check_references(const Json& input) {
  if (!input.is_array()) return {};
  for (std::size_t i = 0; i < input.size(); ++i) {
    const bool thought = text_of(member(input[i], "id")).starts_with("rs_");
    if (member(input[i], "type") == "item_reference" && !thought)
      return {only_there("input[" + std::to_string(i) + "] of the type \"item_reference\"")};
  }
  return {};
}

Status check_wishes(const Json& asked) {
  for (const char* name : {"conversation", "prompt"})
    if (!member(asked, name).is_null()) return {only_there(name)};
  if (member(asked, "background") == true) WEFT_CHECK(check_background(asked));
  return check_references(member(asked, "input"));
}

Json function_tool(const std::string& name, const Json& tool) {
  Json function = {{"name", name}};
  for (const char* field : {"description", "parameters", "strict"})
    if (const Json& value = member(tool, field); !value.is_null()) function[field] = value;
  return {{"type", "function"}, {"function", std::move(function)}};
}

// A tool that takes free text as a function of one argument. The grammar of the text is told in words.
Json custom_tool(const std::string& name, const Json& tool) {
  std::string about = text_of(member(tool, "description"));
  const Json& format = member(tool, "format");
  if (const std::string grammar = text_of(member(format, "definition")); !grammar.empty())
    about += (about.empty() ? "" : "\n\n") +
             ("The input follows this grammar (" + text_of(member(format, "syntax")) + "):\n" + grammar);
  Json function = {{"name", name}};
  if (!about.empty()) function["description"] = about;
  function["parameters"] = {{"type", "object"},
                            {"properties", {{"input", {{"type", "string"}}}}},
                            {"required", {"input"}},
                            {"additionalProperties", false}};
  return {{"type", "function"}, {"function", std::move(function)}};
}

/// Calls `take(name, tool, space)` for every tool that can be a function, `name` being that of the function, and
/// `leave(type)` for every other one.
template <class Take, class Leave>
void for_each_tool(const Json& tools, const std::string& space, const Take& take, const Leave& leave) {
  if (!tools.is_array()) return;
  for (const Json& tool : tools) {
    const std::string type = text_of(member(tool, "type")), name = text_of(member(tool, "name"));
    if (type == "namespace" && space.empty())
      for_each_tool(member(tool, "tools"), name, take, leave);
    else if ((type == "function" || type == "custom") && !name.empty())
      take(name_in_chat(space, name), tool, space);
    else
      leave(type);
  }
}

// The tools of a call, and those that stand among its items.
template <class Take, class Leave>
void for_each_tool(const Json& asked, const Take& take, const Leave& leave) {
  for_each_tool(member(asked, "tools"), "", take, leave);
  const Json& input = member(asked, "input");
  if (!input.is_array()) return;
  for (const Json& item : input)
    if (member(item, "type") == "additional_tools") for_each_tool(member(item, "tools"), "", take, leave);
}

Json tools_of(const Json& asked, LeftOut& left_out) {
  Json made = Json::array();
  for_each_tool(
      asked,
      [&](const std::string& name, const Json& tool, const std::string&) {
        made.push_back(member(tool, "type") == "custom" ? custom_tool(name, tool) : function_tool(name, tool));
      },
      [&](const std::string& type) { ++left_out[type]; });
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
  if (type == "function" || type == "custom")
    body["tool_choice"] = {
        {"type", "function"},
        {"function", {{"name", name_in_chat(text_of(member(choice, "namespace")), text_of(member(choice, "name")))}}}};
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

void add_wishes(const Json& asked, Json& body, LeftOut& left_out) {
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
  if (Json tools = tools_of(asked, left_out); !tools.empty()) {
    body["tools"] = std::move(tools);
    if (const Json& parallel = member(asked, "parallel_tool_calls"); parallel.is_boolean())
      body["parallel_tool_calls"] = parallel;
    add_choice(member(asked, "tool_choice"), body);
  }
  if (member(asked, "stream") != true) return;
  body["stream"] = true;
  body["stream_options"] = {{"include_usage", true}};
}

}  // namespace

Result<ChatCall> chat_call_of(const ChatCall& call, const Config& config) {
  const Json asked = Json::parse(call.body);
  WEFT_CHECK(check_wishes(asked));
  Json body = {{"model", member(asked, "model")}};
  LeftOut left_out;
  body["messages"] = messages_of(call, left_out);
  if (body["messages"].empty())
    return invalid_argument("input holds no message that a chat completion has a place for");
  add_wishes(asked, body, left_out);
  WEFT_TRY(ChatCall made, parse_call(write_json(body), config));
  made.names = call.names;
  made.helper = call.helper;
  made.translated = true;
  made.left_out = std::move(left_out);
  made.responses = call.responses;
  made.responses.asked = call.body;
  return made;
}

ToolNames tool_names_of(std::string_view body) {
  ToolNames names;
  for_each_tool(
      Json::parse(body, nullptr, false),
      [&](const std::string& name, const Json& tool, const std::string& space) {
        const bool custom = member(tool, "type") == "custom";
        if (custom || !space.empty()) names[name] = {text_of(member(tool, "name")), space, custom};
      },
      [](const std::string&) {});
  return names;
}

}  // namespace weft::proxy
