#include "surface/proxy/turn.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/strings.h"
#include "flow/compaction/compact.h"
#include "model/message_reader.h"
#include "text/json.h"
#include "text/token_counter.h"

namespace weft::proxy {
namespace {

constexpr std::size_t kMostRead = 64 * 1024;  // of an error; longer ones are no errors of a model's server

constexpr std::array<std::string_view, 21> kTooLong = {
    "context_length_exceeded", "maximum context length",   "max context length",
    "prompt is too long",      "exceed_context_size",      "exceeds the available context size",
    "input token count",       "exceed context limit",     "exceeds the context",
    "context window",          "context length",           "context size",
    "prompt too long",         "reduce the length of the", "too many input tokens",
    "input is too long",       "maximum input length",     "max_model_len",
    "model_max_prompt_tokens", "exceeds maximum tokens",   "too large for model",
};

// A limit of calls or of money speaks of tokens as well, and no shorter prompt helps.
constexpr std::array<std::string_view, 5> kNotTooLong = {"per minute", "per day", "rate_limit", "rate limit", "quota"};

constexpr std::array<std::string_view, 17> kSystemFirst = {
    "system message must be",        "system messages must be",   "system message should be",
    "system messages should be",     "system message can only",   "system message is only",
    "only the first message can be", "only one system message",   "multiple system messages",
    "unexpected role 'system'",      "unexpected role system",    "unexpected role \"system\"",
    "system role must be",           "system prompt must be",     "system message at the beginning",
    "system messages are only",      "developer message must be",
};

constexpr std::array<std::string_view, 14> kNoSystem = {
    "only user and assistant roles",
    "only user, assistant",
    "system role not supported",
    "system role is not supported",
    "does not support system",
    "doesn't support system",
    "not support the system role",
    "system messages are not supported",
    "system message is not supported",
    "system prompt is not supported",
    "system instruction is not",
    "developer instruction is not",
    "role 'system' is not",
    "unsupported role: system",
};

constexpr std::array<std::string_view, 7> kInTurn = {
    "roles must alternate",     "role must alternate",  "must alternate between",       "roles should alternate",
    "alternate user/assistant", "consecutive messages", "multiturn requests alternate",
};

// What stands before the number of the window, the surest first.
constexpr std::array<std::string_view, 23> kBeforeWindow = {
    "maximum context length is",
    "maximum context length of this model is",
    "maximum context length of",
    "max context length is",
    "context length is only",
    "context length of only",
    "context length is",
    "context length of",
    "context length (",
    "context window of",
    "context window is",
    "context window (",
    "context size (",
    "context size of",
    "context size is",
    "n_ctx\":",
    "n_ctx:",
    "number of tokens allowed (",
    "for model with",
    "> ",
    "context limit:",
    "model_max_prompt_tokens:",
    "max_model_len:",
};

constexpr std::array<std::string_view, 10> kBeforePrompt = {
    "messages resulted in", "n_prompt_tokens\":", "prompt contains",     "prompt is too long:", "input token count (",
    "request has",          "passed at least",    "you requested about", "you requested",       "input length is",
};

// Without the escapes of JSON, as far as they matter: some servers write '>' as one.
std::string lowered(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, kMostRead))
    if (c != '\\') out += to_lower(c);
  constexpr std::string_view kGreater = "u003e";
  for (auto at = out.find(kGreater); at != std::string::npos; at = out.find(kGreater, at))
    out.replace(at, kGreater.size(), ">");
  return out;
}

bool has_any(std::string_view text, std::span<const std::string_view> phrases) {
  for (const auto phrase : phrases)
    if (text.find(phrase) != std::string_view::npos) return true;
  return false;
}

// The number behind a phrase, with separators of thousands or without; 0 where there is none.
std::int64_t number_at(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '"' || text[at] == '(')) ++at;
  std::int64_t number = 0;
  for (int digits = 0; at < text.size() && digits < 12; ++at) {
    const bool separates = digits > 0 && (text[at] == ',' || text[at] == '_') && at + 1 < text.size() &&
                           text[at + 1] >= '0' && text[at + 1] <= '9';
    if (separates) continue;
    if (text[at] < '0' || text[at] > '9') break;
    number = number * 10 + (text[at] - '0');
    ++digits;
  }
  return number;
}

std::int64_t number_behind(std::string_view text, std::span<const std::string_view> phrases) {
  for (const auto phrase : phrases) {
    for (auto at = text.find(phrase); at != std::string_view::npos; at = text.find(phrase, at + 1)) {
      const auto number = number_at(text, at + phrase.size());
      if (number >= 128) return number;
    }
  }
  return 0;
}

}  // namespace

