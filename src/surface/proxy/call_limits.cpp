#include "surface/proxy/call_limits.h"

#include <algorithm>
#include <charconv>

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

}  // namespace weft::proxy
