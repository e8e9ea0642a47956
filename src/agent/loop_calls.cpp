#include "agent/loop_run.h"

#include <algorithm>

#include "agent/task_report.h"
#include "agent/wait_words.h"
#include "base/log.h"
#include "base/strings.h"
#include "text/schema_check.h"
#include "text/utf8.h"

namespace weft {
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
