// Whether a call of a tool failed.
#include "flow/compaction/failure.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/ascii.h"
#include "flow/compaction/failure_lines.h"
#include "text/json.h"
#include "text/utf8.h"

namespace weft {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kReason = 400;         // bytes of a reason
constexpr std::size_t kSearched = 64 * 1024;  // bytes at each end of an output that are looked at
constexpr std::size_t kShort = 500, kFewLines = 4;  // a short output may be nothing but a report
constexpr std::size_t kLargestJson = 1 << 20;
constexpr std::size_t kEnvelope = 2000, kEnvelopeMembers = 8;  // of an answer that may report a failure
constexpr std::int64_t kFirstHttpError = 400, kLastHttpError = 599;

std::string folded(std::string_view name) {
  std::string low;
  for (const char c : name)
    if (c != '_' && c != '-' && c != ' ') low += to_lower(c);
  return low;
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool says_something(const Json& value) {
  if (value.is_null()) return false;
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number()) return value.get<double>() != 0;
  if (value.is_string()) return value.get_ref<const std::string&>().find_first_not_of(" \t\r\n") != std::string::npos;
  return !value.empty();
}

std::string text_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_object())
    for (const char* field : {"message", "detail", "reason", "error", "description"})
      if (const auto at = value.find(field); at != value.end() && at->is_string()) return at->get<std::string>();
  return write_json(value);
}

bool is_failing_state(const Json& value) {
  if (value.is_number_integer()) {
    const auto number = value.get<std::int64_t>();
    return number >= kFirstHttpError && number <= kLastHttpError;
  }
  return value.is_string() && is_one_of(folded(value.get_ref<const std::string&>()),
                                        {"error", "errored", "failed", "failure", "fail", "timeout", "timedout",
                                         "denied", "rejected", "aborted", "失败", "错误", "异常", "超时"});
}

// One member of an output. The state of something that was looked up ("failed" of an order) is not that of the call.
bool says_failure(const std::string& name, const Json& value, bool reads) {
  if (is_one_of(name, {"error", "exception", "errormessage", "traceback"})) return says_something(value);
  if (is_one_of(name, {"errors", "failures"})) return value.is_array() && !value.empty();
  if (is_one_of(name, {"iserror", "failed", "timedout"})) return value.is_boolean() && value.get<bool>();
  if (is_one_of(name, {"success", "ok", "succeeded", "successful"})) return value.is_boolean() && !value.get<bool>();
  if (is_one_of(name, {"exitcode", "exitstatus", "returncode", "errorcode", "errno"}))
    return value.is_number() && value.get<double>() != 0;
  if (!is_one_of(name, {"status", "statuscode", "httpstatus", "state", "outcome", "result"})) return false;
  if (reads && value.is_string()) return folded(value.get_ref<const std::string&>()) == "error";
  return is_failing_state(value);
}

std::string reason_of(const Json& object) {
  for (const char* wanted : {"error", "errormessage", "exception", "errors", "stderr", "message", "detail", "reason",
                             "msg", "traceback", "output", "stdout"})
    for (const auto& [name, value] : object.items())
      if (folded(name) == wanted && !value.is_boolean() && says_something(value)) return text_of(value);
  return write_json(object);
}

/// What an output in JSON says of itself.
struct Told {
  bool is_json = false;
  std::string why;
};

// Only of itself: what stands in lists is what was found.
std::string why_of(const Json& object, bool reads, int depth) {
  for (const auto& [name, value] : object.items()) {
    const std::string low = folded(name);
    if (says_failure(low, value, reads)) return reason_of(object);
    const bool inner = depth > 0 && value.is_object() && is_one_of(low, {"result", "response", "output"});
    if (!inner) continue;
    if (std::string why = why_of(value, reads, depth - 1); !why.empty()) return why;
  }
  return {};
}

// A long document that was read is not about the call that read it.
Told told_by_json(std::string_view text, bool reads) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || (text[first] != '{' && text[first] != '[')) return {};
  if (text.size() > kLargestJson || !check_json(text, {}, "output").ok()) return {};
  const Json json = Json::parse(text, nullptr, false);
  const bool speaks = json.is_object() && (!reads || (text.size() <= kEnvelope && json.size() <= kEnvelopeMembers));
  return {true, speaks ? why_of(json, reads, 1) : std::string()};
}

std::string short_reason(std::string_view why) {
  const auto first = why.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos ? std::string() : std::string(cut_bytes(why.substr(first), kReason));
}

std::string_view first_line(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find('\n', first) - first);
}

// Both ends of a long text: a program says at its beginning or at its end that it failed.
std::string failure_in_text(std::string_view text, bool reads) {
  const std::string_view head = text.substr(0, kSearched);
  const std::string_view tail = text.size() > 2 * kSearched ? text.substr(text.size() - kSearched) : text;
  const DeclaredEnd end = declared_end(tail);
  if (end.known && !end.failed) return {};
  const std::string_view first = first_line(head);
  const bool is_short = text.size() <= kShort && std::count(text.begin(), text.end(), '\n') < std::ptrdiff_t{kFewLines};
  std::string_view why;
  if (!reads || (is_short && begins_report(first))) why = report_line(tail);
  if (!reads && why.empty() && tail.data() != head.data()) why = report_line(head);
  if (why.empty() && is_short && begins_report(first)) why = first;
  if (why.empty() && is_http_error(first)) why = first;
  if (end.failed && !reads) return short_reason(why.empty() ? end.line : why);
  return short_reason(why);
}

std::string failure(std::string_view text, bool reads) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return {};
  const Told told = told_by_json(text, reads);
  return told.is_json ? short_reason(told.why) : failure_in_text(text, reads);
}

}  // namespace

std::string failure_of(const ToolCall* call, const Message& output) {
  const bool reads = call != nullptr && only_reads(*call);
  std::string why = failure(output.content, reads);
  if (!output.failed || !why.empty()) return why;
  // Its sender says so; of the text it is only asked where it says why.
  why = failure(output.content, false);
  if (why.empty()) why = short_reason(first_line(output.content));
  return why.empty() ? "it was marked as an error" : why;
}

std::string failure_in(std::string_view output) { return failure(output, false); }

}  // namespace weft
