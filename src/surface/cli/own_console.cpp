#include "surface/cli/own_console.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace weft::cli {

void OwnConsole::write(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void OwnConsole::write_error(std::string_view text) {
  // What was said before stands before it where both go to one place.
  std::fflush(stdout);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void OwnConsole::flush() { std::fflush(stdout); }

bool OwnConsole::interactive() const { return ::isatty(STDIN_FILENO) != 0 && ::isatty(STDOUT_FILENO) != 0; }

bool OwnConsole::colours() const { return ::isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr; }

std::filesystem::path OwnConsole::path(const std::string& given) const {
  std::error_code unknown;
  return std::filesystem::current_path(unknown) / given;
}

}  // namespace weft::cli
