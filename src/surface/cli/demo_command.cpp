#include <cstdio>
#include <filesystem>
#include <map>

#include "base/clock.h"
#include "eval/scratch_workspace.h"
#include "surface/cli/commands.h"
#include "surface/cli/demo_conversation.h"
#include "surface/cli/style.h"
#include "text/utf8.h"

namespace weft::cli {
namespace {

constexpr std::chrono::seconds kPatience{60};
constexpr std::size_t kPreview = 72;

void print_flushed(const ObserveReport& report, const Style& style) {
  for (const Flushed& topic : report.flushed) {
    std::printf("   %s── topic closed (%s): %zu blocks, %lld tokens%s\n", style.yellow,
                std::string(to_string(topic.reason)).c_str(), topic.blocks, static_cast<long long>(topic.tokens),
                style.plain);
  }
}

void print_block(const Observation& seen, const std::string& question, const Style& style) {
  const Decision& decision = *seen.decision;
  const bool cut = decision.verdict != Verdict::kAdsorb;
  std::printf(" %s%-6s%s %-7s %s%s%s", style.bold, seen.block.str().c_str(), style.plain,
              std::string(to_string(decision.verdict)).c_str(), cut ? style.green : style.dim,
              preview(question, kPreview).c_str(), style.plain);
  if (!decision.reasons.empty())
    std::printf("  %s%s %+.1f%s", style.dim, decision.reasons[0].name.c_str(), decision.reasons[0].weight, style.plain);
  std::puts("");
}

Status play(Engine& engine, const RequestContext& request, const Style& style) {
  std::printf("%s1. A conversation comes in: blocks form, topics are cut%s\n", style.bold, style.plain);
  const SessionId session("days-in-march");
  std::string_view lines = demo_conversation();
  std::map<BlockId, std::string> questions;
  std::size_t messages = 0;
  Stopwatch clock;
  while (!lines.empty()) {
    const auto end = std::min(lines.find('\n'), lines.size() - 1);
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(end + 1);
    if (line.empty()) continue;
    WEFT_TRY(const auto parsed, parse_message(line));
    WEFT_TRY(const auto report, engine.observe(request, session, parsed));
    ++messages;
    const Observation& seen = report.observations.front();
    if (parsed.front().role == Role::kUser) questions[seen.block] = parsed.front().content;
    print_flushed(report, style);
    if (seen.decision) print_block(seen, questions[seen.block], style);
  }
  WEFT_TRY(const auto saved, engine.save(request, session));
  print_flushed(saved, style);
  std::printf("   %s%zu messages in %.0f ms, %.1f ms each%s\n\n", style.dim, messages, clock.ms(),
              clock.ms() / static_cast<double>(messages), style.plain);
  return {};
}

Status show_memories(Engine& engine, const RequestContext& request, const Style& style) {
  std::printf("%s2. What is remembered%s\n", style.bold, style.plain);
  Stopwatch clock;
  WEFT_CHECK(engine.drain(kPatience));
  const double ms = clock.ms();
  WEFT_TRY(const auto narratives, engine.items(request, ItemKind::kNarrative, 100));
  WEFT_TRY(const auto events, engine.items(request, ItemKind::kEvent, 1000));
  for (const Item& item : narratives) {
    const auto lines_end = item.text.find('\n', item.text.find('\n') + 1);
    const std::string title = item.text.substr(0, item.text.find('\n'));
    std::printf(" %s%s%s  %s\n", style.green, format_date(item.time).c_str(), style.plain, title.c_str());
    if (lines_end != std::string::npos)
      std::printf("   %s%s%s\n", style.dim, preview(item.text.substr(lines_end + 1), 2 * kPreview).c_str(),
                  style.plain);
  }
  std::printf("   %s%zu topics and %zu events written and embedded, %.0f ms after the last message%s\n\n", style.dim,
              narratives.size(), events.size(), ms, style.plain);
  return {};
}

Status ask(Engine& engine, const RequestContext& request, const Style& style) {
  std::printf("%s3. Two weeks later, in a new session: the context woven for three questions%s\n", style.bold,
              style.plain);
  for (const DemoQuestion& question : demo_questions()) {
    ContextRequest what;
    what.input = std::string(question.text);
    Stopwatch clock;
    WEFT_TRY(const auto woven, engine.context(request, SessionId("later"), what));
    std::printf("\n %s? %s%s\n", style.magenta, what.input.c_str(), style.plain);
    for (const ReportSection& section : woven.report.sections) {
      if (section.name != "memory") continue;
      for (const ReportItem& item : section.items) {
        if (item.kept)
          std::printf("   %s%-9s%s %s\n", style.blue, item.source.c_str(), style.plain,
                      preview(item.preview, kPreview).c_str());
      }
    }
    std::printf("   %s%lld tokens of %lld, %.1f ms:", style.dim, static_cast<long long>(woven.report.tokens),
                static_cast<long long>(woven.report.usable), clock.ms());
    for (const auto& [name, ms] : woven.report.timings_ms) std::printf(" %s %.1f", name.c_str(), ms);
    std::printf("%s\n", style.plain);
  }
  return {};
}

}  // namespace

int demo(const Globals& globals) {
  const ScratchWorkspace folder;
  Globals own = globals;
  own.workspace = folder.path();
  const Style style = style_of_stdout();
  return with_engine(own, [&](Engine& engine, const RequestContext& request) -> Status {
    Stopwatch clock;
    wait_for_models(engine);
    const EngineStatus status = engine.status();
    std::printf("%sWeft%s  embedder %s (%s), loaded in %.0f ms; chat model: %s\n\n", style.bold, style.plain,
                status.embedder.c_str(), status.embedder_state.c_str(), clock.ms(), status.chat.c_str());
    WEFT_CHECK(play(engine, request, style));
    WEFT_CHECK(show_memories(engine, request, style));
    WEFT_CHECK(ask(engine, request, style));
    std::printf("\nNext: `weft init`, then `weft serve --upstream URL` and point your client at it, or `weft chat`.\n");
    return {};
  });
}

}  // namespace weft::cli