Refusal read_refusal(int status, std::string_view body) {
  Refusal refusal;
  if (status < 400 || status == 401 || status == 403 || status == 404 || status == 429) return refusal;
  const std::string text = lowered(body);
  refusal.needs.no_system = has_any(text, kNoSystem);
  refusal.needs.in_turn = has_any(text, kInTurn);
  refusal.needs.system_first = has_any(text, kSystemFirst) || refusal.needs.in_turn;
  if (refusal.needs.any()) {
    refusal.kind = Refusal::Kind::kSystemMessages;
  } else if (has_any(text, kTooLong) && !has_any(text, kNotTooLong)) {
    refusal.kind = Refusal::Kind::kTooLong;
    refusal.window = number_behind(text, kBeforeWindow);
    refusal.prompt = number_behind(text, kBeforePrompt);
  }
  return refusal;
}

namespace {

bool has_parts(const Message& message) { return json_member(message.raw, "content").starts_with('['); }

// The parts of a message, without their brackets.
std::string parts_in(const Message& message) {
  if (!has_parts(message)) return write_json(nlohmann::json{{"type", "text"}, {"text", message.content}});
  const std::string_view content = json_member(message.raw, "content");
  return std::string(content.substr(1, content.size() - 2));
}

Message joined(const Message& first, const Message& second) {
  Message both = first;
  both.content += (both.content.empty() || second.content.empty() ? "" : "\n\n") + second.content;
  both.raw.clear();
  if (!first.raw.empty() && !second.raw.empty() && (has_parts(first) || has_parts(second)))
    both.raw = R"({"role":")" + std::string(to_string(first.role)) + R"(","content":[)" + parts_in(first) + "," +
               parts_in(second) + "]}";
  return both;
}

// All system messages as one.
std::optional<Message> system_of(const std::vector<Message>& messages) {
  std::optional<Message> system;
  for (const Message& message : messages) {
    if (message.role != Role::kSystem) continue;
    system = system ? joined(*system, message) : message;
  }
  return system;
}

}  // namespace

std::vector<Message> fitted(const std::vector<Message>& messages, TemplateNeeds needs) {
  std::vector<Message> out;
  std::optional<Message> system;
  if (needs.system_first || needs.no_system) system = system_of(messages);
  if (system && !needs.no_system) out.push_back(*system);
  for (const Message& message : messages) {
    if (system && message.role == Role::kSystem) continue;
    const bool before_first = needs.no_system && system && message.role == Role::kUser;
    Message next = before_first ? with_text_before(message, system->content + "\n\n") : message;
    if (before_first) needs.no_system = false;
    const bool same = needs.in_turn && !out.empty() && out.back().role == next.role && next.role != Role::kTool &&
                      out.back().tool_calls.empty() && next.tool_calls.empty();
    if (same)
      out.back() = joined(out.back(), next);
    else
      out.push_back(std::move(next));
  }
  return out;
}

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

namespace {

// A client that has its answer may ask again before its call has quite ended here.
constexpr std::chrono::milliseconds kPatience{200};

}  // namespace

std::vector<SessionId> SessionFinder::busy_in(const ScopeKey& scope) const {
  std::vector<SessionId> out;
  for (auto [at, end] = busy_.equal_range(scope); at != end; ++at) out.push_back(at->second);
  return out;
}

// Waits a little where the conversation is being answered: more often than another chat it is the same one.
Status SessionFinder::wait_for_answer(const RequestContext& request, const std::vector<Message>& history) {
  std::unique_lock lock(mutex_);
  const ScopeKey scope = request.scope.key();
  if (!busy_.contains(scope)) return {};
  lock.unlock();
  WEFT_TRY(const auto session, engine_.memory(request).session_of(history, {}));
  lock.lock();
  released_.wait_for(lock, kPatience, [&] {
    const auto busy = busy_in(scope);
    return std::find(busy.begin(), busy.end(), session) == busy.end();
  });
  return {};
}

Result<SessionFinder::Held> SessionFinder::find(const RequestContext& request, const std::vector<Message>& history) {
  const ScopeKey scope = request.scope.key();
  WEFT_CHECK(wait_for_answer(request, history));
  const std::lock_guard one_at_a_time(finding_);
  std::unique_lock lock(mutex_);
  const auto busy = busy_in(scope);
  lock.unlock();
  Held held;
  WEFT_TRY(held.session_, engine_.memory(request).session_of(history, busy));
  lock.lock();
  const auto place = busy_.emplace(scope, held.session_);
  lock.unlock();  // where no memory is left the place is given back at once
  held.place_ = std::shared_ptr<void>(nullptr, [this, place](void*) {
    const std::lock_guard freed(mutex_);
    busy_.erase(place);
    released_.notify_all();
  });
  return held;
}

SessionFinder::Held SessionFinder::named(SessionId session) {
  Held held;
  held.session_ = std::move(session);
  return held;
}

bool is_found_session(const SessionId& session) { return session.str().starts_with("chat-"); }

Result<SessionFinder::Held> session_of_call(const RequestContext& request, const Names& headers, ChatCall& call,
                                            SessionFinder& finder) {
  const auto& named = headers.session.empty() ? call.names.session : headers.session;
  if (named.empty()) return finder.find(request, call.remembered().messages);
  WEFT_CHECK(check_id(named, "session"));
  return SessionFinder::named(SessionId(named));
}

}  // namespace weft::proxy
