// The turns of the session: what fits is sent as it was said, the rest is told in short.
#include <algorithm>
#include <deque>

#include "flow/compaction/compact.h"
#include "flow/compaction/tool_output.h"
#include "flow/context/assembly.h"
#include "flow/context/fence.h"
#include "text/sentences.h"

namespace weft {
namespace {

constexpr std::int64_t kSummaryTokens = 400;  // of dropped turns that were not compacted

// Sentences of what is not sent, from narratives where the historian has written them by now.
std::string tell_in_short(const Assembly& assembly, std::int64_t tokens) {
  std::vector<ExtractSource> sources;
  std::int64_t before = assembly.input.omitted.before;
  if (assembly.first_kept > 0 && assembly.first_kept < assembly.turns.size())
    before = assembly.turns[assembly.first_kept].messages.front()->seq;
  const std::vector<std::string> written =
      assembly.ports.summaries && before > 0 ? assembly.ports.summaries(before) : std::vector<std::string>();
  for (const std::string& text : written) sources.push_back({text, 1.5, true});
  std::deque<std::string> findings;  // their addresses stay
  for (std::size_t i = 0; i < assembly.first_kept && written.empty(); ++i) {
    std::vector<const Message*> steps;
    if (assembly.is_sent(i)) continue;
    for (const HistoryMessage* entry : assembly.turns[i].messages) {
      if (entry->message.role == Role::kUser) sources.push_back({entry->message.content, 2.0, true});
      steps.push_back(&entry->message);
    }
    for (std::string& line : step_findings(steps, language_of(steps.front()->content))) {
      findings.push_back(std::move(line));
      sources.push_back({findings.back(), 1.0, true});
    }
  }
  std::string text;
  for (const std::string& sentence : extract_sentences(sources, tokens)) text += (text.empty() ? "" : "\n") + sentence;
  return text;
}

void report_turns(Assembly& assembly) {
  start_section(assembly, "history", assembly.budget.usable, assembly.ports.config.context.history_share);
  for (std::size_t i = 0; i < assembly.turns.size(); ++i) {
    const Message& first = assembly.turns[i].messages.front()->message;
    const bool kept = assembly.is_sent(i);
    const bool input = i >= assembly.input_turn();
    report_item(assembly, first.id.str(), "turn", 0, assembly.turns[i].tokens, kept,
                !kept   ? "over budget"
                : input ? "input"
                        : "recent",
                first.content);
  }
}

}  // namespace

// It stands for what it covers, whatever else has to go.
void add_compaction(Assembly& assembly) {
  if (!assembly.input.compacted) return;
  const CompactedPart& part = *assembly.input.compacted;
  start_section(assembly, "compaction", assembly.budget.usable);
  assembly.summary = assembly.piece("summary", fence_summary(part.text));
  assembly.report.compaction = part.id;
  report_item(assembly, part.id, "compaction", 0, assembly.summary.tokens, true, "for turns that were compacted",
              part.text);
}

namespace {

// What the history does not need may be spent on memories; where it needs more than its share, they have theirs.
std::int64_t room_of_memories(const Assembly& assembly) {
  const ContextSettings& settings = assembly.ports.config.context;
  const std::int64_t older = assembly.left_out_tokens(), kept = assembly.sent_tokens();
  if (older <= assembly.room()) return 0;
  const std::int64_t right = std::clamp<std::int64_t>(assembly.budget.of(settings.history_share) - kept, 0, older);
  return std::clamp<std::int64_t>(assembly.room() - right, 0, assembly.budget.of(settings.memory_share));
}

// The turn before those that are sent, in its steps: of a run that does not fit as a whole the last steps are sent,
// behind what was asked for.
bool split_next(Assembly& assembly, std::int64_t room) {
  std::vector<Turn> steps = split_steps(assembly.turns[assembly.first_kept - 1], assembly.ports.tokens);
  if (steps.size() < 3 || steps.front().messages.front()->message.role != Role::kUser) return false;
  if (steps.front().tokens + steps.back().tokens > room) return false;
  steps.front().pinned = true;
  const auto at = assembly.turns.begin() + static_cast<std::ptrdiff_t>(assembly.first_kept - 1);
  assembly.first_kept += steps.size() - 1;
  assembly.turns.insert(assembly.turns.erase(at), steps.begin(), steps.end());
  return true;
}

void take_older(Assembly& assembly, std::int64_t kept_free) {
  while (assembly.first_kept > 0) {
    const Turn& next = assembly.turns[assembly.first_kept - 1];
    const std::int64_t room = assembly.room() - kept_free;
    if (!next.pinned && next.tokens > room && !(!next.step && split_next(assembly, room))) break;
    if (const Turn& now = assembly.turns[assembly.first_kept - 1]; now.pinned || now.tokens <= room)
      --assembly.first_kept;
  }
}

void show(Assembly& assembly, std::size_t turn) {
  for (const HistoryMessage* entry : assembly.turns[turn].messages) assembly.visible.add(entry->message, entry->stored);
}

}  // namespace

void fit_history(Assembly& assembly) {
  start_section(assembly, "summary", kSummaryTokens);
  const bool all_fits = assembly.left_out_tokens() <= assembly.room();
  const std::int64_t for_memories = room_of_memories(assembly);
  const std::int64_t for_summary =
      all_fits ? 0 : std::min(kSummaryTokens, std::max<std::int64_t>(0, assembly.room() - for_memories) / 4);
  take_older(assembly, for_memories + for_summary);
  const bool gap = assembly.first_kept > 0 || assembly.input.omitted.messages > 0;
  if (gap && for_summary > 0) {
    const std::string standing = assembly.input.compacted ? assembly.input.compacted->text + "\n" : "";
    const std::string told = tell_in_short(assembly, for_summary * 3 / 4);
    Piece summary = told.empty() ? Piece() : assembly.piece("summary", fence_summary(standing + told));
    if (!summary.empty() && summary.tokens - assembly.summary.tokens <= assembly.room()) {
      assembly.summary = std::move(summary);
      report_item(assembly, "summary", "summary", 0, assembly.summary.tokens, true, "for turns that were dropped",
                  assembly.summary.text);
    }
  }
  for (std::size_t i = 0; i < assembly.turns.size(); ++i)
    if (assembly.is_sent(i)) show(assembly, i);
}

// A turn that a memory was taken from stays out: it would say the same.
void fill_history(Assembly& assembly) {
  while (assembly.first_kept > 0) {
    const Turn& next = assembly.turns[assembly.first_kept - 1];
    const bool quoted = std::any_of(next.messages.begin(), next.messages.end(), [&](const HistoryMessage* entry) {
      return !entry->stored.empty() && assembly.visible.shows(source_key(assembly.input.session, entry->stored));
    });
    if (!next.pinned && (next.tokens > assembly.room() || quoted)) break;
    --assembly.first_kept;
    show(assembly, assembly.first_kept);
  }
  report_turns(assembly);
}

// What may never be trimmed: the system prompt, the rules, the task, a compaction's summary, the last turns. Where
// these turns have grown larger than the window, as runs of agents do, what was asked for stays and the last steps;
// where even those do not fit, long outputs of tools are sent in part, and say so. Only then it is an error.

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

// The last look: what is sent is counted as it stands, and what is too much goes in a fixed order.

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
