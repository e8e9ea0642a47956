#pragma once

#include "surface/cli/console.h"

namespace weft {
class EngineImpl;
}

namespace weft::cli {

struct RunRequest;

/// The command `weft`. Gives the exit code: 0 done, 1 failed, 2 wrong use. Output that programs read goes to stdout,
/// the log and errors to stderr. Where a server holds the workspace it does the work, and nobody sees a difference.
int run(int argc, const char* const* argv);

/// A server's part of that: runs the command line of another process against the engine that holds the workspace.
/// Called from many threads at once.
int run_for(EngineImpl& engine, const RunRequest& request, Console& console);

}  // namespace weft::cli
