// The second stream of a planned prompt: what curation chose.
#include <algorithm>

#include "flow/context/assembly.h"

namespace weft {

void add_curation(Assembly& assembly) {
  if (!assembly.ports.curation) return;
  const double share = assembly.ports.config.story.lore_share;
  const std::int64_t room = std::min(assembly.budget.of(share), assembly.room());
  start_section(assembly, "curation", room, share);
  Curated curated =
      assembly.ports.curation({room, [&assembly](const Item& item) { return assembly.visible.shows_source_of(item); }});
  for (const Item& item : curated.shown) assembly.visible.add(item);
  for (ReportItem& item : curated.items) assembly.report.sections.back().items.push_back(std::move(item));
  for (FloatingBlock& block : curated.blocks) {
    assembly.block_tokens += assembly.piece("", block.content).tokens;
    assembly.blocks.push_back(std::move(block));
  }
  // What is trimmed first stands last.
  std::stable_sort(assembly.blocks.begin(), assembly.blocks.end(), [](const FloatingBlock& a, const FloatingBlock& b) {
    return a.stays != b.stays ? a.stays : a.priority > b.priority;
  });
}

}  // namespace weft
