#include "agent/loop.h"

#include <algorithm>
#include <set>

#include "agent/builtin_tools.h"
#include "agent/run_state.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/strings.h"
#include "text/tool_arguments.h"
#include "text/utf8.h"

namespace weft {

// The loop of an agent: what comes next follows from the state that its events fold to.

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

namespace {

constexpr std::size_t kAskedBytes = 4000;  // of the arguments that a person is shown

std::string nearest_tool(const ToolRegistry& tools, const std::string& name) {
  std::string best;
  std::size_t least = name.size() / 2 + 2;
  for (const ToolInfo& tool : tools.infos()) {
    const std::size_t distance = edit_distance(tool.name, name.substr(0, 100));
    if (distance < least) least = distance, best = tool.name;
  }
  return best;
}

// Arguments as an object; models leave them out where there are none.
std::string object_of(const std::string& arguments) {
  return arguments.find_first_not_of(" \t\r\n") == std::string::npos ? "{}" : arguments;
}

Status check_arguments(const ToolInfo& tool, const std::string& arguments) {
  WEFT_CHECK(check_json(arguments, {}, "the arguments"));
  if (!compact_json(arguments).starts_with('{')) return invalid_argument("the arguments must be a JSON object");
  if (tool.parameters.empty()) return {};
  WEFT_TRY(const SchemaCheck check, SchemaCheck::compile(tool.parameters, "the arguments"));
  return check.check(arguments);
}

}  // namespace

Status LoopCalls::tell(const CallState& call, ToolOutcome outcome, double ms) {
  const std::string id = call.call.id;
  if (outcome.output.size() > run_.settings.kept_bytes) {
    const std::size_t whole = outcome.output.size();
    outcome.output = std::string(cut_bytes(outcome.output, run_.settings.kept_bytes)) + "\n[cut here: the tool gave " +
                     std::to_string(whole) + " bytes]";
  }
  ShownOutput shown = shown_output(outcome.output, run_.settings.result_bytes, id);
  ToolAnswered answer{id, std::move(shown.text), outcome.failed, ms, {}, outcome.provenance, shown.hidden};
  if (answer.output.empty()) answer.output = "[no output]";
  if (shown.cut) {
    WEFT_CHECK(run_.parts.results.keep(run_.state.run, id, repair_utf8(outcome.output)));
    answer.handle = id;
  }
  return run_.emit(BusEventType::kToolResult, answer);
}

Status LoopCalls::refuse(const CallState& call, std::string why) {
  return tell(call, {std::move(why), true, Provenance::kOwnRun}, 0);
}

Result<bool> LoopCalls::intend(const CallState& call, std::string arguments) {
  const Tool* tool = run_.parts.tools.find(call.call.name);
  if (tool == nullptr) {
    WEFT_CHECK(refuse(call, "the tool " + call.call.name + " is not there any more"));
    return false;
  }
  const std::string id = call.call.id;
  Intended intent{id, call.call.name, compact_json(arguments), std::string(to_string(tool->effects())), {}};
  if (tool->effects() == ToolEffects::kKeyed) intent.key = run_.state.run + ":" + id;
  WEFT_CHECK(run_.emit(BusEventType::kToolIntent, intent));
  ready_.push_back(id);
  return true;
}

Status LoopCalls::ask(const std::string& call, Question question) {
  question.id = run_.state.run + "-q" + std::to_string(run_.state.last + 1);
  question.owner = run_.state.start.owner;
  question.run = question.session = run_.state.run;
  question.stage = QuestionStage::kAsked;
  question.created = question.asked = run_.parts.clock.now();
  question.expires = question.asked;
  question.expires.ms += run_.settings.question_time.count();
  WEFT_TRY(question, run_.parts.questions.ask(question));
  if (call.empty() && run_.state.questions.contains(question.id)) return {};  // it was asked before a kill
  return run_.emit(BusEventType::kHumanQuery, Asked{std::move(question), call});
}

// The tool human_ask is the loop's own: its result is what a person says, whenever that is.
Status LoopCalls::ask_the_user(const CallState& call) {
  WEFT_TRY(const HumanQuestion asked, parse_record<HumanQuestion>(call.call.arguments, "the arguments"));
  Question question;
  question.kind = asked.kind;
  question.urgency = Grade::kHigh;
  question.text = asked.question;
  question.why = asked.why;
  question.choices = asked.choices;
  question.fallback = asked.fallback;
  return ask(call.call.id, std::move(question));
}

Result<bool> LoopCalls::ready_anew(const CallState& call) {
  const std::string& name = call.call.name;
  const Tool* tool = run_.parts.tools.find(name);
  if (tool == nullptr) {
    const std::string near = nearest_tool(run_.parts.tools, name);
    WEFT_CHECK(refuse(call, "there is no tool \"" + std::string(cut_bytes(name, 80)) + "\"" +
                                (near.empty() ? "" : "; did you mean \"" + near + "\"?")));
    return false;
  }
  const std::string arguments = object_of(call.call.arguments);
  if (const Status fine = check_arguments(tool->info(), arguments); !fine.ok()) {
    WEFT_CHECK(refuse(call, "the call was not made: " + fine.error().message + ". The arguments' schema is " +
                                tool->info().parameters));
    return false;
  }
  const AgentLimits& limits = run_.state.start.limits;
  if (run_.state.limit || run_.state.used.tool_calls - run_.state.before.tool_calls >= limits.tool_calls) {
    WEFT_CHECK(refuse(call, "the call was not made: a limit of this run is reached"));
    return false;
  }
  if (run_.state.used.repeats >= limits.repeats) {
    WEFT_CHECK(refuse(call, "the call was not made: the same one gave the same result " +
                                std::to_string(run_.state.used.repeats - 1) +
                                " times in a row. Do something else, or answer with what you know"));
    return false;
  }
  const Permission permission = run_.parts.permissions.of(name);
  if (permission == Permission::kDeny) {
    WEFT_CHECK(refuse(call, "the call was not made: " + name + " is not allowed in this run"));
    return false;
  }
  if (name == kHumanAsk) {
    WEFT_CHECK(ask_the_user(call));
    return false;
  }
  if (permission == Permission::kAllow) return intend(call, arguments);
  Question question;
  question.kind = QuestionKind::kApproval;
  question.urgency = Grade::kHigh;
  question.text = "May " + name + " be called with " + std::string(cut_bytes(arguments, kAskedBytes)) + "?";
  question.choices = {"allow", "deny"};
  question.arguments = compact_json(arguments);
  question.fallback = "deny";
  WEFT_CHECK(ask(call.call.id, std::move(question)));
  return false;
}

// What a person answered decides what becomes of the call.
Result<bool> LoopCalls::ready_after_answer(const CallState& call, const QuestionState& question) {
  const Answered& answer = *question.answer;
  const std::string choice = answer.choice.empty() ? answer.text : answer.choice;
  const QuestionKind kind = question.asked.question.kind;
  const std::string said = answer.text.empty() || answer.text == choice ? "" : " They say: " + answer.text;
  if (kind == QuestionKind::kApproval) {
    if (choice != "allow") {
      WEFT_CHECK(refuse(call, answer.timed_out ? "the call was not made: nobody allowed it in time"
                                               : "the call was not made: the user refused it." + said));
      return false;
    }
    const std::string arguments = answer.arguments.empty() ? object_of(call.call.arguments) : answer.arguments;
    const Tool* tool = run_.parts.tools.find(call.call.name);
    if (const Status fine = tool == nullptr ? Status() : check_arguments(tool->info(), arguments); !fine.ok()) {
      WEFT_CHECK(refuse(call, "the call was not made: as the user edited it, " + fine.error().message));
      return false;
    }
    return intend(call, arguments);
  }
  if (kind == QuestionKind::kUnknownOutcome) {
    if (choice == kTryAgain) return intend(call, call.intent->arguments);
    if (choice == kDoneBefore)
      WEFT_CHECK(tell(
          call, {"The call was carried out, says the user; its output is not known." + said, false, Provenance::kUser},
          0));
    else
      WEFT_CHECK(refuse(call, choice == kNotDone ? "The call was not carried out, says the user." + said
                                                 : "The program was ended during this call: it is not known whether "
                                                   "it was carried out. Look before you do it again."));
    return false;
  }
  WEFT_CHECK(give_answer(call, question));
  return false;
}

Status LoopCalls::give_answer(const CallState& call, const QuestionState& question) {
  const Answered& answer = *question.answer;
  if (!answer.timed_out) return tell(call, {answer.text, false, Provenance::kUser}, 0);
  const std::string& fallback = question.asked.question.fallback;
  return tell(call,
              {"Nobody answered in time. " + (fallback.empty() ? "Go on without the answer." : "Then: " + fallback),
               fallback.empty(), Provenance::kOwnRun},
              0);
}

// Whether the call is to be made now. Else it has its result, or waits for a person.
Result<bool> LoopCalls::ready(CallState& call) {
  const QuestionState* question = call.question.empty() ? nullptr : &run_.state.questions.at(call.question);
  if (question != nullptr && !question->answer) {
    // Who says something else instead of an answer is heard.
    const QuestionKind kind = question->asked.question.kind;
    const bool about_call = kind == QuestionKind::kApproval || kind == QuestionKind::kUnknownOutcome;
    const bool spoke = !run_.state.waiting.empty() && run_.state.waiting.back().first > question->event;
    if (about_call || !spoke) return false;
    const Question asked = question->asked.question;
    const Answered spoken{asked.id, run_.state.waiting.back().second.content, {}, {}, false};
    WEFT_CHECK(run_.emit(BusEventType::kHumanResponse, spoken));
    run_.parts.questions.settled(asked, spoken);
    return false;
  }
  if (!call.intent) return question == nullptr ? ready_anew(call) : ready_after_answer(call, *question);
  // An earlier loop meant to make it, and no result is there.
  if (effects_of(call.intent->effects) != ToolEffects::kSome) {
    if (run_.parts.tools.find(call.call.name) != nullptr) {
      ready_.push_back(call.call.id);
      return true;
    }
    WEFT_CHECK(refuse(call, "the tool " + call.call.name + " is not there any more"));
    return false;
  }
  if (question != nullptr && question->event > call.intent_event) return ready_after_answer(call, *question);
  Question unknown;
  unknown.kind = QuestionKind::kUnknownOutcome;
  unknown.urgency = Grade::kHigh;
  unknown.text = "The program was ended while " + call.call.name + " was called with " +
                 std::string(cut_bytes(call.intent->arguments, kAskedBytes)) + ". Was it done?";
  unknown.why = "a second call could do it twice";
  unknown.choices = {std::string(kDoneBefore), std::string(kNotDone), std::string(kTryAgain)};
  unknown.fallback = "the outcome is told to be unknown";
  WEFT_CHECK(ask(call.call.id, std::move(unknown)));
  return false;
}

Result<LoopNext> LoopCalls::work_off() {
  const std::uint64_t since = run_.state.last;
  std::vector<std::string> open;
  for (const CallState& call : run_.state.calls)
    if (!call.result) open.push_back(call.call.id);
  ready_.clear();
  for (const std::string& id : open) {
    CallState* call = run_.state.call(id);
    if (call == nullptr || call->result) continue;
    CallState copy = *call;  // what is written below changes the state
    WEFT_TRY(const bool now, ready(copy));
    (void)now;
  }
  if (!ready_.empty()) WEFT_CHECK(make_calls());
  WEFT_CHECK(learn_from_failures(since));
  if (run_.is_stopped() || !run_.state.calls_open() || run_.state.last != since) return LoopNext();
  return wait_for_person();
}

Status LoopCalls::make_calls() {
  const Deadline stop = run_.until_stopped();
  const auto most = static_cast<std::size_t>(std::max<std::int64_t>(1, run_.settings.parallel));
  for (std::size_t at = 0; at < ready_.size() && !run_.is_stopped(); at += most) {
    std::vector<CallJob> jobs;
    for (std::size_t i = at; i < std::min(ready_.size(), at + most); ++i) {
      const CallState* call = run_.state.call(ready_[i]);
      jobs.push_back({run_.parts.tools.share(call->call.name), run_.parts.request, run_.state.run, call->call.id,
                      call->intent->arguments, call->intent->key,
                      stop.within(std::min(call->call.name == kAgentSpawn ? run_.time_left() : run_.settings.call_time,
                                           run_.time_left()))});
    }
    Status written;
    run_.parts.threads.make(jobs, [&](std::size_t job, Result<ToolOutcome> outcome, double ms) {
      // What a stop cut off has no result: it is made again or asked about when the run goes on.
      const bool cut_off = !outcome.ok() && run_.is_stopped();
      const CallState* call = run_.state.call(jobs[job].call);
      if (!written.ok() || cut_off || call == nullptr) return;
      const CallState copy = *call;
      if (!outcome.ok())
        written = tell(copy,
                       {"the tool failed: " + outcome.error().message +
                            (outcome.error().hint.empty() ? "" : " (" + outcome.error().hint + ")"),
                        true},
                       ms);
      else
        written = tell(copy, std::move(outcome).value(), ms);
    });
    WEFT_CHECK(written);
  }
  return {};
}

Status LoopCalls::learn_from_failures(std::uint64_t since) {
  std::vector<std::string> failed;
  for (const BusEvent& event : run_.parts.bus.since(since)) {
    if (event.type != BusEventType::kToolResult) continue;
    WEFT_TRY(const ToolAnswered answer, payload_of<ToolAnswered>(event));
    if (answer.failed) failed.push_back(answer.call);
  }
  if (failed.empty()) return {};
  std::vector<std::string> calls;
  TaskReport so_far = report_of(run_.parts.bus.since(0), &calls);
  so_far.run = so_far.session = run_.state.run;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (std::find(failed.begin(), failed.end(), calls[i]) == failed.end()) continue;
    const LessonTold lesson = run_.parts.hooks.after_failure(so_far, so_far.steps[i]);
    if (!lesson.text.empty()) WEFT_CHECK(run_.emit(BusEventType::kLesson, lesson));
  }
  return {};
}

