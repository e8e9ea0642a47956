#pragma once

#include "ports/files/file_system.h"
#include "surface/cli/beside/frames.h"
#include "surface/cli/console.h"

namespace weft::cli {

/// Hands a command line to the server at the other end of the socket, and reads, writes and edits for it until it is
/// done. Gives its exit code; an error where the server ended before that.
Result<int> run_in_server(FileHandle socket, const RunRequest& run, Console& own);

}  // namespace weft::cli
