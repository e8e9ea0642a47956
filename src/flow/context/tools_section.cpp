// Short descriptions of the tools that were chosen for the task.
#include <algorithm>

#include "flow/context/assembly.h"
#include "flow/context/tool_text.h"

namespace weft {
namespace {

// A model can be held to a group of tools by the first token of their names, where the names allow it.
std::string why_kept(const std::string& name) {
  const Status structured = check_structured_name(name);
  if (structured.ok()) return "fits the task";
  const std::string& hint = structured.error().hint;
  return "fits the task; its name has no structured prefix" + (hint.empty() ? "" : ": " + hint);
}

}  // namespace

void add_tools(Assembly& assembly) {
  if (assembly.input.tools.empty()) return;
  const double share = assembly.ports.config.context.tool_share;
  const std::int64_t room = std::min(assembly.budget.of(share), assembly.room());
  start_section(assembly, "tools", room, share);
  const std::string begin = "<tools>\n", end = "</tools>";
  std::string lines;
  for (const ShownTool& tool : assembly.input.tools) {
    const std::string line = tool.text + "\n";
    const bool keep = assembly.piece("", begin + lines + line + end).tokens <= room;
    if (keep) lines += line;
    report_item(assembly, tool.name, "tool", tool.score, assembly.count(line), keep,
                keep ? why_kept(tool.name) : "over budget", tool.text);
  }
  if (!lines.empty()) assembly.tools = assembly.piece("tools", begin + lines + end);
}

}  // namespace weft
