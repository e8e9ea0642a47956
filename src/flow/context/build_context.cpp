#include "flow/context/build_context.h"

#include <algorithm>
#include <set>

#include "base/clock.h"
#include "flow/context/fence.h"
#include "flow/context/turns.h"
#include "text/extract.h"
#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::size_t kPreview = 80;           // characters of an item in the report
constexpr std::int64_t kSummaryTokens = 400;   // of dropped turns
constexpr std::size_t kQueryBytes = 4096;      // of the input that memory is asked with

// Everything one assembly knows, handed from step to step.
struct Assembly {
  const ContextPorts& ports;
  const ContextInput& input;
  Budget budget;
  std::vector<Turn> turns;
  std::size_t first_kept = 0;      // turns before it are dropped
  std::int64_t system_tokens = 0;
  std::string background;  // profiles, and the summaries of the mode without cognitive memory
  std::int64_t background_tokens = 0;
  std::string memory;
  std::int64_t memory_tokens = 0;
  std::string summary;
  std::int64_t summary_tokens = 0;
  ContextReport report;

  std::int64_t count(std::string_view text) const { return text.empty() ? 0 : ports.tokens.count(text); }
};

void start_section(Assembly& assembly, std::string name, std::int64_t budget) {
  assembly.report.sections.push_back({std::move(name), budget, 0, {}});
}

void report_item(Assembly& assembly, std::string id, std::string source, double score, std::int64_t tokens, bool kept,
                 std::string why, std::string_view text) {
  ReportSection& section = assembly.report.sections.back();
  if (kept) section.tokens += tokens;
  section.items.push_back(
      {std::move(id), std::move(source), score, tokens, kept, std::move(why), preview(text, kPreview)});
}

// What may never be trimmed: the caller's system prompt, the last turns, the input.
Status keep_what_must_stay(Assembly& assembly) {
  start_section(assembly, "system", assembly.budget.usable);
  for (const Message& message : assembly.input.system) {
    const std::int64_t tokens = message_tokens(message, assembly.ports.tokens);
    assembly.system_tokens += tokens;
    report_item(assembly, "system", "system", 0, tokens, true, "the caller's own", message.content);
  }
  // The input is the last turn; the turns kept with it stand before.
  const auto keep = static_cast<std::size_t>(assembly.ports.config.context.keep_turns) + 1;
  assembly.first_kept = assembly.turns.size() > keep ? assembly.turns.size() - keep : 0;
  std::int64_t needed = assembly.system_tokens;
  for (std::size_t i = assembly.first_kept; i < assembly.turns.size(); ++i) needed += assembly.turns[i].tokens;
  if (needed <= assembly.budget.usable) return {};
  return too_large("context: the system prompt and the last " + std::to_string(keep - 1) +
                       " turns with the input take " + std::to_string(needed) + " tokens, " +
                       std::to_string(needed - assembly.budget.usable) + " more than the usable " +
                       std::to_string(assembly.budget.usable),
                   "use a larger window, lower context.keep_turns, or shorten the input");
}

std::int64_t kept_tokens(const Assembly& assembly) {
  std::int64_t tokens =
      assembly.system_tokens + assembly.background_tokens + assembly.memory_tokens + assembly.summary_tokens;
  for (std::size_t i = assembly.first_kept; i < assembly.turns.size(); ++i) tokens += assembly.turns[i].tokens;
  return tokens;
}

std::string query_of(const Assembly& assembly) {
  for (auto turn = assembly.turns.rbegin(); turn != assembly.turns.rend(); ++turn) {
    const Message& first = turn->messages.front()->message;
    if (first.role == Role::kUser && !first.content.empty()) return std::string(cut_bytes(first.content, kQueryBytes));
  }
  return {};
}

// Items that say what the prompt says already: from turns of this session that will be sent, or the same messages
// twice.
std::string why_not(const Assembly& assembly, const Hit& hit, std::int64_t first_seq, std::set<MessageId>& shown) {
  if (hit.item.session == assembly.input.session && first_seq > 0 && hit.item.position >= first_seq)
    return "stands in the history";
  const bool known = !hit.item.sources.empty() && std::all_of(hit.item.sources.begin(), hit.item.sources.end(),
                                                              [&](const MessageId& id) { return shown.contains(id); });
  if (known) return "said by a better hit";
  return {};
}

