// What may never be trimmed: the system prompt, the task, a compaction's summary, the last turns. Where a single turn
// has grown larger than the window, as runs of agents do, what was asked for stays and the last steps; where even those
// do not fit, long outputs of tools are sent in part, and say so. Only then it is an error.
#include <algorithm>

#include "flow/compaction/session_turns.h"
#include "flow/context/assembly.h"
#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::int64_t kLeastOutput = 64;  // tokens of an output that are always sent

// The input is the last turn; the turns kept with it stand before.
std::int64_t keep_last(Assembly& assembly) {
  const auto keep = static_cast<std::size_t>(assembly.ports.config.context.keep_turns) + 1;
  assembly.first_kept = assembly.turns.size() > keep ? assembly.turns.size() - keep : 0;
  return assembly.system_tokens + assembly.task.tokens + assembly.summary.tokens + assembly.sent_tokens();
}

void split_last_turn(Assembly& assembly) {
  if (assembly.turns.empty()) return;
  std::vector<Turn> steps = split_steps(assembly.turns.back(), assembly.ports.tokens);
  assembly.turns.pop_back();
  assembly.turns.insert(assembly.turns.end(), steps.begin(), steps.end());
}

// Beginning and end of it: what a program did first, and how it ended.
std::string ends_of(const std::string& text, std::int64_t tokens, std::int64_t wanted) {
  const auto bytes = static_cast<std::size_t>(static_cast<double>(text.size()) * static_cast<double>(wanted) /
                                              static_cast<double>(std::max<std::int64_t>(1, tokens)));
  const std::string_view head = cut_bytes(text, bytes / 2);
  std::string_view tail = std::string_view(text).substr(text.size() - std::min(text.size(), bytes / 2));
  while (!tail.empty() && (static_cast<unsigned char>(tail.front()) & 0xC0U) == 0x80U) tail.remove_prefix(1);
  return std::string(head) + "\n[… " + std::to_string(text.size() - head.size() - tail.size()) +
         " bytes of this output are left out …]\n" + std::string(tail);
}

void shorten_outputs(Assembly& assembly, std::int64_t needed) {
  std::int64_t outputs = 0;
  for (std::size_t i = 0; i < assembly.turns.size(); ++i) {
    for (const HistoryMessage* entry : assembly.turns[i].messages)
      if (assembly.is_sent(i) && entry->message.role == Role::kTool) outputs += assembly.count(entry->message.content);
  }
  // A little more than is needed: marks stand where something was left out.
  const std::int64_t over = needed - assembly.budget.usable;
  const double share =
      std::max(0.0, 1.0 - 1.1 * static_cast<double>(over) / static_cast<double>(std::max<std::int64_t>(1, outputs)));
  for (std::size_t i = 0; i < assembly.turns.size(); ++i) {
    if (!assembly.is_sent(i)) continue;
    for (const HistoryMessage*& entry : assembly.turns[i].messages) {
      const std::int64_t tokens = assembly.count(entry->message.content);
      const auto wanted = static_cast<std::int64_t>(share * static_cast<double>(tokens)) - 16;
      if (entry->message.role != Role::kTool || tokens <= kLeastOutput || wanted >= tokens) continue;
      HistoryMessage& cut = assembly.shortened.emplace_back(*entry);
      cut.message.content = ends_of(entry->message.content, tokens, std::max(wanted, kLeastOutput / 2));
      cut.message.raw.clear();
      assembly.turns[i].tokens +=
          sent_tokens(cut.message, assembly.ports.tokens) - sent_tokens(entry->message, assembly.ports.tokens);
      entry = &cut;
    }
  }
}

}  // namespace

Status keep_what_must_stay(Assembly& assembly) {
  std::int64_t needed = keep_last(assembly);
  if (needed > assembly.budget.usable) {
    split_last_turn(assembly);
    needed = keep_last(assembly);
  }
  if (needed > assembly.budget.usable) {
    shorten_outputs(assembly, needed);
    needed = keep_last(assembly);
  }
  if (needed <= assembly.budget.usable) return {};
  const std::int64_t keep = assembly.ports.config.context.keep_turns;
  return too_large("context: the system prompt, the task and the last " + std::to_string(keep) +
                       " turns with the input take " + std::to_string(needed) + " tokens, " +
                       std::to_string(needed - assembly.budget.usable) + " more than the usable " +
                       std::to_string(assembly.budget.usable),
                   "use a larger window, lower context.keep_turns, or shorten the input");
}

}  // namespace weft
