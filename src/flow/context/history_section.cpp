// The turns of the session: what fits is sent as it was said, the rest is told in short.
#include <algorithm>
#include <deque>

#include "flow/compaction/step_findings.h"
#include "flow/context/assembly.h"
#include "flow/context/fence.h"
#include "text/extract.h"

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

}  // namespace weft
