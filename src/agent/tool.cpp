#include "agent/tool.h"

#include <algorithm>

namespace weft {
namespace {

constexpr std::size_t kLongestName = 64;

bool callable(const std::string& name) {
  const auto fine = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  return !name.empty() && name.size() <= kLongestName && std::all_of(name.begin(), name.end(), fine);
}

}  // namespace

Status ToolRegistry::add(std::shared_ptr<Tool> tool) {
  const std::string& name = tool->info().name;
  if (!callable(name))
    return invalid_argument("\"" + name + "\" is no name of a tool", "use letters, digits, '_' and '-', 64 at most");
  if (!tools_.emplace(name, std::move(tool)).second) return conflict("there are two tools of the name " + name);
  return {};
}

Tool* ToolRegistry::find(const std::string& name) const {
  const auto found = tools_.find(name);
  return found == tools_.end() ? nullptr : found->second.get();
}

std::shared_ptr<Tool> ToolRegistry::share(const std::string& name) const {
  const auto found = tools_.find(name);
  return found == tools_.end() ? nullptr : found->second;
}

std::vector<ToolInfo> ToolRegistry::infos() const {
  std::vector<ToolInfo> infos;
  for (const auto& [name, tool] : tools_) infos.push_back(tool->info());
  return infos;
}

}  // namespace weft
