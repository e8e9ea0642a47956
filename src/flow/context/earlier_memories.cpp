// Memory blocks of earlier turns. A block that moved on with the input would change the history behind it at every
// turn; left where it stood, the provider's cache holds, and what it says need not be said again.
#include <algorithm>

#include "flow/context/assembly.h"

namespace weft {
namespace {

// A block was woven when its sources were out of sight; where they are in sight again it would repeat them.
bool repeats(const Assembly& assembly, const WovenMemory& memory) {
  return std::any_of(memory.sources.begin(), memory.sources.end(),
                     [&](const std::string& source) { return assembly.visible.shows(source); });
}

// Of turns that are sent anyway; one that is left out takes its block with it.
std::vector<EarlierMemory> standing(const Assembly& assembly) {
  std::vector<EarlierMemory> found;
  for (std::size_t i = 0; i < assembly.input_turn(); ++i) {
    if (!assembly.is_sent(i)) continue;
    const HistoryMessage* const first = assembly.turns[i].messages.front();
    if (first->message.role != Role::kUser) continue;
    const auto place = static_cast<std::size_t>(first - assembly.input.history.data());
    const auto at = assembly.input.earlier_memories.find(place);
    if (at == assembly.input.earlier_memories.end() || at->second.text.empty()) continue;
    if (repeats(assembly, at->second)) continue;
    found.push_back({place, i, assembly.piece("memory", at->second.text)});
  }
  return found;
}

}  // namespace

void keep_earlier_memories(Assembly& assembly) {
  if (assembly.input.layout == PromptLayout::kSpec || assembly.input.earlier_memories.empty()) return;
  std::vector<EarlierMemory> found = standing(assembly);
  std::int64_t tokens = 0;
  for (const EarlierMemory& one : found) tokens += one.piece.tokens;
  // When they have grown too large half of them goes at once: one at each turn would break the prefix at each turn.
  const double share = assembly.ports.config.context.kept_memory_share;
  const std::int64_t ceiling = assembly.budget.of(share);
  std::size_t first = 0;
  const std::int64_t most = tokens > ceiling ? ceiling / 2 : ceiling;
  while (first < found.size() && tokens > most) tokens -= found[first++].piece.tokens;
  start_section(assembly, "earlier memories", ceiling, share);
  std::int64_t room = assembly.room();
  for (std::size_t i = found.size(); i-- > first;) {
    EarlierMemory& one = found[i];
    room -= one.piece.tokens;
    if (room < 0) break;
    assembly.turns[one.turn].tokens += one.piece.tokens;
    report_item(assembly, "memory", "memory", 0, one.piece.tokens, true, "stays where it stood", one.piece.text);
    assembly.earlier.insert(assembly.earlier.begin(), std::move(one));
  }
}

void drop_oldest_memory(Assembly& assembly) {
  const EarlierMemory& oldest = assembly.earlier.front();
  assembly.turns[oldest.turn].tokens -= oldest.piece.tokens;
  assembly.earlier.erase(assembly.earlier.begin());
}

}  // namespace weft
