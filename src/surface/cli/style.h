#pragma once

#include <vector>

#include "weft/context.h"
#include "weft/message.h"

namespace weft::cli {

/// Terminal codes, or nothing where stdout is no terminal or NO_COLOR is set.
struct Style {
  const char *bold = "", *dim = "", *plain = "", *green = "", *yellow = "", *blue = "", *magenta = "";
};

Style style_of_stdout();

/// A context report as a table: every section with its items, what was kept, what was dropped and why.
void print_report(const ContextReport& report);

/// A prompt as a person reads it.
void print_messages(const std::vector<Message>& messages);

}  // namespace weft::cli
