// The two streams of a planned prompt: the skeleton from state and quests, and what curation chose.
#include <algorithm>

#include "flow/context/assembly.h"

namespace weft {

// Whole where it fits; else what matters most of it.
void add_skeleton(Assembly& assembly) {
  if (assembly.input.skeleton.empty()) return;
  const double share = assembly.ports.config.story.state_share;
  const std::int64_t room = std::min(assembly.budget.of(share), assembly.room());
  start_section(assembly, "skeleton", room, share);
  Piece skeleton = assembly.piece("skeleton", assembly.input.skeleton);
  std::string why = "state as it stands";
  if (skeleton.tokens > room && assembly.ports.shorter_skeleton) {
    // A message of its own takes a few tokens more than its text.
    const std::int64_t around = skeleton.tokens - assembly.count(skeleton.text);
    skeleton = assembly.piece("skeleton", assembly.ports.shorter_skeleton(std::max<std::int64_t>(1, room - around)));
    why = "the state shortened to what matters now";
  }
  const bool keep = skeleton.tokens <= assembly.room() && !skeleton.text.empty();
  report_item(assembly, "skeleton", "skeleton", 0, skeleton.tokens, keep, keep ? why : "over budget", skeleton.text);
  if (keep) assembly.skeleton = std::move(skeleton);
}

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
