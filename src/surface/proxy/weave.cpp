#include "surface/proxy/weave.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "flow/compaction/session_turns.h"
#include "text/json.h"
#include "text/token_counter.h"

namespace weft::proxy {
namespace {

constexpr std::int64_t kMostTokens = 1'000'000'000;

Status read_header(const http::Request& request, std::string_view name, std::string_view shown, std::int64_t& into) {
  const auto text = request.header(name);
  if (text.empty()) return {};
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && value > 0 && value <= kMostTokens) {
    into = value;
    return {};
  }
  return invalid_argument("the header " + std::string(shown) + " is \"" + std::string(text.substr(0, 40)) + "\"",
                          "send a whole number of tokens such as 32768, or leave the header out");
}

std::int64_t number_in(std::string_view body, std::string_view name) {
  const auto text = json_member(body, name);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value > 0 ? std::min(value, kMostTokens) : 0;
}

// What goes along with the messages.
std::int64_t other_tokens(const ChatCall& call) {
  std::int64_t tokens = 0;
  for (const char* field : {"tools", "functions", "response_format", "text"})
    tokens += estimate_tokens(json_member(call.body, field), TokenMode::kScript);
  return tokens;
}

}  // namespace

Result<CallLimits> limits_of_call(const http::Request& request, const ChatCall& call, const ModelTraits& known) {
  CallLimits limits;
  WEFT_CHECK(read_header(request, "x-weft-window", "X-Weft-Window", limits.window));
  WEFT_CHECK(read_header(request, "x-weft-output", "X-Weft-Output", limits.output));
  limits.named = limits.window > 0;
  limits.system_messages = known.system_messages;
  if (!call.unreadable.empty()) return limits;
  for (const char* field : {"max_completion_tokens", "max_tokens", "max_output_tokens"})
    if (limits.output == 0) limits.output = number_in(call.body, field);
  if (limits.output == 0) limits.output = known.output;
  // Clients name a most that they hardly ever need; half of the window stays for what is asked.
  const std::int64_t window = limits.window > 0 ? limits.window : known.window;
  if (window > 0) limits.output = std::min(limits.output, window / 2);
  limits.other = other_tokens(call);
  return limits;
}

std::int64_t tokens_of(const ChatCall& call) {
  std::int64_t tokens = other_tokens(call);
  for (const Message& message : call.messages) tokens += sent_tokens(message, TokenCounter(TokenMode::kScript));
  return tokens;
}

std::int64_t smaller_window(const Refusal& refusal, std::int64_t used, std::int64_t counted) {
  std::int64_t window = refusal.window > 0 && refusal.window < used ? refusal.window : used * 3 / 4;
  if (counted > 0 && refusal.prompt > counted) {
    const std::int64_t whole = refusal.window > 0 ? std::min(refusal.window, used) : used;
    window = std::min(window, std::max(whole / 4, whole * counted / refusal.prompt));
  }
  return window;
}

namespace {

std::string text_member(std::string_view object, std::string_view name) {
  if (!object.starts_with('{')) return {};
  const auto text = json_text(json_member(object, name));
  return text.ok() ? *text : std::string();
}

// In the Responses API a tool, or the choice of one, is the function itself.
std::string_view function_of(std::string_view tool) {
  if (!tool.starts_with('{')) return {};
  const std::string_view function = json_member(tool, "function");
  return function.empty() && json_member(tool, "type") == R"("function")" ? tool : function;
}

std::string_view tools_of(std::string_view body) {
  const auto tools = json_member(body, "tools");
  return tools.starts_with('[') ? tools : std::string_view();
}

}  // namespace

std::vector<ToolInfo> tools_in(std::string_view body) {
  std::vector<ToolInfo> tools;
  const std::string_view array = tools_of(body);
  if (array.empty()) return tools;
  for (const std::string_view tool : json_elements(array)) {
    const std::string_view function = function_of(tool);
    std::string name = text_member(function, "name");
    if (name.empty()) continue;
    const auto parameters = json_member(function, "parameters");
    tools.push_back({std::move(name), text_member(function, "description"), std::string(parameters)});
  }
  return tools;
}

std::string with_tools(std::string body, const std::vector<std::string>& names) {
  const std::string_view array = tools_of(body);
  if (array.empty()) return body;
  const std::string asked = text_member(function_of(json_member(body, "tool_choice")), "name");
  std::string kept = "[";
  bool any = false;
  for (const std::string_view tool : json_elements(array)) {
    const std::string name = text_member(function_of(tool), "name");
    const bool wanted = name.empty() || name == asked || std::find(names.begin(), names.end(), name) != names.end();
    if (!wanted) continue;
    if (any) kept += ',';
    kept += tool;
    any = true;
  }
  if (!any) return body;
  const auto begin = static_cast<std::size_t>(array.data() - body.data());
  return body.replace(begin, array.size(), kept + "]");
}

Result<Woven> weave(Engine& engine, const RequestContext& request, const SessionId& session, ChatCall& call,
                    const CallLimits& limits) {
  ContextRequest what;
  what.history = call.messages;
  what.said = call.remembered().texts;
  what.observe = false;  // it was, when the call came in
  what.model = call.model;
  if (engine.config().proxy.tools == ProxyTools::kChosen) {
    what.tools = tools_in(call.body);
    what.describe_tools = false;
  }
  what.window = limits.window;
  what.output_tokens = limits.output;
  what.other_tokens = limits.other;
  what.system_messages = to_string(limits.system_messages);
  WEFT_TRY(auto context, engine.session(request, session).context(what));
  const Message& sent = call.messages.back();
  const auto& woven = context.messages;
  if (woven.empty() || woven.back().role != sent.role || woven.back().tool_call_id != sent.tool_call_id)
    return internal("the woven context does not end with the client's last message");
  return Woven{std::move(context.messages), context.report.tokens, std::move(context.tools), context.report.window};
}

Result<CallMemory> memory_of_call(const http::Request& request, CallMemory otherwise) {
  const auto text = request.header("x-weft-memory");
  if (text.empty()) return otherwise;
  // A call may ask for less than the settings allow, not for more.
  if (text == "on") return otherwise;
  if (text == "record") return CallMemory::kRecord;
  if (text == "off") return CallMemory::kOff;
  return invalid_argument("the header X-Weft-Memory is \"" + std::string(text.substr(0, 40)) + "\"",
                          "send on, record or off, or leave the header out");
}

}  // namespace weft::proxy
