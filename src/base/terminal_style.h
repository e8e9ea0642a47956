#pragma once

namespace weft {

/// Terminal codes, or nothing where no colours are wanted.
struct TerminalStyle {
  const char *bold = "", *dim = "", *plain = "", *green = "", *yellow = "", *blue = "", *magenta = "";
};

inline TerminalStyle terminal_style(bool colours) {
  if (!colours) return {};
  return {"\x1b[1m", "\x1b[2m", "\x1b[0m", "\x1b[32m", "\x1b[33m", "\x1b[34m", "\x1b[35m"};
}

}  // namespace weft
