#pragma once

#include <vector>

#include "surface/cli/console.h"
#include "weft/context.h"
#include "weft/message.h"

namespace weft::cli {

/// Terminal codes, or nothing where the console wants no colours.
struct Style {
  const char *bold = "", *dim = "", *plain = "", *green = "", *yellow = "", *blue = "", *magenta = "";
};

Style style_of(const Console& console);

/// A context report as a table: every section with its items, what was kept, what was dropped and why.
void print_report(Console& console, const ContextReport& report);

/// A prompt as a person reads it.
void print_messages(Console& console, const std::vector<Message>& messages);

}  // namespace weft::cli
