// mcp.json: which servers there are.
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "agent/mcp_client.h"
#include "text/json.h"

namespace weft {
namespace {

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
