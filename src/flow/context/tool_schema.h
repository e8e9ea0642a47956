#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft {

/// One parameter of a tool, as its JSON schema says.
struct ToolParameter {
  std::string name;
  std::string type;         ///< "string", "array of number", "string or null"; empty where the schema does not say
  std::string description;  ///< may be empty
  std::vector<std::string> values;  ///< texts of `enum`
  bool required = false;
  int depth = 0;  ///< 0: a parameter of the tool itself; more: a member of one
};

/// The parameters of a JSON schema, in its order, members behind what they are members of. Bounded: 256 parameters,
/// 8 levels, 1 MB. What is no JSON, or no schema of an object, has none: a tool is found by its name and its
/// description as well. Safe from any thread.
std::vector<ToolParameter> tool_parameters(std::string_view schema);

}  // namespace weft