void weave_hits(Assembly& assembly, const SearchResult& found, std::int64_t room) {
  std::int64_t first_seq = 0;
  for (std::size_t i = assembly.first_kept; i < assembly.turns.size() && first_seq == 0; ++i)
    first_seq = assembly.turns[i].messages.front()->seq;
  std::set<MessageId> shown;
  std::vector<const Item*> kept;
  const auto most = static_cast<std::size_t>(assembly.ports.config.recall.auto_top);
  const auto most_events = static_cast<std::size_t>(assembly.ports.config.cognitive_query.auto_top_k);
  std::size_t events = 0;
  // Said, and no reason to weave less: a question of several parts, or one in other words than the memory's, is often
  // judged too low, and what a model does not need does little harm.
  if (!found.hits.empty() && !found.known)
    report_item(assembly, "recall", "memory", 0, 0, false, "nothing relevant is surely remembered", "");
  for (const Hit& hit : found.hits) {
    const std::int64_t tokens = assembly.count(fence_memories({&hit.item}));
    std::string why = why_not(assembly, hit, first_seq, shown);
    const bool event = hit.item.kind == ItemKind::kEvent;
    if (why.empty() && event && events >= most_events) why = "enough events";
    if (why.empty() && kept.size() >= most) why = "enough memories";
    if (why.empty() && assembly.memory_tokens + tokens > room) why = "over budget";
    const bool keep = why.empty();
    if (keep) {
      kept.push_back(&hit.item);
      events += event ? 1 : 0;
      shown.insert(hit.item.sources.begin(), hit.item.sources.end());
      assembly.memory_tokens += tokens;
    }
    report_item(assembly, hit.item.id.str(), std::string(to_string(hit.item.kind)), hit.score, tokens, keep,
                keep ? "recalled" : why, hit.item.text);
  }
  // In the order in which it happened: that is how people and models read.
  std::stable_sort(kept.begin(), kept.end(), [](const Item* a, const Item* b) { return a->time < b->time; });
  assembly.memory = fence_memories(kept);
  assembly.memory_tokens = assembly.count(assembly.memory);
}

// What is known of whom the prompt is for, in full or not at all: half a profile misleads. It changes seldom, so it
// stands behind the system prompt.
void add_background(Assembly& assembly) {
  const std::int64_t room = std::min(assembly.budget.memory, assembly.budget.usable - kept_tokens(assembly));
  start_section(assembly, "profile", room);
  for (const ProfileText& profile : assembly.input.profiles) {
    const std::string text = fence_profile(profile.id, profile.text);
    const std::int64_t tokens = assembly.count(text);
    const bool keep = assembly.background_tokens + tokens <= room;
    if (keep) assembly.background += (assembly.background.empty() ? "" : "\n") + text;
    report_item(assembly, profile.id, "profile", 0, tokens, keep, keep ? "whom this is for" : "over budget",
                profile.text);
    if (keep) assembly.background_tokens = assembly.count(assembly.background);
  }
  if (assembly.input.old_summaries.empty()) return;
  start_section(assembly, "end_summaries", room);
  std::string text;
  for (const std::string& summary : assembly.input.old_summaries) text += (text.empty() ? "- " : "\n- ") + summary;
  text = fence_summary(text);
  const std::int64_t tokens = assembly.count(text);
  const bool keep = assembly.background_tokens + tokens <= room;
  if (keep) assembly.background += (assembly.background.empty() ? "" : "\n") + text;
  if (keep) assembly.background_tokens = assembly.count(assembly.background);
  report_item(assembly, "end_summaries", "summary", 0, tokens, keep, keep ? "ends of earlier turns" : "over budget",
              text);
}

// Memories stand before the input. Within one turn (a loop of tool calls) the same block is sent again, so that the
// provider's cache of the prefix holds.
void recall_memories(Assembly& assembly, const Deadline& deadline) {
  const std::int64_t room = std::min(assembly.budget.memory, assembly.budget.usable - kept_tokens(assembly));
  start_section(assembly, "memory", room);
  if (assembly.input.has_kept_memory && assembly.count(assembly.input.kept_memory) <= room) {
    assembly.memory = assembly.input.kept_memory;
    assembly.memory_tokens = assembly.count(assembly.memory);
    report_item(assembly, "memory", "memory", 0, assembly.memory_tokens, true, "as in the call before in this turn",
                assembly.memory);
    return;
  }
  const std::string query = query_of(assembly);
  if (query.empty() || room <= 0) return;
  SearchRequest request;
  request.query = query;
  request.top_k = static_cast<std::size_t>(assembly.ports.config.recall.auto_top) * 4;
  const auto found = assembly.ports.recall(request, deadline);
  if (!found.ok()) {
    report_item(assembly, "recall", "memory", 0, 0, false, "recall failed: " + found.error().message, "");
    return;
  }
  assembly.report.by = found->by;
  weave_hits(assembly, *found, room);
}

