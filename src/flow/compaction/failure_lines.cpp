// The forms in which programs report a failure, by the beginnings of lines.
#include "flow/compaction/failure_lines.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/ascii.h"
#include "base/strings.h"
#include "flow/compaction/failure.h"

namespace weft {
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

}  // namespace weft
