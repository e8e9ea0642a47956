// The two streams of a planned prompt: the skeleton from state and quests, and what curation chose.
#include <algorithm>

#include "flow/context/assembly.h"

namespace weft {

void add_skeleton(Assembly& assembly) {
  if (assembly.input.skeleton.empty()) return;
  start_section(assembly, "skeleton", assembly.room());
  Piece skeleton = assembly.piece("skeleton", assembly.input.skeleton);
  const bool keep = skeleton.tokens <= assembly.room();
  report_item(assembly, "skeleton", "skeleton", 0, skeleton.tokens, keep, keep ? "state as it stands" : "over budget",
              skeleton.text);
  if (keep) assembly.skeleton = std::move(skeleton);
}

void add_curation(Assembly& assembly) {
  if (!assembly.ports.curation) return;
  const double share = assembly.ports.config.context.memory_share;
  const std::int64_t room = std::min(assembly.budget.of(share), assembly.room());
  start_section(assembly, "curation", room, share);
  Curated curated = assembly.ports.curation();
  for (ReportItem& item : curated.items) assembly.report.sections.back().items.push_back(std::move(item));
  // What is more important has its room first.
  std::stable_sort(curated.blocks.begin(), curated.blocks.end(),
                   [](const FloatingBlock& a, const FloatingBlock& b) { return a.priority > b.priority; });
  for (FloatingBlock& block : curated.blocks) {
    const std::int64_t tokens = assembly.piece("", block.content).tokens;
    const bool keep = assembly.block_tokens + tokens <= room;
    report_item(assembly, block.id, block.source, 0, tokens, keep, keep ? "chosen" : "over budget", block.content);
    if (!keep) continue;
    assembly.block_tokens += tokens;
    assembly.blocks.push_back(std::move(block));
  }
}

}  // namespace weft
