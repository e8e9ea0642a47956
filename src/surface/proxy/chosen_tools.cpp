#include "surface/proxy/chosen_tools.h"

#include <algorithm>

#include "text/json.h"

namespace weft::proxy {
namespace {

std::string text_member(std::string_view object, std::string_view name) {
  if (!object.starts_with('{')) return {};
  const auto text = json_text(json_member(object, name));
  return text.ok() ? *text : std::string();
}

// In the Responses API a tool, or the choice of one, is the function itself.
std::string_view function_of(std::string_view tool) {
  if (!tool.starts_with('{')) return {};
  const std::string_view function = json_member(tool, "function");
  return function.empty() && json_member(tool, "type") == R"("function")" ? tool : function;
}

std::string_view tools_of(std::string_view body) {
  const auto tools = json_member(body, "tools");
  return tools.starts_with('[') ? tools : std::string_view();
}

}  // namespace

std::vector<ToolInfo> tools_in(std::string_view body) {
  std::vector<ToolInfo> tools;
  const std::string_view array = tools_of(body);
  if (array.empty()) return tools;
  for (const std::string_view tool : json_elements(array)) {
    const std::string_view function = function_of(tool);
    std::string name = text_member(function, "name");
    if (name.empty()) continue;
    const auto parameters = json_member(function, "parameters");
    tools.push_back({std::move(name), text_member(function, "description"), std::string(parameters)});
  }
  return tools;
}

std::string with_tools(std::string body, const std::vector<std::string>& names) {
  const std::string_view array = tools_of(body);
  if (array.empty()) return body;
  const std::string asked = text_member(function_of(json_member(body, "tool_choice")), "name");
  std::string kept = "[";
  bool any = false;
  for (const std::string_view tool : json_elements(array)) {
    const std::string name = text_member(function_of(tool), "name");
    const bool wanted = name.empty() || name == asked || std::find(names.begin(), names.end(), name) != names.end();
    if (!wanted) continue;
    if (any) kept += ',';
    kept += tool;
    any = true;
  }
  if (!any) return body;
  const auto begin = static_cast<std::size_t>(array.data() - body.data());
  return body.replace(begin, array.size(), kept + "]");
}

}  // namespace weft::proxy
