#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "weft/message.h"

namespace weft {

/// Why a call of a tool failed, in the words of its output; empty where it did not.
///
/// Told by structure alone: the mark of the sender, fields of a JSON output ("error", "success", "status", exit codes),
/// an exit code or an HTTP status that is declared, the forms in which programs begin a report of failure at the
/// beginning of a line (compilers, shells, interpreters, package managers), a report that is all of a short output.
/// What merely stands in a file that was read, or in results of a search, is nobody's failure: where `call` only reads,
/// nothing within a long text counts. `call` may be null. Linear; of outputs over 128 KB both ends are looked at.
std::string failure_of(const ToolCall* call, const Message& output);

/// The same of a text of which nothing else is known.
std::string failure_in(std::string_view output);

/// Whether a line has the form in which programs and logs report an error.
bool is_error_line(std::string_view line);

/// Whether a call only looks at something: by the words of its name, and for a shell by all commands in its line.
bool only_reads(const ToolCall& call);

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

/// A call of a tool that failed, and what became of it.
struct FailedCall {
  std::string tried;  ///< the tool's name and its arguments
  std::string reason;  ///< in the words of its output
  std::string handled;  ///< what followed: the like call that worked, else the thought after it; empty: nothing yet
  std::size_t output = 0;  ///< place of the output in the messages
};

/// The failed calls in messages, in order. A later call of the same tool with like arguments that worked is what was
/// done about one; where there is none, what the model said next, until the user spoke again. Linear but for looking
/// ahead a few dozen calls from each failure.
std::vector<FailedCall> failed_calls(const std::vector<const Message*>& messages);

}  // namespace weft
