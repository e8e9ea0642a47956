#pragma once

#include <string>
#include <string_view>

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

}  // namespace weft
