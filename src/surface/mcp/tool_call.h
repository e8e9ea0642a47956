#pragma once

#include <span>

#include "surface/mcp/protocol.h"
#include "surface/mcp/tool.h"

namespace weft::mcp {

/// The tool of that name or alias among those offered. Null where there is none.
const Tool* find_tool(std::span<const Tool* const> tools, std::string_view name);

/// Runs a tool for tools/call: tells the client how long it is at it where the client wants to know, ends it when
/// nobody waits any more, and gives its answer, its failure as the model is to read it, or what it needs of a person.
Reply run_tool(Engine& engine, const Exchange& exchange, const Tool& tool, const Value& arguments);

}  // namespace weft::mcp
