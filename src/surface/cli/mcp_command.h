#pragma once

#include <string>

#include "surface/cli/globals.h"

namespace weft::cli {

/// A server of the Model Context Protocol on standard input and output. `tools` is "few", "all", or names with commas
/// between.
int mcp(const Globals& globals, const std::string& tools);

struct McpInstall {
  std::string client;  ///< claude, codex, cursor or vscode
  std::string tools = "few";
  bool project = false;  ///< the file of the project in this folder instead of the user's own
  bool write = false;    ///< false: only shows what would change
};
/// Writes `weft mcp` into a client's configuration.
int mcp_install(const Globals& globals, const McpInstall& options);

}  // namespace weft::cli
