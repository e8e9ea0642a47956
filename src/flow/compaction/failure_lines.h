#pragma once

#include <string_view>

namespace weft {

/// How a program says, in a line of its own, that it ended: "exit code: 1", "Process exited with code 0", 退出码 2.
struct DeclaredEnd {
  bool known = false, failed = false;
  std::string_view line;
};

/// The end that one of the first or last lines of a text declares.
DeclaredEnd declared_end(std::string_view text);

/// Whether a line, from its beginning, has the form of a program's report of failure: "Traceback (most recent call
/// last):", "x.c:3:5: error: …", "bash: foo: command not found", "npm ERR! …", "ValueError: …", "FAILED tests/…".
bool begins_report(std::string_view line);

/// The last line of a text that says why something failed; empty where no line begins a report. Of a traceback the line
/// in which it ends.
std::string_view report_line(std::string_view text);

/// "HTTP/1.1 404 Not Found", "HTTP 500", "Status: 503 Service Unavailable"
bool is_http_error(std::string_view line);

}  // namespace weft
