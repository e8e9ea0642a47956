#include "engine/workspace_rules.h"

#include <filesystem>

#include "base/log.h"
#include "engine/engine_core.h"

namespace weft {
namespace {

// As their authors wrote them; people may change them at any time.
std::vector<AnchorSource> workspace_files(const EngineCore& core) {
  std::vector<AnchorSource> files;
  for (const char* name : {"AGENTS.md", "SOUL.md", "USER.md"}) {
    auto text = read_file(std::filesystem::path(core.config.workspace) / name);
    if (text.ok())
      files.push_back({name, std::move(text).value()});
    else if (text.error().code != ErrorCode::kNotFound)
      log_warning("context.rules", text.error().message);
  }
  return files;
}

}  // namespace

std::string workspace_rules(const EngineCore& core) {
  std::string rules;
  for (const AnchorSource& file : workspace_files(core)) rules += (rules.empty() ? "" : "\n\n") + file.text;
  return rules;
}

std::vector<Anchor> workspace_anchors(const EngineCore& core) { return find_anchors(workspace_files(core)); }

}  // namespace weft
