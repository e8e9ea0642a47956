#include "agent/mcp_client.h"

#include <algorithm>
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

}  // namespace weft
