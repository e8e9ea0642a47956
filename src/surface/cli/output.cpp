#include "surface/cli/output.h"

#include <string>

#include "agent/run_state.h"
#include "text/json.h"
#include "text/markup.h"
#include "text/utf8.h"

namespace weft::cli {
namespace {

constexpr std::size_t kPreview = 60;

std::string role_name(Role role) { return std::string(to_string(role)); }

}  // namespace

Style style_of(const Console& console) { return terminal_style(console.colours()); }

void print_report(Console& console, const ContextReport& report) {
  const Style style = style_of(console);
  console.print("%swindow %lld, usable %lld, used %lld tokens (%s), recall by %s%s\n", style.bold,
                static_cast<long long>(report.window), static_cast<long long>(report.usable),
                static_cast<long long>(report.tokens), report.token_mode.c_str(), to_string(report.by).data(),
                style.plain);
  for (const ReportSection& section : report.sections) {
    console.print("%s%s%s  %lld of at most %lld tokens\n", style.blue, section.name.c_str(), style.plain,
                  static_cast<long long>(section.tokens), static_cast<long long>(section.budget));
    for (const ReportItem& item : section.items) {
      console.print("  %s%s%s %6lld  %6.3f  %-9s %-22s %s\n", item.kept ? style.green : style.dim,
                    item.kept ? "+" : "-", style.plain, static_cast<long long>(item.tokens), item.score,
                    item.source.c_str(), item.why.c_str(), preview(item.preview, kPreview).c_str());
    }
  }
  console.print("%slayout %s; goes on from the last prompt for %lld of its %lld bytes", style.dim,
                report.layout.c_str(), static_cast<long long>(report.prefix_equal_bytes),
                static_cast<long long>(report.last_prompt_bytes));
  if (!report.prefix_break.empty()) console.print(", broken by: %s", report.prefix_break.c_str());
  console.print(";");
  for (const auto& [name, ms] : report.timings_ms) console.print(" %s %.1f ms", name.c_str(), ms);
  console.print("%s\n", style.plain);
}

void print_messages(Console& console, const std::vector<Message>& messages) {
  const Style style = style_of(console);
  for (const Message& message : messages) {
    console.print("%s%s%s\n%s\n\n", style.blue, role_name(message.role).c_str(), style.plain, message.content.c_str());
  }
}

void print_diff(const Globals& globals, const std::string& diff) {
  if (!globals.json) return globals.console->write(diff.empty() ? "no difference\n" : diff);
  JsonWriter out;
  out.begin('{');
  out.name("diff");
  out.text(diff);
  out.end('}');
  globals.console->line(out.take());
}

// What happens in a run, for people.

namespace {

constexpr std::size_t kShown = 160;

// What models and tools write must not speak to the terminal.
std::string shown(const std::string& text, std::size_t most = kShown) { return preview(drop_harmful(text), most); }

template <class T, class Tell>
std::string tell(const BusEvent& event, const Tell& how) {
  const auto payload = payload_of<T>(event);
  return payload.ok() ? how(*payload) : payload.error().message;
}

std::string told_reply(const ModelReplied& reply) {
  std::string text = shown(reply.message.content.empty() ? reply.message.reasoning : reply.message.content);
  if (!text.empty()) text = "💭 " + text;
  return text;
}

std::string told_question(const Question& question) {
  std::string text = "❓ " + drop_harmful(question.text) + "\n   (" + question.id + ")";
  for (const std::string& one : question.choices) text += "\n   - " + drop_harmful(one);
  return text;
}

std::string told_lesson(const LessonTold& lesson) {
  std::string ids, gone, gaps;
  for (const auto* list : {&lesson.rules, &lesson.skills})
    for (const std::string& id : *list) ids += " " + id;
  for (const std::string& id : lesson.withdrawn) gone += " " + id;
  for (const std::string& gap : lesson.gaps) gaps += (gaps.empty() ? "" : "; ") + gap;
  if (lesson.is_learnt())
    return shown((ids.empty() ? "📚" : "📚 told:" + ids) + (gone.empty() ? "" : " withdrawn:" + gone));
  return gaps.empty() ? "💡 " + shown(lesson.text) : "🔍 not said: " + shown(gaps);
}

std::string told_output(const AgentOutput& output) {
  std::string text = "\n" + drop_harmful(output.text);
  if (output.by != Witness::kNobody)
    text += "\n⚖ " + std::string(to_string(output.outcome)) + ", says the " + std::string(to_string(output.by));
  if (!output.verdict.empty()) text += (output.by == Witness::kNobody ? "\n⚖ " : ": ") + shown(output.verdict);
  return text;
}

std::string told_plain(const BusEvent& event) {
  switch (event.type) {
    case BusEventType::kRunStarted: return {};
    case BusEventType::kUserMessage:
      return tell<Said>(event, [](const Said& said) { return "👤 " + shown(said.message.content); });
    case BusEventType::kModelReply: return tell<ModelReplied>(event, told_reply);
    case BusEventType::kToolIntent:
      return tell<Intended>(event, [](const Intended& one) { return "🔧 " + one.name + " " + shown(one.arguments); });
    case BusEventType::kToolResult:
      return tell<ToolAnswered>(event, [](const ToolAnswered& one) {
        return std::string(one.failed ? "   ✗ " : "   ✓ ") + shown(one.output);
      });
    case BusEventType::kHumanQuery:
      return tell<Asked>(event, [](const Asked& asked) { return told_question(asked.question); });
    case BusEventType::kHumanResponse:
      return tell<Answered>(event, [](const Answered& one) {
        return std::string(one.timed_out ? "⏰ nobody answered: " : "👤 ") + shown(one.text);
      });
    case BusEventType::kAgentOutput: return tell<AgentOutput>(event, told_output);
    case BusEventType::kLimitReached:
      return tell<LimitReached>(
          event, [](const LimitReached& one) { return "⚠ limit: " + std::to_string(one.value) + " " + one.what; });
    case BusEventType::kCompacted: return "🗜 older turns are now a summary";
    case BusEventType::kLesson: return tell<LessonTold>(event, told_lesson);
    case BusEventType::kInterrupted:
      return tell<Interrupted>(event, [](const Interrupted& one) {
        return "⏸ interrupted by the " + one.by + (one.why.empty() ? "" : ": " + shown(one.why));
      });
    case BusEventType::kProgress:
      return tell<ProgressTold>(event, [](const ProgressTold& one) {
        return "📋 " + std::to_string(one.done.size()) + " done, now: " + shown(one.current) + ", " +
               std::to_string(one.remaining.size()) + " left";
      });
    case BusEventType::kSubAgentStarted:
      return tell<SubAgent>(event, [](const SubAgent& one) { return "🤖 " + one.run + ": " + shown(one.task); });
    case BusEventType::kSubAgentEnded:
      return tell<SubAgent>(event, [](const SubAgent& one) { return "🤖 " + one.run + " " + one.outcome; });
  }
  return {};
}

}  // namespace

std::string told_event(const BusEvent& event, bool colours) {
  const std::string text = told_plain(event);
  if (text.empty()) return {};
  const std::string number = std::to_string(event.id);
  const std::string margin = std::string(number.size() < 4 ? 4 - number.size() : 0, ' ') + number;
  return (colours ? "\x1b[2m" + margin + "\x1b[0m " : margin + " ") + text;
}

void print_run(Console& console, const AgentRun& run) {
  console.print("%s  %s  %s\n", run.id.c_str(), run.status.c_str(), shown(run.task, 80).c_str());
  console.print("  %lld model calls, %lld tool calls, %lld tokens, %llu events\n",
                static_cast<long long>(run.model_calls), static_cast<long long>(run.tool_calls),
                static_cast<long long>(run.tokens), static_cast<unsigned long long>(run.events));
  if (!run.limit.empty()) console.print("  limit: %s\n", run.limit.c_str());
  if (run.outcome != Outcome::kUnknown) console.print("  %s\n", std::string(to_string(run.outcome)).c_str());
  if (run.claim != OutcomeClaim::kNone)
    console.print("  %s, says the model itself\n", run.claim == OutcomeClaim::kDone ? "done" : "not done");
  if (!run.learn) console.print("  nothing is learnt from it\n");
  if (!run.why.empty()) console.print("  %s\n", shown(run.why).c_str());
  for (const Question& question : run.questions) console.print("  %s\n", told_question(question).c_str());
  if (!run.questions.empty())
    console.print("  answer with `weft agent answer %s TEXT`\n", run.id.c_str());
  else if (run.status == "interrupted" || run.status == "stopped")
    console.print("  go on with `weft agent resume %s`\n", run.id.c_str());
}

}  // namespace weft::cli
