// The loop of an agent: what comes next follows from the state that its events fold to.
#include "agent/loop.h"

#include <algorithm>
#include <set>

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

}  // namespace

AgentLoop::AgentLoop(std::string run, LoopParts parts, LoopSettings settings, LoopStop& stop)
    : parts_(std::move(parts)), settings_(settings), stop_(stop) {
  state_.run = std::move(run);
}

Status AgentLoop::collect() {
  for (const BusEvent& event : parts_.bus.since(state_.last)) WEFT_CHECK(state_.apply(event));
  return {};
}

Result<LoopEnd> AgentLoop::run() {
  WEFT_CHECK(collect());
  if (state_.last == 0) return not_found("the run " + state_.run + " has no events");
  worked_before_ = state_.used.ms;
  for (;;) {
    WEFT_TRY(const Next next, turn());
    if (next) return *next;
  }
}

Result<AgentLoop::Next> AgentLoop::turn() {
  WEFT_CHECK(collect());
  if (state_.ended()) return parts_.endings.has(state_.run) ? close() : Result<Next>(LoopEnd::kEnded);
  if (stop_.source.stop_requested()) return stopped();
  if (state_.calls_open()) return work_off_calls();
  if (state_.answered) return finish({state_.last_words(), "the agent answered", Outcome::kUnknown, 0});
  if (state_.limit) return state_.replies_after_limit > 0 ? finish_at_limit() : infer();
  if (const auto limit = reached()) {
    WEFT_CHECK(emit(BusEventType::kLimitReached, *limit));
    // Where more words would break the limit itself, what there is stands.
    const bool silent = limit->limit == "tokens" || limit->limit == "time" || limit->limit == "answers";
    return silent ? finish_at_limit() : Result<Next>(Next());
  }
  const std::int64_t tokens = state_.used.tokens - state_.before.tokens;
  if (tokens > state_.start.limits.tokens / 2 && state_.used.compactions == state_.before.compactions)
    WEFT_CHECK(make_smaller());
  if (!state_.gaps && state_.used.model_calls == 0) WEFT_CHECK(look_for_gaps());
  const bool waits = settings_.wait_for_gaps && state_.used.model_calls == 0 && !state_.open_questions().empty();
  return waits ? wait_for_person() : infer();
}

Result<AgentLoop::Next> AgentLoop::stopped() {
  if (!stop_.interrupt) return Next(LoopEnd::kStopped);
  WEFT_CHECK(emit(BusEventType::kInterrupted, Interrupted{"user", stop_.why}));
  return Next(LoopEnd::kInterrupted);
}

std::chrono::milliseconds AgentLoop::time_left() const {
  const auto here = std::chrono::steady_clock::now() - began_ - waited_;
  const double before = worked_before_ - state_.before.ms;
  const double used = std::chrono::duration<double, std::milli>(here).count() + std::max(0.0, before);
  return std::chrono::milliseconds(
      std::max<std::int64_t>(0, state_.start.limits.seconds * 1000 - static_cast<std::int64_t>(used)));
}

std::optional<LimitReached> AgentLoop::reached() const {
  const AgentLimits& limits = state_.start.limits;
  const RunUse& used = state_.used;
  const std::int64_t calls = used.tool_calls - state_.before.tool_calls, tokens = used.tokens - state_.before.tokens;
  if (calls >= limits.tool_calls) return LimitReached{"calls", "calls of tools", limits.tool_calls};
  if (tokens >= limits.tokens) return LimitReached{"tokens", "tokens of model calls", limits.tokens};
  if (time_left().count() == 0) return LimitReached{"time", "seconds of work", limits.seconds};
  if (used.repeats > limits.repeats)
    return LimitReached{"repeats", "times the same call with the same result", limits.repeats};
  if (used.empty >= kEmptyAnswers) return LimitReached{"answers", "empty answers of the model in a row", kEmptyAnswers};
  if (used.broken >= kBrokenAnswers)
    return LimitReached{"answers", "answers in a row whose calls could not be made", kBrokenAnswers};
  return std::nullopt;
}

Result<AgentLoop::Next> AgentLoop::finish(AgentOutput output) {
  verify(output);
  if (stop_.source.stop_requested()) return Next();  // the next turn says so
  WEFT_CHECK(collect());
  output.seen = state_.last;
  WEFT_CHECK(parts_.endings.set(state_.run));
  WEFT_CHECK(emit(BusEventType::kAgentOutput, output));
  return state_.ended() ? close() : Result<Next>(Next());  // else somebody has said something meanwhile
}

// What follows from the answer; a run that was killed in it does it when it is begun with again.
Result<AgentLoop::Next> AgentLoop::close() {
  if (const Status kept = parts_.context.finish(state_); !kept.ok())
    log_warning("agent", "run " + state_.run + ": " + kept.error().message);
  TaskReport report = report_of(parts_.bus.since(0));
  report.id = report.run = report.session = state_.run;
  for (Question& question : parts_.hooks.at_end(state_, report))
    if (!state_.has_asked(question.text)) WEFT_CHECK(ask({}, std::move(question)));
  WEFT_CHECK(parts_.endings.clear(state_.run));
  return Next(LoopEnd::kEnded);
}

// What there is: the answer that the model still gave, else its last words and how far it says it is.
Result<AgentLoop::Next> AgentLoop::finish_at_limit() {
  const LimitReached limit = state_.limit.value_or(LimitReached());
  const std::string why = "a limit was reached: " + std::to_string(limit.value) + " " + limit.what;
  std::string text = state_.last_words();
  for (const std::string& step : state_.progress.done) text += "\n- done: " + step;
  if (!state_.progress.current.empty()) text += "\n- under way: " + state_.progress.current;
  for (const std::string& step : state_.progress.remaining) text += "\n- left: " + step;
  return finish({text + (text.empty() ? "" : "\n\n") + "[Ended here, since " + why + ".]", why, Outcome::kUnknown, 0});
}

