#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "surface/access/access.h"
#include "weft/engine.h"

namespace weft {

/// What a model is offered to work with its memory: end, cognitive.search_events, cognitive.get_profile,
/// cognitive.search_profiles.
struct ToolDefinition {
  std::string name, description;
  std::string parameters;  ///< JSON schema
  std::string answer;      ///< likewise, of what it gives; it refers to nothing
  bool changes = false;    ///< it changes what is kept
};

const std::vector<ToolDefinition>& memory_tools();

/// The tools in the form in which chat APIs take them: {"tools":[{"type":"function","function":{…}}]}. Names of
/// functions may hold no dot there, so "cognitive.search_events" is also known as "cognitive_search_events".
std::string tools_json();

/// What a tool is called with, beside its arguments.
struct ToolCallContext {
  Engine& engine;
  const RequestContext& request;
  const SessionId& session;
  const Access& access;  ///< of who calls it
};

/// Runs a tool with the arguments that a model gave, in the request's scope, and gives its answer as JSON. kNotFound
/// for an unknown tool, kInvalidArgument naming the field for wrong arguments, kPermission for another scope's memory,
/// or for a person whom the caller's key may not name.
Result<std::string> call_tool(const ToolCallContext& at, std::string_view name, std::string_view arguments);

}  // namespace weft
