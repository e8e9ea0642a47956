#include "agent/mcp_client.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>

#include "text/json.h"

namespace weft {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostPages = 100;
constexpr std::size_t kLongestName = 64;

class McpTool final : public Tool {
 public:
  McpTool(std::shared_ptr<McpClient> client, McpToolInfo tool, std::string name)
      : client_(std::move(client)), theirs_(std::move(tool.info.name)), effects_(tool.effects), open_(tool.open_world) {
    info_ = std::move(tool.info);
    info_.name = std::move(name);
  }

  const ToolInfo& info() const override { return info_; }
  ToolEffects effects() const override { return effects_; }
  Result<ToolOutcome> run(const ToolRequest& request) override {
    WEFT_TRY(ToolOutcome outcome, client_->call(theirs_, request.arguments, request.deadline));
    outcome.provenance = open_ ? Provenance::kWeb : Provenance::kTool;
    return outcome;
  }

 private:
  std::shared_ptr<McpClient> client_;
  std::string theirs_;
  ToolEffects effects_;
  bool open_;
  ToolInfo info_;
};

// Letters, digits, '_' and '-', cut to what models take, and not one that is taken.
std::string callable_name(const std::string& server, const std::string& tool, std::set<std::string>& taken) {
  std::string name = server + "_" + tool;
  for (char& c : name) {
    const bool fine =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    if (!fine) c = '_';
  }
  name.resize(std::min(name.size(), kLongestName));
  for (int number = 2; !taken.insert(name).second; ++number) {
    const std::string suffix = "_" + std::to_string(number);
    name.resize(std::min(name.size(), kLongestName - suffix.size()));
    name += suffix;
  }
  return name;
}

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

using Json = nlohmann::json;

// ${NAME} from the environment.
Result<std::string> filled(const std::string& text, const std::string& place) {
  std::string out;
  std::size_t at = 0;
  for (auto begin = text.find("${"); begin != std::string::npos; begin = text.find("${", at)) {
    const auto end = text.find('}', begin);
    if (end == std::string::npos) break;
    const std::string name = text.substr(begin + 2, end - begin - 2);
    const char* value = std::getenv(name.c_str());
    if (value == nullptr)
      return invalid_argument(place + ": there is no environment variable " + name, "set it before Weft is started");
    out += text.substr(at, begin - at) + value;
    at = end + 1;
  }
  return out + text.substr(at);
}

Result<std::string> text_at(const Json& value, const std::string& place) {
  if (!value.is_string()) return invalid_argument(place + " must be text");
  return filled(value.get<std::string>(), place);
}

Result<std::vector<std::string>> texts_at(const Json& value, const std::string& place) {
  if (!value.is_array()) return invalid_argument(place + " must be a list of texts");
  std::vector<std::string> texts;
  for (const Json& one : value) {
    WEFT_TRY(std::string text, text_at(one, place + "[" + std::to_string(texts.size()) + "]"));
    texts.push_back(std::move(text));
  }
  return texts;
}

Result<std::vector<std::pair<std::string, std::string>>> pairs_at(const Json& value, const std::string& place) {
  if (!value.is_object()) return invalid_argument(place + " must be an object of texts");
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const auto& [name, one] : value.items()) {
    WEFT_TRY(std::string text, text_at(one, place + "." + name));
    pairs.emplace_back(name, std::move(text));
  }
  return pairs;
}

Status read_field(const std::string& field, const Json& value, const std::string& place, McpServer& server) {
  if (field == "command") {
    WEFT_TRY(std::string command, text_at(value, place));
    server.command.insert(server.command.begin(), std::move(command));
  } else if (field == "args") {
    WEFT_TRY(auto arguments, texts_at(value, place));
    server.command.insert(server.command.end(), arguments.begin(), arguments.end());
  } else if (field == "env") {
    WEFT_TRY(server.environment, pairs_at(value, place));
  } else if (field == "url") {
    WEFT_TRY(server.url, text_at(value, place));
  } else if (field == "headers") {
    WEFT_TRY(server.headers, pairs_at(value, place));
  } else if (field == "tools") {
    WEFT_TRY(server.tools, texts_at(value, place));
  } else if (field == "timeout_ms") {
    if (!value.is_number_integer() || value.get<std::int64_t>() < 1)
      return invalid_argument(place + " must be a whole number of milliseconds, 1 or more");
    server.timeout = std::chrono::milliseconds(value.get<std::int64_t>());
  } else if (field != "type" && field != "disabled") {
    return invalid_argument(place + ": there is no such field",
                            "fields: command, args, env, url, headers, tools, timeout_ms, type, disabled");
  }
  return {};
}

}  // namespace