Status AgentLoop::make_smaller() {
  auto made = parts_.context.compact(state_, parts_.window);
  if (!made.ok()) log_info("agent", "run " + state_.run + ": " + made.error().message);
  return emit(BusEventType::kCompacted, made.value_or(CompactedTo()));
}

Status AgentLoop::note_compaction(const AgentPrompt& prompt) {
  if (prompt.compaction.empty() || prompt.compaction == state_.compaction) return {};
  return emit(BusEventType::kCompacted, CompactedTo{prompt.compaction, 0, prompt.tokens});
}

// Once a task, so that a run that was killed here neither looks nor asks twice.
Status AgentLoop::look_for_gaps() {
  GapsFound found = parts_.hooks.gaps_before(state_, parts_.tools.infos());
  if (found.told.gaps.empty()) return {};
  for (Question& question : found.asked) WEFT_CHECK(ask({}, std::move(question)));
  return emit(BusEventType::kLesson, found.told);
}

Status AgentLoop::tell_what_was_learnt() {
  const LessonTold learnt = parts_.hooks.learnt(state_);
  return learnt.empty() ? Status() : emit(BusEventType::kLesson, learnt);
}

// What was told stays as it was told, and what is added stands behind it.
std::string AgentLoop::system_text() const {
  std::string text = parts_.system;
  const auto add = [&text](const std::string& more) {
    if (!more.empty()) text += "\n\n" + more;
  };
  for (const LessonTold& learnt : state_.learnt) add(learnt.text);
  if (state_.gaps) add(state_.gaps->text);
  if (state_.limit)
    text += "\n\nA limit is reached (" + std::to_string(state_.limit->value) + " " + state_.limit->what +
            "). No tool can be called any more: answer now with what there is, and say what is missing.";
  return text;
}

// With more than may be offered: what an agent always has, what it used, and of the others those that fit best.
ChatRequest AgentLoop::request_of(const AgentPrompt& prompt) const {
  ChatRequest request;
  request.messages = prompt.messages;
  request.max_tokens = settings_.output_tokens;
  if (state_.limit) return request;
  const bool all = parts_.tools.size() <= settings_.tools_offered;
  std::set<std::string> wanted;
  for (const std::string_view name : kAlwaysOffered)
    if (parts_.tools.find(std::string(name)) != nullptr) wanted.emplace(name);
  for (const Message& message : state_.messages)
    for (const ToolCall& call : message.tool_calls) wanted.insert(call.name);
  for (const std::string& name : prompt.tools)
    if (wanted.size() < settings_.tools_offered) wanted.insert(name);
  for (const ToolInfo& tool : parts_.tools.infos())
    if (all || wanted.contains(tool.name)) request.tools.push_back(tool_json(tool));
  return request;
}

Result<ChatReply> AgentLoop::ask_model(const ChatRequest& request) {
  auto pause = kFirstPause;
  for (std::int64_t attempt = 0;; ++attempt) {
    const Deadline deadline(std::nullopt, stop_.source.get_token());
    auto reply = parts_.model.complete(request, deadline.within(std::min(settings_.model_time, time_left())));
    const bool again = !reply.ok() && (reply.error().code == ErrorCode::kUnavailable ||
                                       (reply.error().code == ErrorCode::kTimeout && time_left().count() > 0));
    if (!again || attempt >= settings_.model_retries || stop_.source.stop_requested()) return reply;
    (void)parts_.bus.wait_for_more(parts_.bus.last(), deadline.within(pause));
    pause *= 4;
  }
}

Result<AgentLoop::Next> AgentLoop::infer() {
  WEFT_CHECK(tell_what_was_learnt());
  const std::uint64_t seen = state_.last;
  const Deadline deadline(std::nullopt, stop_.source.get_token());
  const PromptWish wish{system_text(), parts_.tools.infos(), parts_.window, parts_.model.name(),
                        settings_.tools_offered};
  auto prompt = parts_.context.prompt(state_, wish, deadline.within(settings_.model_time));
  const Stopwatch watch;
  auto reply = prompt.ok() ? ask_model(request_of(*prompt)) : Result<ChatReply>(prompt.error());
  if (stop_.source.stop_requested()) return Next();  // the next turn says so
  if (!reply.ok()) {
    const auto limit = reached();
    if (!state_.limit && limit && limit->limit == "time") WEFT_CHECK(emit(BusEventType::kLimitReached, *limit));
    if (state_.limit) return finish_at_limit();
    WEFT_CHECK(emit(BusEventType::kInterrupted, Interrupted{"model", reply.error().message}));
    return Next(LoopEnd::kInterrupted);
  }
  WEFT_CHECK(note_compaction(*prompt));
  ModelReplied said{std::move(reply->message), parts_.model.name(), reply->prompt_tokens,
                    reply->completion_tokens,  watch.ms(),          seen};
  if (said.prompt_tokens == 0) said.prompt_tokens = prompt->tokens;
  for (std::size_t i = 0; i < said.message.tool_calls.size(); ++i)
    said.message.tool_calls[i].id = call_id(state_.used.model_calls + 1, i);
  if (said.message.content.find_first_not_of(" \t\r\n") == std::string::npos) said.message.content.clear();
  WEFT_CHECK(emit(BusEventType::kModelReply, said));
  return Next();
}

}  // namespace weft
