// The last look: what is sent is counted as it stands, and what is too much goes in a fixed order.
#include "flow/context/assembly.h"

namespace weft {
namespace {

// One thing less: memories first, then curated blocks, then older turns, then tools. False: nothing may go any more.
bool give_up_one(Assembly& assembly) {
  const auto drop = [&](Piece& piece) {
    if (piece.empty()) return false;
    report_item(assembly, piece.section, piece.section, 0, piece.tokens, false, "trimmed at the end", piece.text);
    piece = Piece();
    return true;
  };
  if (!assembly.earlier.empty()) {
    const Piece& piece = assembly.earlier.front().piece;
    report_item(assembly, "memory", "memory", 0, piece.tokens, false, "trimmed at the end", piece.text);
    drop_oldest_memory(assembly);
    return true;
  }
  if (drop(assembly.memory)) return true;
  if (!assembly.blocks.empty() && !assembly.blocks.back().stays) {
    const FloatingBlock& block = assembly.blocks.back();
    report_item(assembly, block.id, block.source, 0, 0, false, "trimmed at the end", block.content);
    assembly.block_tokens -= assembly.piece("", block.content).tokens;
    assembly.blocks.pop_back();
    return true;
  }
  if (assembly.first_kept + assembly.must_keep < assembly.turns.size()) {
    ++assembly.first_kept;
    settle_skeleton(assembly);
    return true;
  }
  return drop(assembly.tools) || drop(assembly.errors) || drop(assembly.preferences) || drop_skeleton(assembly) ||
         drop(assembly.notice) || drop(assembly.background);
}

}  // namespace

Status check_and_trim(Assembly& assembly, std::vector<Placed>& placed) {
  start_section(assembly, "check", assembly.budget.usable);
  for (;;) {
    assembly.report.tokens = assembly.total();
    assembly.report.sections.back().tokens = assembly.report.tokens;
    if (assembly.report.tokens <= assembly.budget.usable) break;
    if (give_up_one(assembly)) continue;
    return too_large("context: what may not be trimmed takes " + std::to_string(assembly.report.tokens) + " tokens, " +
                         std::to_string(assembly.report.tokens - assembly.budget.usable) + " more than the usable " +
                         std::to_string(assembly.budget.usable),
                     "use a larger window, lower context.keep_turns, or shorten the input");
  }
  placed = weave(assembly);
  return {};
}

}  // namespace weft