Result<std::vector<std::shared_ptr<Tool>>> McpClient::tools(const Deadline& deadline, std::set<std::string>& taken) {
  std::vector<std::shared_ptr<Tool>> tools;
  std::string cursor;
  for (std::size_t page = 0; page < kMostPages; ++page) {
    const Json parameters = cursor.empty() ? Json::object() : Json{{"cursor", cursor}};
    WEFT_TRY(const std::string result, ask("tools/list", {}, write_json(parameters), deadline));
    McpToolPage listed = mcp_tools(result);
    for (McpToolInfo& one : listed.tools) {
      const auto& wanted = server_.tools;
      if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), one.info.name) == wanted.end()) continue;
      std::string name = callable_name(server_.name, one.info.name, taken);
      tools.push_back(std::make_shared<McpTool>(shared_from_this(), std::move(one), std::move(name)));
    }
    if (listed.next.empty() || listed.next == cursor) break;
    cursor = std::move(listed.next);
  }
  return tools;
}

Result<ToolOutcome> McpClient::call(const std::string& tool, const std::string& arguments, const Deadline& deadline) {
  auto given = read_json(arguments.empty() ? "{}" : arguments, {.max_bytes = arguments.size() + 3}, "arguments");
  if (!given.ok()) return given.error();
  const Json parameters{{"name", tool}, {"arguments", *given}};
  const auto result = ask("tools/call", tool, write_json(parameters), deadline.within(server_.timeout));
  if (result.ok()) return mcp_outcome(*result);
  // What the model did wrong is for the model to read; that the server is gone is not.
  if (result.error().code == ErrorCode::kInvalidArgument) return ToolOutcome{result.error().message, true};
  return result.error();
}

Result<std::string> McpClient::ask(std::string_view method, std::string_view name, const std::string& parameters,
                                   const Deadline& deadline) {
  WEFT_CHECK(begin(deadline));
  auto result = ask_once(method, name, parameters, deadline);
  if (result.ok() || result.error().code != ErrorCode::kNotFound) return result;
  // The server has forgotten the conversation: it was started anew.
  {
    const std::lock_guard lock(mutex_);
    transport_ = nullptr;
  }
  WEFT_CHECK(begin(deadline));
  return ask_once(method, name, parameters, deadline);
}

McpMessage McpClient::message(std::int64_t id, std::string_view method, std::string_view name,
                              const std::string& parameters) {
  const std::lock_guard lock(mutex_);
  McpMessage message{mcp_request(form_, id, method, parameters), std::to_string(id), {}};
  if (!version_.empty()) message.headers.emplace_back("MCP-Protocol-Version", version_);
  if (form_ == McpForm::kStateless) {
    message.headers.emplace_back("Mcp-Method", method);
    if (!name.empty()) message.headers.emplace_back("Mcp-Name", name);
  }
  return message;
}

Result<std::string> McpClient::ask_once(std::string_view method, std::string_view name, const std::string& parameters,
                                        const Deadline& deadline) {
  std::shared_ptr<McpTransport> transport;
  {
    const std::lock_guard lock(mutex_);
    transport = transport_;
  }
  if (!transport) return unavailable("the server " + server_.name + " is not there");
  const std::int64_t id = next_id_++;
  const McpMessage sent = message(id, method, name, parameters);
  const auto answer = transport->ask(sent, deadline);
  if (answer.ok()) return mcp_result(*answer);
  const ErrorCode code = answer.error().code;
  if (code == ErrorCode::kTimeout || code == ErrorCode::kCancelled) {
    const Json what{{"requestId", id}, {"reason", code == ErrorCode::kTimeout ? "timeout" : "cancelled"}};
    (void)transport->tell({mcp_notification("notifications/cancelled", write_json(what)), {}, sent.headers},
                          Deadline::after(std::chrono::milliseconds(500)));
  }
  if (code == ErrorCode::kUnavailable) {
    const std::lock_guard lock(mutex_);
    if (transport_ == transport) transport_ = nullptr;  // begun with again at the next call
  }
  Error error = answer.error();
  error.message = "server " + server_.name + ": " + error.message;
  return error;
}

