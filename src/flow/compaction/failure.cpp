// Whether a call of a tool failed.
#include "flow/compaction/failure.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>

#include "base/strings.h"
#include "flow/compaction/key_facts.h"
#include "text/json.h"
#include "text/sentences.h"
#include "text/utf8.h"
#include "text/words.h"

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

// The forms in which programs report a failure, by the beginnings of lines.

namespace {

constexpr std::size_t kLongest = 2000;     // bytes of a line; longer ones are data
constexpr std::size_t kEnds = 3;           // lines at each end in which an exit code is declared
constexpr std::size_t kLevel = 80;         // bytes of a log's line in which its level stands
constexpr std::size_t kNameOfError = 120;  // bytes of "some.package.NameError"

// Followed by ":" or "[", a number, or the end: "error[E0308]: …", "fatal: …". Words alone say nothing ("The error").
constexpr std::array<std::string_view, 13> kHeads = {"error",  "fatal",    "fatal error", "panic", "failure",
                                                     "错误",   "失败",     "异常",        "报错",  "internal error",
                                                     "failed", "发生错误", "执行失败"};
// Whole beginnings.
constexpr std::array<std::string_view, 22> kReports = {"Traceback (most recent call last)",
                                                       "npm ERR!",
                                                       "npm error ",
                                                       "E: ",
                                                       "FAILED ",
                                                       "FAILED:",
                                                       "FAILED (",
                                                       "BUILD FAILED",
                                                       "--- FAIL: ",
                                                       "FAIL\t",
                                                       "Segmentation fault",
                                                       "Command failed",
                                                       "Unhandled exception",
                                                       "Uncaught ",
                                                       "Exception in thread",
                                                       "thread 'main' panicked",
                                                       "Invalid arguments",
                                                       "invalid argument",
                                                       "Permission denied",
                                                       "command not found",
                                                       "Killed",
                                                       "Error executing "};
// A short output that is nothing else may also begin so.
constexpr std::array<std::string_view, 12> kSentences = {"failed to ", "unable to ", "could not ", "couldn't ",
                                                         "cannot ",    "can't ",     "error ",     "access denied",
                                                         "无法",       "未能",       "找不到",     "执行失败"};
// What the system calls it: "cat: notes.txt: No such file or directory".
constexpr std::array<std::string_view, 13> kSystemErrors = {
    "No such file or directory", "Permission denied",    "Is a directory",
    "Not a directory",           "File exists",          "Operation not permitted",
    "Connection refused",        "Connection timed out", "No space left on device",
    "command not found",         "No such process",      "Resource busy",
    "Name or service not known"};
constexpr std::array<std::string_view, 5> kShells = {"bash: ", "sh: ", "zsh: ", "/bin/sh: ", "/bin/bash: "};

bool starts_with_folded(std::string_view line, std::string_view low) {
  if (line.size() < low.size()) return false;
  for (std::size_t i = 0; i < low.size(); ++i)
    if (to_lower(line[i]) != low[i]) return false;
  return true;
}

// "error: …", "Error[E0308]: …", "错误：…", "*** Error: …"
bool begins_with_head(std::string_view line) {
  for (const std::string_view head : kHeads) {
    if (!starts_with_folded(line, head)) continue;
    const std::string_view rest = line.substr(head.size());
    if (rest.starts_with(':') || rest.starts_with("：") || rest.starts_with('[') || rest.starts_with(" [")) return true;
  }
  return false;
}

// "ValueError: bad", "java.io.IOException: gone": a name made for machines, then what it says.
bool begins_with_exception(std::string_view line) {
  std::size_t end = 0;
  while (end < line.size() && (is_letter(line[end]) || is_digit(line[end]) || line[end] == '_' || line[end] == '.' ||
                               (line[end] == ':' && end + 2 < line.size() && line[end + 1] == ':')))
    end += line[end] == ':' ? 2 : 1;
  const std::string_view name = line.substr(0, std::min(end, kNameOfError));
  const bool named = name.ends_with("Error") || name.ends_with("Exception") || name.ends_with("Fault");
  if (!named || name == "Error" || name.size() < 8) return false;
  return end == line.size() || line.substr(end).starts_with(":") || line.substr(end).starts_with(" [");
}

// "x.c:3:5: error: …", "src/a.ts(3,5): error TS2322: …", "ld: error: …", "make: *** [all] Error 2"
bool is_from_a_tool(std::string_view line) {
  const auto colon = line.find(": ");
  if (colon == std::string_view::npos || colon == 0 || colon > kNameOfError) return false;
  if (line.substr(0, colon).find_first_of(" \t") != std::string_view::npos) return false;
  const std::string_view rest = line.substr(colon + 2);
  if (rest.starts_with("*** ") || rest.starts_with("fatal error") || rest.starts_with("error:") ||
      rest.starts_with("error ") || rest.starts_with("fatal:") || rest.starts_with("错误："))
    return true;
  return std::any_of(kSystemErrors.begin(), kSystemErrors.end(), [rest](std::string_view error) {
    return rest == error || rest.ends_with(": " + std::string(error));
  });
}

// "bash: line 1: foo: command not found", "sh: 1: cd: can't cd to x"
bool is_from_a_shell(std::string_view line) {
  return std::any_of(kShells.begin(), kShells.end(),
                     [line](std::string_view shell) { return line.starts_with(shell); });
}

bool is_report(std::string_view line) {
  return begins_with_head(line) || begins_with_exception(line) || is_from_a_tool(line) || is_from_a_shell(line) ||
         std::any_of(kReports.begin(), kReports.end(), [line](std::string_view one) { return line.starts_with(one); });
}

// "=== 2 failed, 5 passed in 0.3s ===", "Tests: 1 failed, 3 passed", "test result: FAILED. 1 passed; 2 failed"
bool counts_failures(std::string_view line) {
  const auto at = line.find(" failed");
  if (at == std::string_view::npos || at == 0 || line.find("passed") == std::string_view::npos) return false;
  std::size_t from = at;
  while (from > 0 && is_digit(line[from - 1])) --from;
  return from < at && line.substr(from, at - from).find_first_not_of('0') != std::string_view::npos;
}

// The number behind one of the usual names of an exit code; nothing where the line is not about one.
bool exit_code_in(std::string_view line, bool& failed) {
  static constexpr std::array<std::string_view, 9> kNames = {"exit code",          "exit status", "exited with code",
                                                             "exited with status", "exited with", "returncode",
                                                             "exit_code",          "return code", "退出码"};
  std::string low;
  for (const char c : line.substr(0, 200)) low += to_lower(c);
  for (const std::string_view name : kNames) {
    const auto at = low.find(name);
    if (at == std::string::npos) continue;
    const auto number = low.find_first_not_of(" :=\"'(", at + name.size());
    if (number == std::string::npos) continue;
    const auto skip = low.compare(number, 3, "：") == 0 ? number + 3 : number;
    if (skip >= low.size() || (low[skip] != '-' && !is_digit(low[skip]))) continue;
    failed = low[skip] != '0' || (skip + 1 < low.size() && is_digit(low[skip + 1]));
    return true;
  }
  return false;
}

template <class Take>
void each_line(std::string_view text, Take take) {
  for (const std::string_view whole : lines_of(text)) {
    const std::string_view line = trimmed(whole);
    if (!line.empty() && line.size() <= kLongest) take(line, whole);
  }
}

}  // namespace

