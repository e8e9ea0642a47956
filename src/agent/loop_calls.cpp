// Calls of tools: whether they may be made, making them, and what is asked of a person about them.
#include <algorithm>

#include "agent/loop.h"
#include "agent/task_report.h"
#include "agent/wait_words.h"
#include "base/edit_distance.h"
#include "base/log.h"
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

Status AgentLoop::tell(const CallState& call, ToolOutcome outcome, double ms) {
  const std::string id = call.call.id;
  if (outcome.output.size() > settings_.kept_bytes) {
    const std::size_t whole = outcome.output.size();
    outcome.output = std::string(cut_bytes(outcome.output, settings_.kept_bytes)) + "\n[cut here: the tool gave " +
                     std::to_string(whole) + " bytes]";
  }
  ShownOutput shown = shown_output(outcome.output, settings_.result_bytes, id);
  ToolAnswered answer{id, std::move(shown.text), outcome.failed, ms, {}, outcome.provenance, shown.hidden};
  if (answer.output.empty()) answer.output = "[no output]";
  if (shown.cut) {
    WEFT_CHECK(parts_.results.keep(state_.run, id, repair_utf8(outcome.output)));
    answer.handle = id;
  }
  return emit(BusEventType::kToolResult, answer);
}

Status AgentLoop::refuse(const CallState& call, std::string why) {
  return tell(call, {std::move(why), true, Provenance::kOwnRun}, 0);
}

Result<bool> AgentLoop::intend(const CallState& call, std::string arguments) {
  const Tool* tool = parts_.tools.find(call.call.name);
  if (tool == nullptr) {
    WEFT_CHECK(refuse(call, "the tool " + call.call.name + " is not there any more"));
    return false;
  }
  const std::string id = call.call.id;
  Intended intent{id, call.call.name, compact_json(arguments), std::string(to_string(tool->effects())), {}};
  if (tool->effects() == ToolEffects::kKeyed) intent.key = state_.run + ":" + id;
  WEFT_CHECK(emit(BusEventType::kToolIntent, intent));
  ready_.push_back(id);
  return true;
}

// `call` waits for the answer; empty: none does, and the answer is a message to the run.
Status AgentLoop::ask(const std::string& call, Question question) {
  question.id = state_.run + "-q" + std::to_string(state_.last + 1);
  question.owner = state_.start.owner;
  question.run = question.session = state_.run;
  question.stage = QuestionStage::kAsked;
  question.created = question.asked = parts_.clock.now();
  question.expires = question.asked;
  question.expires.ms += settings_.question_time.count();
  WEFT_TRY(question, parts_.questions.ask(question));
  if (call.empty() && state_.questions.contains(question.id)) return {};  // it was asked before a kill
  return emit(BusEventType::kHumanQuery, Asked{std::move(question), call});
}

