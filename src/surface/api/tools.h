#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "surface/access/access.h"
#include "weft/engine.h"

namespace weft {

/// What a model is offered to work with its memory: end, cognitive_search_events, cognitive_get_profile,
/// cognitive_search_profiles.
struct ToolDefinition {
  std::string name, description;
  std::string parameters;  ///< JSON schema
  std::string answer;      ///< likewise, of what it gives; it refers to nothing
  bool changes = false;    ///< it changes what is kept
};

const std::vector<ToolDefinition>& memory_tools();

/// The tools in the form in which chat APIs take them: {"tools":[{"type":"function","function":{…}}]}.
std::string tools_json();

/// The name under which a tool is offered, for the name of a call. APIs of models accept `[a-zA-Z0-9_-]{1,64}` only;
/// the dotted names of the specification ("cognitive.search_events") are aliases.
std::string offered_name(std::string_view called);

/// What a tool is called with, beside its arguments.
struct ToolCallContext {
  Engine& engine;
  const RequestContext& request;
  const SessionId& session;
  const Access& access;  ///< of who calls it
};

/// Runs a tool, by its name or alias, with the arguments that a model gave, in the request's scope, and gives its
/// answer as JSON. kNotFound for an unknown tool, kInvalidArgument naming the field for wrong arguments, kPermission
/// for another scope's memory, or for a person whom the caller's key may not name.
Result<std::string> call_tool(const ToolCallContext& at, std::string_view name, std::string_view arguments);

}  // namespace weft
