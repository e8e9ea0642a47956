// What may never be trimmed: the system prompt, the rules, the task, a compaction's summary, the last turns. Where
// these turns have grown larger than the window, as runs of agents do, what was asked for stays and the last steps;
// where even those do not fit, long outputs of tools are sent in part, and say so. Only then it is an error.
#include <algorithm>

#include "flow/compaction/session_turns.h"
#include "flow/compaction/short_output.h"
#include "flow/context/assembly.h"

namespace weft {
namespace {

constexpr std::int64_t kLeastOutput = 64;  // tokens of an output that are always sent

std::int64_t needed(const Assembly& assembly) {
  return assembly.system_tokens + assembly.rules.tokens + assembly.task.tokens + assembly.summary.tokens +
         assembly.sent_tokens();
}

// The input is the last turn; the turns kept with it stand before.
void keep_last_turns(Assembly& assembly) {
  const auto keep = static_cast<std::size_t>(assembly.ports.config.context.keep_turns) + 1;
  assembly.first_kept = assembly.turns.size() > keep ? assembly.turns.size() - keep : 0;
}

// Of the turns that stay: what was asked for, turns without steps, and the last steps.
void keep_last_steps(Assembly& assembly) {
  std::vector<Turn> units(assembly.turns.begin(),
                          assembly.turns.begin() + static_cast<std::ptrdiff_t>(assembly.first_kept));
  const std::size_t first = units.size();
  for (std::size_t i = assembly.first_kept; i < assembly.turns.size(); ++i)
    for (Turn& step : split_steps(assembly.turns[i], assembly.ports.tokens)) units.push_back(std::move(step));
  auto steps = static_cast<std::size_t>(std::max<std::int64_t>(1, assembly.ports.config.context.keep_steps));
  assembly.first_kept = units.size();
  for (std::size_t i = units.size(); i-- > first;) {
    const bool is_step = units[i].step && units[i].messages.front()->message.role != Role::kUser;
    if (!is_step)
      units[i].pinned = true;
    else if (steps == 0)
      continue;
    else
      --steps, assembly.first_kept = i;
  }
  assembly.turns = std::move(units);
}

/// The outputs that are sent, with their tokens.
struct Output {
  Turn* turn;
  std::size_t place;
  std::int64_t tokens;
};

std::vector<Output> outputs_sent(Assembly& assembly) {
  std::vector<Output> outputs;
  for (std::size_t i = 0; i < assembly.turns.size(); ++i) {
    Turn& turn = assembly.turns[i];
    for (std::size_t j = 0; j < turn.messages.size() && assembly.is_sent(i); ++j)
      if (turn.messages[j]->message.role == Role::kTool)
        outputs.push_back({&turn, j, assembly.count(turn.messages[j]->message.content)});
  }
  return outputs;
}

// The largest size to which outputs may be cut so that all together are not more than `room`: small ones stay whole.
std::int64_t size_for(const std::vector<Output>& outputs, std::int64_t room) {
  std::int64_t low = kLeastOutput, high = room;
  while (low < high) {
    const std::int64_t size = low + (high - low + 1) / 2;
    std::int64_t sum = 0;
    for (const Output& output : outputs) sum += std::min(output.tokens, size);
    (sum <= room ? low : high) = sum <= room ? size : size - 1;
  }
  return low;
}

void shorten_outputs(Assembly& assembly) {
  const std::vector<Output> outputs = outputs_sent(assembly);
  std::int64_t all = 0;
  for (const Output& output : outputs) all += output.tokens;
  const std::int64_t size = size_for(outputs, all - (needed(assembly) - assembly.budget.usable));
  const std::string request =
      assembly.turns.empty() ? "" : assembly.turns[assembly.input_turn()].messages.front()->message.content;
  for (const Output& output : outputs) {
    if (output.tokens <= size) continue;
    const HistoryMessage*& entry = output.turn->messages[output.place];
    HistoryMessage& cut = assembly.shortened.emplace_back(*entry);
    cut.message.content =
        shorten_output(entry->message.content, size, assembly.ports.tokens, request, entry->stored.str());
    cut.message.raw.clear();
    cut.tokens = 0;
    output.turn->tokens += sent_tokens(cut, assembly.ports.tokens) - sent_tokens(*entry, assembly.ports.tokens);
    entry = &cut;
  }
}

}  // namespace

Status keep_what_must_stay(Assembly& assembly) {
  keep_last_turns(assembly);
  if (needed(assembly) > assembly.budget.usable) keep_last_steps(assembly);
  if (needed(assembly) > assembly.budget.usable) shorten_outputs(assembly);
  assembly.must_keep = assembly.turns.size() - assembly.first_kept;
  const std::int64_t all = needed(assembly);
  if (all <= assembly.budget.usable) return {};
  const std::string rules =
      assembly.rules.empty() ? "" : "the rules (" + std::to_string(assembly.rules.tokens) + " tokens), ";
  return too_large("context: the system prompt, " + rules + "the task and the last " +
                       std::to_string(assembly.ports.config.context.keep_turns) + " turns with the input take " +
                       std::to_string(all) + " tokens, " + std::to_string(all - assembly.budget.usable) +
                       " more than the usable " + std::to_string(assembly.budget.usable),
                   "use a larger window, lower context.keep_turns, or shorten the input" +
                       std::string(assembly.rules.empty() ? "" : " or AGENTS.md, SOUL.md, USER.md"));
}

}  // namespace weft
