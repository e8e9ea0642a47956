#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "weft/engine.h"
#include "weft/value.h"

/// Prompts that a person picks in their client.
namespace weft::mcp {

/// All of them, as clients are told of them.
Value prompt_list();

/// A prompt with its arguments filled in: {"description", "messages"}. kInvalidArgument for one that is not there, or
/// arguments that are missing.
Result<Value> get_prompt(Engine& engine, const RequestContext& context, const std::string& name,
                         const Value& arguments);

/// What may be filled in for an argument and begins with `begin`.
Result<std::vector<std::string>> complete_prompt(Engine& engine, const RequestContext& context, std::string_view name,
                                                 std::string_view argument, std::string_view begin);

}  // namespace weft::mcp
