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
  const std::int64_t before = assembly.turns[assembly.first_kept].messages.front()->seq;
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

void fit_history(Assembly& assembly) {
  start_section(assembly, "summary", kSummaryTokens);
  const bool all_fits = assembly.left_out_tokens() <= assembly.room();
  const bool told = !all_fits && !assembly.input.compacted;
  const std::int64_t for_summary = told ? std::min(kSummaryTokens, assembly.room() / 4) : 0;
  while (assembly.first_kept > 0) {
    const Turn& next = assembly.turns[assembly.first_kept - 1];
    if (!next.pinned && next.tokens > assembly.room() - for_summary) break;
    --assembly.first_kept;
  }
  if (told && assembly.first_kept > 0) {
    Piece summary = assembly.piece("summary", fence_summary(tell_in_short(assembly, for_summary * 3 / 4)));
    if (summary.tokens <= assembly.room()) assembly.summary = std::move(summary);
    if (!assembly.summary.empty())
      report_item(assembly, "summary", "summary", 0, assembly.summary.tokens, true, "for turns that were dropped",
                  assembly.summary.text);
  }
  report_turns(assembly);
}

}  // namespace weft
