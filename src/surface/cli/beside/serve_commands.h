#pragma once

#include <memory>

#include "surface/cli/beside/command_server.h"

namespace weft {
class EngineImpl;
}

namespace weft::cli {

/// Lets other processes run their commands in this one, which holds the workspace. Null, with a warning in the log,
/// where that cannot be: then commands are refused while this process runs.
std::unique_ptr<CommandServer> serve_commands(EngineImpl& engine);

}  // namespace weft::cli
