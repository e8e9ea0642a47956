// The loop of an agent: what comes next follows from the state that its events fold to.
#include "agent/loop.h"

#include <algorithm>
#include <set>

#include "agent/builtin_tools.h"
#include "agent/loop_run.h"
#include "agent/task_report.h"
#include "agent/wait_words.h"
#include "base/clock.h"
#include "base/log.h"
#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::int64_t kEmptyAnswers = 3, kBrokenAnswers = 3;  // in a row, until a run ends
constexpr std::chrono::milliseconds kFirstPause{250};

// Chat APIs differ in what ids they take; nine letters and digits please all of them. A model's own may come again.
std::string call_id(std::int64_t reply, std::size_t index) {
  const auto padded = [](std::string text, std::size_t width) {
    return std::string(width - std::min(width, text.size()), '0') + text;
  };
  return "c" + padded(std::to_string(reply), 5) + padded(std::to_string(index), 3);
}

std::string tool_json(const ToolInfo& tool) {
  JsonWriter out;
  out.begin('{');
  out.name("type");
  out.text("function");
  out.name("function");
  out.begin('{');
  out.name("name");
  out.text(tool.name);
  out.name("description");
  out.text(tool.description);
  out.name("parameters");
  out.raw(tool.parameters.empty() ? R"({"type":"object","properties":{}})" : std::string_view(tool.parameters));
  out.end('}');
  out.end('}');
  return out.take();
}

constexpr std::size_t kVerdictBytes = 1000;

std::string what_was_done(const RunState& state, const AgentOutput& output) {
  JsonWriter out;
  out.begin('{');
  out.name("task");
  out.text(state.start.task);
  out.name("answer");
  out.text(output.text);
  out.end('}');
  return out.take();
}

}  // namespace

AgentLoop::AgentLoop(std::string run, LoopParts parts, LoopSettings settings, LoopStop& stop)
    : run_(std::move(run), std::move(parts), settings, stop), calls_(run_) {}

Result<LoopEnd> AgentLoop::run() {
  WEFT_CHECK(run_.collect());
  if (run_.state.last == 0) return not_found("the run " + run_.state.run + " has no events");
  run_.begin();
  for (;;) {
    WEFT_TRY(const LoopNext next, turn());
    if (next) return *next;
  }
}

Result<LoopNext> AgentLoop::turn() {
  WEFT_CHECK(run_.collect());
  if (run_.state.ended()) return run_.parts.endings.has(run_.state.run) ? close() : Result<LoopNext>(LoopEnd::kEnded);
  if (run_.is_stopped()) return stopped();
  if (run_.state.calls_open()) return calls_.work_off();
  if (run_.state.answered) return finish({run_.state.last_words(), "the agent answered", Outcome::kUnknown, 0});
  if (run_.state.limit) return run_.state.replies_after_limit > 0 ? finish_at_limit() : infer();
  if (const auto limit = reached()) {
    WEFT_CHECK(run_.emit(BusEventType::kLimitReached, *limit));
    // Where more words would break the limit itself, what there is stands.
    const bool silent = limit->limit == "tokens" || limit->limit == "time" || limit->limit == "answers";
    return silent ? finish_at_limit() : Result<LoopNext>(LoopNext());
  }
  const std::int64_t tokens = run_.state.used.tokens - run_.state.before.tokens;
  if (tokens > run_.state.start.limits.tokens / 2 && run_.state.used.compactions == run_.state.before.compactions)
    WEFT_CHECK(make_smaller());
  if (!run_.state.gaps && run_.state.used.model_calls == 0) WEFT_CHECK(look_for_gaps());
  const bool waits =
      run_.settings.wait_for_gaps && run_.state.used.model_calls == 0 && !run_.state.open_questions().empty();
  return waits ? calls_.wait_for_person() : infer();
}

Result<LoopNext> AgentLoop::stopped() {
  if (!run_.stop.interrupt) return LoopNext(LoopEnd::kStopped);
  WEFT_CHECK(run_.emit(BusEventType::kInterrupted, Interrupted{"user", run_.stop.why}));
  return LoopNext(LoopEnd::kInterrupted);
}

std::optional<LimitReached> AgentLoop::reached() const {
  const AgentLimits& limits = run_.state.start.limits;
  const RunUse& used = run_.state.used;
  const std::int64_t calls = used.tool_calls - run_.state.before.tool_calls,
                     tokens = used.tokens - run_.state.before.tokens;
  if (calls >= limits.tool_calls) return LimitReached{"calls", "calls of tools", limits.tool_calls};
  if (tokens >= limits.tokens) return LimitReached{"tokens", "tokens of model calls", limits.tokens};
  if (run_.time_left().count() == 0) return LimitReached{"time", "seconds of work", limits.seconds};
  if (used.repeats > limits.repeats)
    return LimitReached{"repeats", "times the same call with the same result", limits.repeats};
  if (used.empty >= kEmptyAnswers) return LimitReached{"answers", "empty answers of the model in a row", kEmptyAnswers};
  if (used.broken >= kBrokenAnswers)
    return LimitReached{"answers", "answers in a row whose calls could not be made", kBrokenAnswers};
  return std::nullopt;
}

