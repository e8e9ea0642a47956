#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "text/record.h"
#include "weft/research.h"

namespace weft {

/// How much researches may do and where they look: research.json in the workspace, beside mcp.json, whose tools it
/// names. It is read when a research begins. A file that is not there is as if it were empty.
struct ResearchSettings {
  std::int64_t fact_calls = 5, topic_calls = 20, repository_calls = 15, deep_calls = 50;
  std::vector<std::string> search_tools, read_tools;  ///< SERVER_TOOL; a name may end in *
  std::vector<std::string> folders;  ///< each research has them; over HTTP only what lies below them may be named
  std::int64_t researchers = 3;      ///< of a deep research, at the same time
  std::int64_t runs = 4;             ///< researches at the same time
  std::int64_t seconds = 900, call_seconds = 60, model_seconds = 60;
  bool learn = true;  ///< keep what is confirmed, and hand ways of working on as candidates for rules
  bool ask = true;    ///< ask the user about what nothing was found of

  /// Calls of tools that this task may make: what it asks for, and no more than its kind may.
  std::int64_t calls_of(const ResearchTask& task) const;
  /// Where it looks: the task's own folders first, each once.
  std::vector<std::string> folders_of(const ResearchTask& task) const;
};

WEFT_DESCRIBED(ResearchSettings);

/// Reads research.json in this folder; errors name the field.
Result<ResearchSettings> read_research_settings(const std::filesystem::path& workspace);

}  // namespace weft