DeclaredEnd declared_end(std::string_view text) {
  DeclaredEnd end;
  const auto look = [&end](std::string_view line) {
    bool failed = false;
    // Prose may speak of exit codes; a line that declares one is short.
    if (line.size() <= kLevel && exit_code_in(line, failed)) end = {true, failed, line};
  };
  std::size_t at = 0;
  for (std::size_t i = 0; i < kEnds && at < text.size(); ++i) {
    const std::size_t stop = std::min(text.find('\n', at), text.size());
    look(trimmed(text.substr(at, stop - at)));
    at = stop + 1;
  }
  std::size_t stop = text.find_last_not_of(" \t\r\n");
  for (std::size_t i = 0; i < kEnds && stop != std::string_view::npos && !end.known; ++i) {
    const auto before = text.rfind('\n', stop);
    const std::size_t from = before == std::string_view::npos ? 0 : before + 1;
    look(trimmed(text.substr(from, stop + 1 - from)));
    if (from == 0) break;
    stop = text.find_last_not_of(" \t\r\n", from - 1);
  }
  return end;
}

bool begins_report(std::string_view line) {
  line = trimmed(line);
  return is_report(line) || counts_failures(line) || is_http_error(line) ||
         std::any_of(kSentences.begin(), kSentences.end(),
                     [line](std::string_view one) { return starts_with_folded(line, one); });
}

std::string_view report_line(std::string_view text) {
  std::string_view found;
  bool inside = false;  // of a traceback: it ends with the first line that is not indented
  each_line(text, [&](std::string_view line, std::string_view whole) {
    const bool indented = whole.starts_with(' ') || whole.starts_with('\t');
    if (inside && !indented) {
      found = line;
      inside = false;
      return;
    }
    if (line.starts_with("Traceback (most recent call last)")) {
      inside = true;
      found = line;
    } else if ((!indented && is_report(line)) || counts_failures(line)) {
      found = line;
    } else if (found.ends_with(':')) {
      found = line;  // what was announced
    }
  });
  return found;
}

bool is_http_error(std::string_view line) {
  line = trimmed(line);
  for (const std::string_view head : {"http/1.0 ", "http/1.1 ", "http/2 ", "http ", "status: ", "status code: ",
                                      "http status: ", "http error ", "request failed with status code "}) {
    if (!starts_with_folded(line, head) || line.size() < head.size() + 3) continue;
    const std::string_view code = line.substr(head.size(), 3);
    const bool ends = line.size() == head.size() + 3 || !is_digit(line[head.size() + 3]);
    return ends && (code[0] == '4' || code[0] == '5') && is_digit(code[1]) && is_digit(code[2]);
  }
  return false;
}

