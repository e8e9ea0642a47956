#pragma once

namespace weft::cli {

/// The command `weft`. Gives the exit code: 0 done, 1 failed, 2 wrong use. Output that programs read goes to stdout,
/// the log and errors to stderr.
int run(int argc, const char* const* argv);

}  // namespace weft::cli