Result<LoopNext> AgentLoop::finish(AgentOutput output) {
  verify(output);
  if (run_.is_stopped()) return LoopNext();  // the next turn says so
  WEFT_CHECK(run_.collect());
  output.seen = run_.state.last;
  WEFT_CHECK(run_.parts.endings.set(run_.state.run));
  WEFT_CHECK(run_.emit(BusEventType::kAgentOutput, output));
  return run_.state.ended() ? close() : Result<LoopNext>(LoopNext());  // else somebody has said something meanwhile
}

// What follows from the answer; a run that was killed in it does it when it is begun with again.
Result<LoopNext> AgentLoop::close() {
  if (const Status kept = run_.parts.context.finish(run_.state); !kept.ok())
    log_warning("agent", "run " + run_.state.run + ": " + kept.error().message);
  TaskReport report = report_of(run_.parts.bus.since(0));
  report.id = report.run = report.session = run_.state.run;
  for (Question& question : run_.parts.hooks.at_end(run_.state, report))
    if (!run_.state.has_asked(question.text)) WEFT_CHECK(calls_.ask({}, std::move(question)));
  WEFT_CHECK(run_.parts.endings.clear(run_.state.run));
  return LoopNext(LoopEnd::kEnded);
}

// What there is: the answer that the model still gave, else its last words and how far it says it is.
Result<LoopNext> AgentLoop::finish_at_limit() {
  const LimitReached limit = run_.state.limit.value_or(LimitReached());
  const std::string why = "a limit was reached: " + std::to_string(limit.value) + " " + limit.what;
  std::string text = run_.state.last_words();
  for (const std::string& step : run_.state.progress.done) text += "\n- done: " + step;
  if (!run_.state.progress.current.empty()) text += "\n- under way: " + run_.state.progress.current;
  for (const std::string& step : run_.state.progress.remaining) text += "\n- left: " + step;
  return finish({text + (text.empty() ? "" : "\n\n") + "[Ended here, since " + why + ".]", why, Outcome::kUnknown, 0});
}

Status AgentLoop::make_smaller() {
  auto made = run_.parts.context.compact(run_.state, run_.parts.window);
  if (!made.ok()) log_info("agent", "run " + run_.state.run + ": " + made.error().message);
  return run_.emit(BusEventType::kCompacted, made.value_or(CompactedTo()));
}

Status AgentLoop::note_compaction(const AgentPrompt& prompt) {
  if (prompt.compaction.empty() || prompt.compaction == run_.state.compaction) return {};
  return run_.emit(BusEventType::kCompacted, CompactedTo{prompt.compaction, 0, prompt.tokens});
}

// Once a task, so that a run that was killed here neither looks nor asks twice.
Status AgentLoop::look_for_gaps() {
  GapsFound found = run_.parts.hooks.gaps_before(run_.state, run_.parts.tools.infos());
  if (found.told.gaps.empty()) return {};
  for (Question& question : found.asked) WEFT_CHECK(calls_.ask({}, std::move(question)));
  return run_.emit(BusEventType::kLesson, found.told);
}

Status AgentLoop::tell_what_was_learnt() {
  const LessonTold learnt = run_.parts.hooks.learnt(run_.state);
  return learnt.empty() ? Status() : run_.emit(BusEventType::kLesson, learnt);
}

// What was told stays as it was told, and what is added stands behind it.
std::string AgentLoop::system_text() const {
  std::string text = run_.parts.system;
  const auto add = [&text](const std::string& more) {
    if (!more.empty()) text += "\n\n" + more;
  };
  for (const LessonTold& learnt : run_.state.learnt) add(learnt.text);
  if (run_.state.gaps) add(run_.state.gaps->text);
  if (run_.state.limit)
    text += "\n\nA limit is reached (" + std::to_string(run_.state.limit->value) + " " + run_.state.limit->what +
            "). No tool can be called any more: answer now with what there is, and say what is missing.";
  return text;
}

// With more than may be offered: what an agent always has, what it used, and of the others those that fit best.
ChatRequest AgentLoop::request_of(const AgentPrompt& prompt) const {
  ChatRequest request;
  request.messages = prompt.messages;
  request.max_tokens = run_.settings.output_tokens;
  if (run_.state.limit) return request;
  const bool all = run_.parts.tools.size() <= run_.settings.tools_offered;
  std::set<std::string> wanted;
  for (const std::string_view name : kAlwaysOffered)
    if (run_.parts.tools.find(std::string(name)) != nullptr) wanted.emplace(name);
  for (const Message& message : run_.state.messages)
    for (const ToolCall& call : message.tool_calls) wanted.insert(call.name);
  for (const std::string& name : prompt.tools)
    if (wanted.size() < run_.settings.tools_offered) wanted.insert(name);
  for (const ToolInfo& tool : run_.parts.tools.infos())
    if (all || wanted.contains(tool.name)) request.tools.push_back(tool_json(tool));
  return request;
}

