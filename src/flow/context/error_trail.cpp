// What was tried and failed stays in sight, so that it is not tried again.
#include "flow/context/error_trail.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <string>

#include "flow/context/assembly.h"
#include "flow/context/fence.h"
#include "text/json.h"
#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::size_t kLookedAt = 4096;  // bytes of either end of an output
constexpr std::size_t kMostErrors = 12;  // the newest ones
constexpr std::size_t kBrief = 160;      // characters of what was tried, and of why it failed

std::string lower(std::string_view text) {
  std::string low(text);
  std::transform(low.begin(), low.end(), low.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return low;
}

// Forms in which programs of many kinds begin the line that says so.
bool is_failure_line(std::string_view line) {
  static constexpr std::array kBegins{
      "error:",  "error -",  "error ", "fatal:", "fatal error", "exception:", "traceback (most",
      "failed:", "failure:", "panic:", "错误",   "失败",        "异常",       "出错"};
  const std::size_t first = line.find_first_not_of(" \t*#>[");
  if (first == std::string_view::npos) return false;
  line.remove_prefix(first);
  const bool begins =
      std::any_of(kBegins.begin(), kBegins.end(), [&](std::string_view one) { return line.starts_with(one); });
  if (begins) return true;
  // "ValueError: …", "java.io.IOException: …"
  const std::size_t colon = line.find(": ");
  if (colon == std::string_view::npos || line.substr(0, colon).find(' ') != std::string_view::npos) return false;
  return line.substr(0, colon).ends_with("error") || line.substr(0, colon).ends_with("exception");
}

bool has_failing_exit(const std::string& low) {
  for (const std::string_view words : {"exit code", "exit status", "returncode", "exit_code", "退出码"}) {
    const std::size_t at = low.find(words);
    if (at == std::string::npos) continue;
    const std::size_t number = low.find_first_not_of(" :=\"'：", at + words.size());
    if (number != std::string::npos && (low[number] == '-' || (low[number] >= '1' && low[number] <= '9'))) return true;
  }
  return false;
}

bool is_false_or_empty(std::string_view json) {
  return json.empty() || json == "null" || json == "false" || json == "\"\"" || json == "0" || json == "[]" ||
         json == "{}";
}

bool json_says_failed(std::string_view text) {
  if (text.empty() || text.front() != '{' || !check_json(text, {}, "output").ok()) return false;
  if (!is_false_or_empty(json_member(text, "error"))) return true;
  return json_member(text, "success") == "false" || json_member(text, "ok") == "false";
}

struct Failure {
  ErrorNote note;
  MessageId id;
};

std::string brief(std::string_view text) { return preview(text, kBrief); }

// The line that says why, else the beginning.
std::string reason_of(std::string_view output) {
  const std::string_view part = cut_bytes(output, kLookedAt);
  for (std::size_t at = 0; at < part.size();) {
    const std::size_t end = std::min(part.find('\n', at), part.size());
    const std::string_view line = part.substr(at, end - at);
    if (is_failure_line(lower(line)) && line.size() > 20) return brief(line);
    at = end + 1;
  }
  return brief(part);
}

// Failed calls in turns that are not sent: in those that are, the model sees them as they were.
std::vector<Failure> failures_before(const Assembly& assembly, std::size_t end) {
  std::vector<Failure> found;
  std::map<std::string, const ToolCall*> calls;
  for (std::size_t i = 0; i < end; ++i) {
    for (const HistoryMessage* entry : assembly.turns[i].messages) {
      const Message& message = entry->message;
      for (const ToolCall& call : message.tool_calls) calls[call.id] = &call;
      if (message.role != Role::kTool || !says_failed(message.content)) continue;
      const auto call = calls.find(message.tool_call_id);
      const std::string tried =
          call == calls.end() ? message.name : call->second->name + " " + brief(call->second->arguments);
      found.push_back({{tried, reason_of(message.content), ""}, message.id});
    }
  }
  return found;
}

std::string line_of(const ErrorNote& note) {
  std::string line = "- tried: " + escape_text(note.tried) + "; failed: " + escape_text(note.reason);
  if (!note.handled.empty()) line += "; then: " + escape_text(note.handled);
  return line + "\n";
}

struct Line {
  std::string text;
  const Failure* failure;
  std::string why;  // empty: kept
};

// The newest first, since they are what would be tried again.
std::vector<Line> choose(const Assembly& assembly, const std::vector<Failure>& all, std::int64_t room, Piece& piece) {
  const std::string begin = "<errors>\nWhat was tried before and failed; do not repeat it unchanged.\n";
  const std::string end = "</errors>";
  std::vector<Line> lines;
  std::set<std::string> known;
  std::string text;
  for (auto one = all.rbegin(); one != all.rend(); ++one) {
    Line line{line_of(one->note), &*one, ""};
    if (known.contains(line.text))
      line.why = "the same again";
    else if (known.size() >= kMostErrors || assembly.piece("", begin + line.text + text + end).tokens > room)
      line.why = "over budget";
    if (line.why.empty()) {
      known.insert(line.text);
      text = line.text + text;
    }
    lines.push_back(std::move(line));
  }
  piece = text.empty() ? Piece() : assembly.piece("errors", begin + text + end);
  return lines;
}

std::vector<Failure> failures(const Assembly& assembly) {
  std::vector<Failure> all = failures_before(assembly, assembly.first_kept);
  for (const ErrorNote& note : assembly.input.errors) all.push_back({note, MessageId()});
  return all;
}

}  // namespace

bool says_failed(std::string_view output) {
  if (output.size() <= 2 * kLookedAt && json_says_failed(output)) return true;
  const std::string head = lower(cut_bytes(output, kLookedAt));
  std::size_t begin = output.size() > kLookedAt ? output.size() - kLookedAt : 0;
  const std::string tail = lower(output.substr(begin));
  if (has_failing_exit(tail) || has_failing_exit(head)) return true;
  const std::string_view view(head);
  if (is_failure_line(view.substr(0, view.find('\n')))) return true;
  // A stack trace ends with what went wrong.
  const std::size_t last = tail.find_last_not_of(" \n\r\t");
  if (last == std::string::npos) return false;
  const std::size_t line = tail.rfind('\n', last);
  return is_failure_line(std::string_view(tail).substr(line == std::string::npos ? 0 : line + 1));
}

void reserve_for_errors(Assembly& assembly) {
  const std::int64_t room = std::min(assembly.budget.of(assembly.ports.config.context.error_share), assembly.room());
  const std::vector<Failure> all = failures(assembly);
  choose(assembly, all, room, assembly.errors);
}

void add_errors(Assembly& assembly) {
  const std::int64_t room = assembly.errors.tokens;
  const std::vector<Failure> all = failures(assembly);
  if (all.empty()) {
    assembly.errors = Piece();
    return;
  }
  start_section(assembly, "errors", room, assembly.ports.config.context.error_share);
  for (const Line& line : choose(assembly, all, room, assembly.errors)) {
    report_item(assembly, line.failure->id.str(), "error", 0, assembly.count(line.text), line.why.empty(),
                line.why.empty() ? "failed before" : line.why, line.failure->note.tried);
  }
}

}  // namespace weft
