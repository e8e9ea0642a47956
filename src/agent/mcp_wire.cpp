#include "agent/mcp_wire.h"

#include <nlohmann/json.hpp>

#include "text/json.h"

namespace weft {
namespace {

using Json = nlohmann::json;

// Empty where the text is no JSON: servers are not trusted to send any.
Json parsed(std::string_view text) {
  auto json = read_json(text, {.max_bytes = text.size() + 1}, "message");
  return json.ok() ? std::move(json).value() : Json();
}

std::string text_of(const Json& object, const char* name) {
  if (!object.is_object() || !object.contains(name) || !object[name].is_string()) return {};
  return object[name].get<std::string>();
}

bool flag_of(const Json& object, const char* name, bool otherwise) {
  if (!object.is_object() || !object.contains(name) || !object[name].is_boolean()) return otherwise;
  return object[name].get<bool>();
}

Json meta() {
  return {{"io.modelcontextprotocol/protocolVersion", kMcpStatelessVersion},
          {"io.modelcontextprotocol/clientCapabilities", Json::object()},
          {"io.modelcontextprotocol/clientInfo", {{"name", "weft"}, {"version", "0.1"}}}};
}

Json message(std::string_view method, Json parameters) {
  Json out{{"jsonrpc", "2.0"}, {"method", method}};
  if (!parameters.empty()) out["params"] = std::move(parameters);
  return out;
}

// One part of a tool's answer in words.
std::string part_text(const Json& part) {
  const std::string type = text_of(part, "type");
  if (type == "text") return text_of(part, "text");
  if (type == "resource_link") return "[resource " + text_of(part, "uri") + " " + text_of(part, "name") + "]";
  if (type == "resource" && part.contains("resource")) {
    const std::string text = text_of(part["resource"], "text");
    return text.empty() ? "[resource " + text_of(part["resource"], "uri") + "]" : text;
  }
  const std::string kind = text_of(part, "mimeType");
  return "[" + (kind.empty() ? type : kind) + ", " + std::to_string(text_of(part, "data").size() * 3 / 4) + " bytes]";
}

ToolEffects effects_of(const Json& annotations) {
  if (flag_of(annotations, "readOnlyHint", false) || flag_of(annotations, "idempotentHint", false))
    return ToolEffects::kNone;
  return ToolEffects::kSome;
}

}  // namespace

std::string mcp_request(McpForm form, std::int64_t id, std::string_view method, std::string_view parameters) {
  Json given = parsed(parameters);
  if (!given.is_object()) given = Json::object();
  if (form == McpForm::kStateless) given["_meta"] = meta();
  Json out = message(method, std::move(given));
  out["id"] = id;
  return write_json(out);
}

std::string mcp_notification(std::string_view method, std::string_view parameters) {
  return write_json(message(method, parsed(parameters)));
}

std::string mcp_reply(std::string_view message) {
  const Json asked = parsed(message);
  if (!asked.is_object() || !asked.contains("id") || !asked.contains("method")) return {};
  Json reply{{"jsonrpc", "2.0"}, {"id", asked["id"]}};
  if (text_of(asked, "method") == "ping")
    reply["result"] = Json::object();
  else
    reply["error"] = {{"code", -32601}, {"message", "this client does not offer that"}};
  return write_json(reply);
}

Result<std::string> mcp_result(std::string_view answer) {
  const Json json = parsed(answer);
  if (json.is_object() && json.contains("result")) return write_json(json["result"]);
  if (!json.is_object() || !json.contains("error")) return unavailable("the server's answer is no JSON-RPC");
  const Json& error = json["error"];
  const std::string what = text_of(error, "message").empty() ? "the server refused" : text_of(error, "message");
  const auto code = error.is_object() && error.contains("code") && error["code"].is_number_integer()
                        ? error["code"].get<std::int64_t>()
                        : 0;
  if (code == -32601) return not_found(what);
  if (code == -32602) return invalid_argument(what);
  // Version not spoken, in the stateless revision; a missing header or _meta there.
  if (code <= -32020 && code >= -32029) return conflict(what);
  return unavailable(what);
}

McpToolPage mcp_tools(std::string_view result) {
  const Json json = parsed(result);
  McpToolPage page;
  if (!json.is_object() || !json.contains("tools") || !json["tools"].is_array()) return page;
  page.next = text_of(json, "nextCursor");
  for (const Json& one : json["tools"]) {
    McpToolInfo tool;
    tool.info.name = text_of(one, "name");
    if (tool.info.name.empty()) continue;
    tool.info.description = text_of(one, "description");
    if (tool.info.description.empty()) tool.info.description = text_of(one, "title");
    if (one.contains("inputSchema") && one["inputSchema"].is_object())
      tool.info.parameters = write_json(one["inputSchema"]);
    const Json annotations = one.contains("annotations") ? one["annotations"] : Json();
    tool.effects = effects_of(annotations);
    tool.open_world = flag_of(annotations, "openWorldHint", true);
    page.tools.push_back(std::move(tool));
  }
  return page;
}

ToolOutcome mcp_outcome(std::string_view result) {
  const Json json = parsed(result);
  ToolOutcome outcome;
  outcome.failed = flag_of(json, "isError", false);
  if (json.is_object() && json.contains("content") && json["content"].is_array())
    for (const Json& part : json["content"]) {
      const std::string text = part_text(part);
      if (!text.empty()) outcome.output += (outcome.output.empty() ? "" : "\n") + text;
    }
  if (outcome.output.empty() && json.is_object() && json.contains("structuredContent"))
    outcome.output = write_json(json["structuredContent"]);
  if (text_of(json, "resultType") == "input_required") {
    outcome.failed = true;
    outcome.output = "The tool asks a person for something before it goes on, which this client does not offer.";
  }
  return outcome;
}

}  // namespace weft
