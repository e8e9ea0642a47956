#pragma once

#include <string>
#include <vector>

#include "surface/cli/command_line.h"

namespace weft::cli {

/// Whether somebody who looks after a workspace wants to find a command again: it changed who may ask, what is kept as
/// a whole, what was learnt, or approved of something.
bool is_audited(const std::string& command);

/// What a command acted on, by ids: what its arguments name, and what came of it (`Globals::made`). Of settings only
/// which were given. Never a text, nor a secret.
std::vector<std::string> acted_on(const CommandLine& line);

}  // namespace weft::cli