Status LoopCalls::let_expire(const QuestionState& question) {
  const Question asked = question.asked.question;
  const Answered fallback{asked.id, asked.fallback, {}, {}, true};
  WEFT_CHECK(run_.emit(BusEventType::kHumanResponse, fallback));
  run_.parts.questions.settled(asked, fallback);
  return {};
}

Result<LoopNext> LoopCalls::wait_for_person() {
  const auto open = run_.state.open_questions();
  if (open.empty()) return internal("run " + run_.state.run + " has open calls and nothing to do");
  std::int64_t next = open.front()->asked.question.expires.ms;
  for (const QuestionState* one : open) next = std::min(next, one->asked.question.expires.ms);
  const std::int64_t left = next - run_.parts.clock.now().ms;
  if (left <= 0) {
    for (const QuestionState* one : open)
      if (one->asked.question.expires.ms <= next) {
        WEFT_CHECK(let_expire(QuestionState(*one)));
        return LoopNext();
      }
  }
  const auto begin = std::chrono::steady_clock::now();
  const Deadline stop = run_.until_stopped();
  // The clock may be set: it is looked at again now and then.
  (void)run_.parts.bus.wait_for_more(run_.state.last,
                                     stop.within(std::chrono::milliseconds(std::clamp<std::int64_t>(left, 1, 500))));
  run_.has_waited(std::chrono::steady_clock::now() - begin);
  return LoopNext();
}

}  // namespace weft