Result<ChatReply> AgentLoop::ask_model(const ChatRequest& request) {
  auto pause = kFirstPause;
  for (std::int64_t attempt = 0;; ++attempt) {
    const Deadline deadline = run_.until_stopped();
    auto reply =
        run_.parts.model.complete(request, deadline.within(std::min(run_.settings.model_time, run_.time_left())));
    const bool again = !reply.ok() && (reply.error().code == ErrorCode::kUnavailable ||
                                       (reply.error().code == ErrorCode::kTimeout && run_.time_left().count() > 0));
    if (!again || attempt >= run_.settings.model_retries || run_.is_stopped()) return reply;
    (void)run_.parts.bus.wait_for_more(run_.parts.bus.last(), deadline.within(pause));
    pause *= 4;
  }
}

Result<LoopNext> AgentLoop::infer() {
  WEFT_CHECK(tell_what_was_learnt());
  const std::uint64_t seen = run_.state.last;
  const Deadline deadline = run_.until_stopped();
  const PromptWish wish{system_text(), run_.parts.tools.infos(), run_.parts.window, run_.parts.model.name(),
                        run_.settings.tools_offered};
  auto prompt = run_.parts.context.prompt(run_.state, wish, deadline.within(run_.settings.model_time));
  const Stopwatch watch;
  auto reply = prompt.ok() ? ask_model(request_of(*prompt)) : Result<ChatReply>(prompt.error());
  if (run_.is_stopped()) return LoopNext();  // the next turn says so
  if (!reply.ok()) {
    const auto limit = reached();
    if (!run_.state.limit && limit && limit->limit == "time")
      WEFT_CHECK(run_.emit(BusEventType::kLimitReached, *limit));
    if (run_.state.limit) return finish_at_limit();
    WEFT_CHECK(run_.emit(BusEventType::kInterrupted, Interrupted{"model", reply.error().message}));
    return LoopNext(LoopEnd::kInterrupted);
  }
  WEFT_CHECK(note_compaction(*prompt));
  ModelReplied said{std::move(reply->message),
                    run_.parts.model.name(),
                    reply->prompt_tokens,
                    reply->completion_tokens,
                    watch.ms(),
                    seen};
  if (said.prompt_tokens == 0) said.prompt_tokens = prompt->tokens;
  for (std::size_t i = 0; i < said.message.tool_calls.size(); ++i)
    said.message.tool_calls[i].id = call_id(run_.state.used.model_calls + 1, i);
  if (said.message.content.find_first_not_of(" \t\r\n") == std::string::npos) said.message.content.clear();
  WEFT_CHECK(run_.emit(BusEventType::kModelReply, said));
  return LoopNext();
}

Status LoopRun::collect() {
  for (const BusEvent& event : parts.bus.since(state.last)) WEFT_CHECK(state.apply(event));
  return {};
}

std::chrono::milliseconds LoopRun::time_left() const {
  const auto here = std::chrono::steady_clock::now() - began_ - waited_;
  const double before = worked_before_ - state.before.ms;
  const double used = std::chrono::duration<double, std::milli>(here).count() + std::max(0.0, before);
  return std::chrono::milliseconds(
      std::max<std::int64_t>(0, state.start.limits.seconds * 1000 - static_cast<std::int64_t>(used)));
}

// How a run went, as a program says.

// Only who looked may speak: a verifier that is not allowed, too slow or not there leaves the outcome unknown.
void AgentLoop::verify(AgentOutput& output) {
  if (run_.parts.verifier == nullptr || output.outcome != Outcome::kUnknown) return;
  if (run_.parts.permissions.of(kVerify) != Permission::kAllow) {
    output.verdict = "not asked: " + std::string(kVerify) + " is not allowed in this run";
    return;
  }
  const auto time = std::min(run_.settings.call_time, run_.time_left());
  if (time.count() == 0) {
    output.verdict = "not asked: no time was left";
    return;
  }
  const Deadline stop = run_.until_stopped();
  std::vector<CallJob> jobs{
      {run_.parts.verifier, run_.parts.request, run_.state.run, std::string(kVerify), what_was_done(run_.state, output),
                             // Of this answer: the same where a kill has it judged twice.
       run_.state.run + ":verify:" + std::to_string(run_.state.used.model_calls), stop.within(time)}};
  run_.parts.threads.make(jobs, [&output](std::size_t, Result<ToolOutcome> said, double) {
    if (!said.ok()) {
      output.verdict = "no verdict: " + said.error().message;
      return;
    }
    output.outcome = said->failed ? Outcome::kFailure : Outcome::kSuccess;
    output.by = Witness::kVerifier;
    output.verdict = std::string(cut_bytes(repair_utf8(said->output), kVerdictBytes));
  });
}

}  // namespace weft