bool is_error_line(std::string_view line) {
  line = trimmed(line);
  if (line.empty() || line.size() > kLongest) return false;
  if (is_report(line) || counts_failures(line)) return true;
  // The level of a log's line, written in capitals behind its time.
  const std::string_view head = line.substr(0, kLevel);
  for (const std::string_view level : {"ERROR", "FATAL", "CRITICAL", "SEVERE", "PANIC"}) {
    const auto at = head.find(level);
    if (at == std::string_view::npos || (at > 0 && is_letter(head[at - 1]))) continue;
    const std::size_t end = at + level.size();
    if (end >= head.size() || !is_letter(head[end])) return true;
  }
  return false;
}

namespace {

constexpr std::size_t kAhead = 40;      // calls that are looked at for one that worked
constexpr double kAlike = 0.34;         // share of the words of both that two calls have in common
constexpr std::size_t kArgument = 160;  // bytes of the changed arguments

struct Call {
  const ToolCall* call;
  std::size_t made, answered;  ///< places of the message that calls and of the output
  std::string failure;
};

std::vector<Call> calls_of(const std::vector<const Message*>& messages) {
  std::vector<Call> calls;
  std::map<std::string, std::pair<const ToolCall*, std::size_t>> open;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const Message& message = *messages[i];
    for (const ToolCall& call : message.tool_calls) open[call.id] = {&call, i};
    if (message.role != Role::kTool) continue;
    const auto at = open.find(message.tool_call_id);
    const bool known = at != open.end();
    const ToolCall* call = known ? at->second.first : nullptr;
    calls.push_back({call, known ? at->second.second : i, i, failure_of(call, message)});
    if (known) open.erase(at);
  }
  return calls;
}

// Of the values: the names of arguments are the same in every call.
std::set<Term> terms_of(const ToolCall& call) {
  std::string values;
  for (const NamedValue& argument : json_scalars(call.arguments)) values += argument.value + "\n";
  const auto terms = index_terms(values.empty() ? call.arguments : values);
  return {terms.begin(), terms.end()};
}

// Of a tool that does one thing any later call is a like one where the arguments say little; of a shell only those that
// share words.
bool alike(const ToolCall& failed, const ToolCall& later) {
  if (failed.name != later.name) return false;
  const std::set<Term> a = terms_of(failed), b = terms_of(later);
  if (a.empty() || b.empty()) return true;
  const auto common = std::count_if(a.begin(), a.end(), [&b](Term term) { return b.contains(term); });
  return static_cast<double>(common) >= kAlike * static_cast<double>(std::min(a.size(), b.size()));
}

// The arguments that are other ones now; all where they are no object.
std::string changed_arguments(const ToolCall& failed, const ToolCall& later) {
  const auto before = json_scalars(failed.arguments);
  std::string changed;
  for (const NamedValue& now : json_scalars(later.arguments)) {
    const auto same = [&now](const NamedValue& one) { return one.name == now.name && one.value == now.value; };
    if (std::any_of(before.begin(), before.end(), same)) continue;
    if (changed.size() + now.value.size() > kArgument && !changed.empty()) break;
    changed +=
        (changed.empty() ? "" : ", ") + (now.name.empty() ? "" : now.name + "=") + now.value.substr(0, kArgument);
  }
  return changed;
}

std::string worked(const ToolCall& failed, const ToolCall& later) {
  if (failed.arguments == later.arguments) return "the same call worked later";
  const std::string changed = changed_arguments(failed, later);
  return later.name + (changed.empty() ? std::string() : " " + changed) + " worked";
}

// What the model said next, before the user spoke again.
std::string thought_after(const std::vector<const Message*>& messages, std::size_t output) {
  for (std::size_t i = output + 1; i < messages.size(); ++i) {
    const Message& message = *messages[i];
    if (message.role == Role::kUser) break;
    if (message.role != Role::kAssistant) continue;
    const std::string& text = message.content.empty() ? message.reasoning : message.content;
    const auto all = sentences(text);
    if (!all.empty()) return std::string(all.front());
  }
  return {};
}

}  // namespace

std::vector<FailedCall> failed_calls(const std::vector<const Message*>& messages) {
  const std::vector<Call> calls = calls_of(messages);
  std::vector<FailedCall> found;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const Call& failed = calls[i];
    if (failed.failure.empty()) continue;
    FailedCall entry;
    entry.output = failed.answered;
    entry.reason = failed.failure;
    entry.tried =
        failed.call == nullptr ? messages[failed.answered]->name : failed.call->name + " " + failed.call->arguments;
    for (std::size_t j = i + 1; failed.call != nullptr && j < calls.size() && j <= i + kAhead; ++j) {
      if (calls[j].call == nullptr || !calls[j].failure.empty() || !alike(*failed.call, *calls[j].call)) continue;
      entry.handled = worked(*failed.call, *calls[j].call);
      break;
    }
    if (entry.handled.empty()) entry.handled = thought_after(messages, failed.answered);
    found.push_back(std::move(entry));
  }
  return found;
}

}  // namespace weft