// One at a time; who comes meanwhile finds it done.
Status McpClient::begin(const Deadline& deadline) {
  const std::lock_guard one(begin_mutex_);
  {
    const std::lock_guard lock(mutex_);
    if (transport_) return {};
    form_ = McpForm::kHandshake;
    version_.clear();
  }
  auto transport = open_(server_, [](std::string_view asked) { return mcp_reply(asked); });
  if (!transport.ok()) {
    Error error = transport.error();
    error.message = "server " + server_.name + ": " + error.message;
    return error;
  }
  {
    const std::lock_guard lock(mutex_);
    transport_ = std::move(transport).value();
  }
  const Status begun = shake_hands(deadline.within(server_.timeout));
  if (begun.ok()) return begun;
  const std::lock_guard lock(mutex_);
  transport_ = nullptr;
  return begun;
}

Status McpClient::shake_hands(const Deadline& deadline) {
  const Json hello{{"protocolVersion", kMcpHandshakeVersion},
                   {"capabilities", Json::object()},
                   {"clientInfo", {{"name", "weft"}, {"version", "0.1"}}}};
  const auto welcome = ask_once("initialize", {}, write_json(hello), deadline);
  if (welcome.ok()) {
    WEFT_TRY(const Json read, read_json(*welcome, {.max_bytes = welcome->size() + 1}, "initialize"));
    std::shared_ptr<McpTransport> transport;
    HttpHeaders headers;
    {
      const std::lock_guard lock(mutex_);
      version_ = read.is_object() ? read.value("protocolVersion", std::string(kMcpHandshakeVersion)) : std::string();
      transport = transport_;
      headers.emplace_back("MCP-Protocol-Version", version_);
    }
    return transport->tell({mcp_notification("notifications/initialized", "{}"), {}, headers}, deadline);
  }
  // Servers of the stateless revision know no handshake.
  const ErrorCode code = welcome.error().code;
  if (code == ErrorCode::kTimeout || code == ErrorCode::kCancelled || code == ErrorCode::kPermission)
    return welcome.error();
  {
    const std::lock_guard lock(mutex_);
    if (!transport_) return welcome.error();
    form_ = McpForm::kStateless;
    version_ = kMcpStatelessVersion;
  }
  const auto found = ask_once("server/discover", {}, "{}", deadline);
  return found.ok() ? Status() : Status(welcome.error());
}

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

// mcp.json: which servers there are.

Result<std::vector<McpServer>> parse_mcp_servers(std::string_view json, std::string_view what) {
  WEFT_TRY(const Json root, read_json(json, {.max_bytes = 1024 * 1024}, what));
  const std::string place(what);
  if (!root.is_object() || !root.contains("mcpServers") || !root["mcpServers"].is_object())
    return invalid_argument(place + ": there is no object \"mcpServers\"",
                            R"(write {"mcpServers": {"NAME": {"command": "…", "args": ["…"]}}})");
  std::vector<McpServer> servers;
  for (const auto& [name, entry] : root["mcpServers"].items()) {
    const std::string here = place + ": mcpServers." + name;
    if (!entry.is_object()) return invalid_argument(here + " must be an object");
    if (entry.value("disabled", false)) continue;
    McpServer server;
    server.name = name;
    for (const auto& [field, value] : entry.items()) WEFT_CHECK(read_field(field, value, here + "." + field, server));
    if (server.command.empty() == server.url.empty())
      return invalid_argument(here + " needs a command or a url, one of the two");
    servers.push_back(std::move(server));
  }
  return servers;
}

}  // namespace weft
