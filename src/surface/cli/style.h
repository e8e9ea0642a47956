#pragma once

#include <string>
#include <vector>

#include "base/terminal_style.h"
#include "surface/cli/console.h"
#include "surface/cli/globals.h"
#include "weft/context.h"
#include "weft/message.h"

namespace weft::cli {

using Style = TerminalStyle;

/// The terminal codes that a console wants.
Style style_of(const Console& console);

/// A context report as a table: every section with its items, what was kept, what was dropped and why.
void print_report(Console& console, const ContextReport& report);

/// A prompt as a person reads it.
void print_messages(Console& console, const std::vector<Message>& messages);

/// Prints what changed between two versions, {"diff": …} with --json.
void print_diff(const Globals& globals, const std::string& diff);

}  // namespace weft::cli