// The rest of the window goes to the history, newest first; what does not fit is told in short.
void fit_history(Assembly& assembly) {
  const auto total = [&] {
    std::int64_t tokens = 0;
    for (const Turn& turn : assembly.turns) tokens += turn.tokens;
    return tokens;
  }();
  std::int64_t room = assembly.budget.usable - kept_tokens(assembly);
  std::int64_t kept = 0;
  for (std::size_t i = assembly.first_kept; i < assembly.turns.size(); ++i) kept += assembly.turns[i].tokens;
  const bool all_fits = total - kept <= room;
  const std::int64_t for_summary = all_fits ? 0 : std::min(kSummaryTokens, room / 4);
  while (assembly.first_kept > 0 && assembly.turns[assembly.first_kept - 1].tokens <= room - for_summary) {
    --assembly.first_kept;
    room -= assembly.turns[assembly.first_kept].tokens;
  }
  if (assembly.first_kept == 0) return;
  std::vector<ExtractSource> sources;
  const std::int64_t before = assembly.turns[assembly.first_kept].messages.front()->seq;
  const std::vector<std::string> written =
      assembly.ports.summaries && before > 0 ? assembly.ports.summaries(before) : std::vector<std::string>();
  for (const std::string& text : written) sources.push_back({text, 1.5, true});
  for (std::size_t i = 0; i < assembly.first_kept && written.empty(); ++i) {
    for (const HistoryMessage* entry : assembly.turns[i].messages) {
      if (entry->message.role == Role::kTool) continue;
      sources.push_back({entry->message.content, entry->message.role == Role::kUser ? 2.0 : 1.0, true});
    }
  }
  for (const std::string& sentence : extract_sentences(sources, for_summary * 3 / 4)) {
    assembly.summary += (assembly.summary.empty() ? "" : "\n") + sentence;
  }
  assembly.summary = fence_summary(assembly.summary);
  assembly.summary_tokens = assembly.count(assembly.summary);
  if (assembly.summary_tokens > room) {
    assembly.summary.clear();
    assembly.summary_tokens = 0;
  }
}

void report_history(Assembly& assembly) {
  start_section(assembly, "summary", kSummaryTokens);
  if (!assembly.summary.empty())
    report_item(assembly, "summary", "summary", 0, assembly.summary_tokens, true, "for turns that were dropped",
                assembly.summary);
  start_section(assembly, "history", assembly.budget.usable);
  for (std::size_t i = 0; i < assembly.turns.size(); ++i) {
    const Message& first = assembly.turns[i].messages.front()->message;
    const bool kept = i >= assembly.first_kept;
    const bool input = i + 1 == assembly.turns.size();
    report_item(assembly, first.id.str(), "turn", 0, assembly.turns[i].tokens, kept,
                input  ? "input"
                : kept ? "recent"
                       : "over budget",
                first.content);
  }
}

Message system_message(std::string text) {
  Message message;
  message.role = Role::kSystem;
  message.content = std::move(text);
  return message;
}

// Stable parts first, what changes each turn last: the caller's system prompt, the summary, the history, then the
// memories right before the input.
std::vector<Message> weave(const Assembly& assembly) {
  std::vector<Message> messages = assembly.input.system;
  if (!assembly.background.empty()) messages.push_back(system_message(assembly.background));
  if (!assembly.summary.empty()) messages.push_back(system_message(assembly.summary));
  for (std::size_t i = assembly.first_kept; i < assembly.turns.size(); ++i) {
    const bool input = i + 1 == assembly.turns.size();
    if (input && !assembly.memory.empty()) messages.push_back(system_message(assembly.memory));
    for (const HistoryMessage* entry : assembly.turns[i].messages) messages.push_back(entry->message);
  }
  if (assembly.turns.empty() && !assembly.memory.empty()) messages.push_back(system_message(assembly.memory));
  return messages;
}

}  // namespace

Result<BuiltContext> build_context(const ContextPorts& ports, const Deadline& deadline, const ContextInput& input) {
  Stopwatch clock;
  WEFT_TRY(const Budget budget, make_budget(ports.config.context, input.window));
  Assembly assembly{ports, input, budget, split_turns(input.history, ports.tokens), 0, 0, {}, 0, {}, 0, {}, 0, {}};
  assembly.report.by = "floor";
  const auto step = [&](const char* name) {
    assembly.report.timings_ms.emplace_back(name, clock.ms());
    clock.restart();
  };
  WEFT_CHECK(keep_what_must_stay(assembly));
  step("budget");
  add_background(assembly);
  recall_memories(assembly, deadline);
  step("recall");
  fit_history(assembly);
  report_history(assembly);
  step("fit");
  BuiltContext built;
  built.woven.messages = weave(assembly);
  built.memory = assembly.memory;
  assembly.report.window = budget.window;
  assembly.report.usable = budget.usable;
  assembly.report.tokens = kept_tokens(assembly) + (assembly.memory.empty() ? 0 : 4) +
                           (assembly.summary.empty() ? 0 : 4) + (assembly.background.empty() ? 0 : 4);
  assembly.report.token_mode = to_string(ports.tokens.mode());
  step("weave");
  built.woven.report = std::move(assembly.report);
  return built;
}

}  // namespace weft