// The tool human_ask is the loop's own: its result is what a person says, whenever that is.
Status AgentLoop::ask_the_user(const CallState& call) {
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

Result<bool> AgentLoop::ready_anew(const CallState& call) {
  const std::string& name = call.call.name;
  const Tool* tool = parts_.tools.find(name);
  if (tool == nullptr) {
    const std::string near = nearest_tool(parts_.tools, name);
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
  const AgentLimits& limits = state_.start.limits;
  if (state_.limit || state_.used.tool_calls - state_.before.tool_calls >= limits.tool_calls) {
    WEFT_CHECK(refuse(call, "the call was not made: a limit of this run is reached"));
    return false;
  }
  if (state_.used.repeats >= limits.repeats) {
    WEFT_CHECK(refuse(call, "the call was not made: the same one gave the same result " +
                                std::to_string(state_.used.repeats - 1) +
                                " times in a row. Do something else, or answer with what you know"));
    return false;
  }
  const Permission permission = parts_.permissions.of(name);
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
Result<bool> AgentLoop::ready_after_answer(const CallState& call, const QuestionState& question) {
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
    const Tool* tool = parts_.tools.find(call.call.name);
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

Status AgentLoop::give_answer(const CallState& call, const QuestionState& question) {
  const Answered& answer = *question.answer;
  if (!answer.timed_out) return tell(call, {answer.text, false, Provenance::kUser}, 0);
  const std::string& fallback = question.asked.question.fallback;
  return tell(call,
              {"Nobody answered in time. " + (fallback.empty() ? "Go on without the answer." : "Then: " + fallback),
               fallback.empty(), Provenance::kOwnRun},
              0);
}

// Whether the call is to be made now. Else it has its result, or waits for a person.
Result<bool> AgentLoop::ready(CallState& call) {
  const QuestionState* question = call.question.empty() ? nullptr : &state_.questions.at(call.question);
  if (question != nullptr && !question->answer) {
    // Who says something else instead of an answer is heard.
    const QuestionKind kind = question->asked.question.kind;
    const bool about_call = kind == QuestionKind::kApproval || kind == QuestionKind::kUnknownOutcome;
    const bool spoke = !state_.waiting.empty() && state_.waiting.back().first > question->event;
    if (about_call || !spoke) return false;
    const Question asked = question->asked.question;
    const Answered spoken{asked.id, state_.waiting.back().second.content, {}, {}, false};
    WEFT_CHECK(emit(BusEventType::kHumanResponse, spoken));
    parts_.questions.settled(asked, spoken);
    return false;
  }
  if (!call.intent) return question == nullptr ? ready_anew(call) : ready_after_answer(call, *question);
  // An earlier loop meant to make it, and no result is there.
  if (effects_of(call.intent->effects) != ToolEffects::kSome) {
    if (parts_.tools.find(call.call.name) != nullptr) {
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

Result<AgentLoop::Next> AgentLoop::work_off_calls() {
  const std::uint64_t since = state_.last;
  std::vector<std::string> open;
  for (const CallState& call : state_.calls)
    if (!call.result) open.push_back(call.call.id);
  ready_.clear();
  for (const std::string& id : open) {
    CallState* call = state_.call(id);
    if (call == nullptr || call->result) continue;
    CallState copy = *call;  // what is written below changes the state
    WEFT_TRY(const bool now, ready(copy));
    (void)now;
  }
  if (!ready_.empty()) WEFT_CHECK(make_calls());
  WEFT_CHECK(learn_from_failures(since));
  if (stop_.source.stop_requested() || !state_.calls_open() || state_.last != since) return Next();
  return wait_for_person();
}

Status AgentLoop::make_calls() {
  const Deadline stop(std::nullopt, stop_.source.get_token());
  const auto most = static_cast<std::size_t>(std::max<std::int64_t>(1, settings_.parallel));
  for (std::size_t at = 0; at < ready_.size() && !stop_.source.stop_requested(); at += most) {
    std::vector<CallJob> jobs;
    for (std::size_t i = at; i < std::min(ready_.size(), at + most); ++i) {
      const CallState* call = state_.call(ready_[i]);
      jobs.push_back(
          {parts_.tools.share(call->call.name), parts_.request, state_.run, call->call.id, call->intent->arguments,
           call->intent->key,
           stop.within(std::min(call->call.name == kAgentSpawn ? time_left() : settings_.call_time, time_left()))});
    }
    Status written;
    parts_.threads.make(jobs, [&](std::size_t job, Result<ToolOutcome> outcome, double ms) {
      // What a stop cut off has no result: it is made again or asked about when the run goes on.
      const bool cut_off = !outcome.ok() && stop_.source.stop_requested();
      const CallState* call = state_.call(jobs[job].call);
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

Status AgentLoop::learn_from_failures(std::uint64_t since) {
  std::vector<std::string> failed;
  for (const BusEvent& event : parts_.bus.since(since)) {
    if (event.type != BusEventType::kToolResult) continue;
    WEFT_TRY(const ToolAnswered answer, payload_of<ToolAnswered>(event));
    if (answer.failed) failed.push_back(answer.call);
  }
  if (failed.empty()) return {};
  std::vector<std::string> calls;
  TaskReport so_far = report_of(parts_.bus.since(0), &calls);
  so_far.run = so_far.session = state_.run;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (std::find(failed.begin(), failed.end(), calls[i]) == failed.end()) continue;
    const LessonTold lesson = parts_.hooks.after_failure(so_far, so_far.steps[i]);
    if (!lesson.text.empty()) WEFT_CHECK(emit(BusEventType::kLesson, lesson));
  }
  return {};
}

Status AgentLoop::let_expire(const QuestionState& question) {
  const Question asked = question.asked.question;
  const Answered fallback{asked.id, asked.fallback, {}, {}, true};
  WEFT_CHECK(emit(BusEventType::kHumanResponse, fallback));
  parts_.questions.settled(asked, fallback);
  return {};
}

Result<AgentLoop::Next> AgentLoop::wait_for_person() {
  const auto open = state_.open_questions();
  if (open.empty()) return internal("run " + state_.run + " has open calls and nothing to do");
  std::int64_t next = open.front()->asked.question.expires.ms;
  for (const QuestionState* one : open) next = std::min(next, one->asked.question.expires.ms);
  const std::int64_t left = next - parts_.clock.now().ms;
  if (left <= 0) {
    for (const QuestionState* one : open)
      if (one->asked.question.expires.ms <= next) {
        WEFT_CHECK(let_expire(QuestionState(*one)));
        return Next();
      }
  }
  const auto begin = std::chrono::steady_clock::now();
  const Deadline stop(std::nullopt, stop_.source.get_token());
  // The clock may be set: it is looked at again now and then.
  (void)parts_.bus.wait_for_more(state_.last,
                                 stop.within(std::chrono::milliseconds(std::clamp<std::int64_t>(left, 1, 500))));
  waited_ += std::chrono::steady_clock::now() - begin;
  return Next();
}

}  // namespace weft
