#include "agent/run_state.h"

#include <algorithm>

#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::size_t kNotes = 8;         // the newest failures are what helps
constexpr std::size_t kNoteBytes = 600;

std::string signature_of(const std::vector<ToolCall>& calls) {
  std::string text;
  for (const ToolCall& call : calls) text += call.name + "\x1f" + call.arguments + "\x1e";
  return text;
}

MessageId id_of(const std::string& run, std::uint64_t event, std::size_t part = 0) {
  return MessageId(run + "." + std::to_string(event) + (part == 0 ? "" : "." + std::to_string(part)));
}

}  // namespace

std::string_view to_string(ToolEffects effects) {
  return effects == ToolEffects::kNone ? "none" : effects == ToolEffects::kKeyed ? "keyed" : "some";
}

ToolEffects effects_of(std::string_view word) {
  return word == "none" ? ToolEffects::kNone : word == "keyed" ? ToolEffects::kKeyed : ToolEffects::kSome;
}

CallState* RunState::call(const std::string& id) {
  const auto found = std::find_if(calls.begin(), calls.end(), [&](const CallState& one) { return one.call.id == id; });
  return found == calls.end() ? nullptr : &*found;
}

bool RunState::has_asked(const std::string& text) const {
  return std::any_of(questions.begin(), questions.end(),
                     [&](const auto& one) { return one.second.asked.question.text == text; });
}

std::vector<const QuestionState*> RunState::open_questions() const {
  std::vector<const QuestionState*> open;
  for (const auto& [id, one] : questions)
    if (!one.answer) open.push_back(&one);
  std::sort(open.begin(), open.end(), [](const auto* a, const auto* b) { return a->event < b->event; });
  return open;
}

std::vector<Message> RunState::told() const {
  std::vector<Message> all = messages;
  for (const auto& [event, message] : waiting) all.push_back(message);
  return all;
}

std::string RunState::last_words() const {
  for (auto one = messages.rbegin(); one != messages.rend(); ++one)
    if (one->role == Role::kAssistant && !one->content.empty()) return one->content;
  return {};
}

void RunState::note(ErrorNote note) {
  for (std::string* text : {&note.tried, &note.reason, &note.handled})
    *text = std::string(cut_bytes(*text, kNoteBytes));
  notes.push_back(std::move(note));
  if (notes.size() > kNotes) notes.erase(notes.begin());
}

Status RunState::apply(const BusEvent& event) {
  if (event.id != last + 1)
    return corrupt("event " + std::to_string(event.id) + " cannot follow event " + std::to_string(last));
  last = event.id;
  newest = event.time;
  switch (event.type) {
    case BusEventType::kUserMessage: {
      WEFT_TRY(Said said, payload_of<Said>(event));
      say(event, std::move(said.message));
      return {};
    }
    case BusEventType::kModelReply: interrupted.reset(); return apply_reply(event);
    case BusEventType::kToolIntent: {
      interrupted.reset();
      WEFT_TRY(Intended intent, payload_of<Intended>(event));
      CallState* of = call(intent.call);
      if (of == nullptr) return corrupt("event " + std::to_string(event.id) + ": nobody asked for this call");
      if (!of->intent) ++used.tool_calls;
      of->intent = std::move(intent);
      of->intent_event = event.id;
      return {};
    }
    case BusEventType::kToolResult: interrupted.reset(); return apply_result(event);
    default: return apply_rest(event);
  }
}

// A person says something: the model sees it at its next turn, and a run that has ended goes on.
void RunState::say(const BusEvent& event, Message message) {
  message.role = Role::kUser;
  message.id = id_of(run, event.id);
  waiting.emplace_back(event.id, std::move(message));
  answered = false;
  if (!output) return;
  output.reset();
  claim = OutcomeClaim::kNone;
  limit.reset();
  replies_after_limit = 0;
  before = used;
}

// What a call waits for becomes its result; what none waits for is said to the run, with what it answers. A run that
// has ended has nothing to do with a fallback, nor with what settles a belief.
void RunState::take_answer(const BusEvent& event, QuestionState& question, Answered answer) {
  const Question& asked = question.asked.question;
  const bool ended_for_it = output.has_value() && (answer.timed_out || !asked.about.empty());
  if (question.asked.call.empty() && !ended_for_it && !answer.text.empty())
    say(event, Message::user("[" + asked.text + "]\n" + answer.text));
  question.answer = std::move(answer);
}

Status RunState::apply_reply(const BusEvent& event) {
  WEFT_TRY(ModelReplied reply, payload_of<ModelReplied>(event));
  if (calls_open()) return corrupt("event " + std::to_string(event.id) + ": an answer while calls are open");
  ++used.model_calls;
  used.tokens += reply.prompt_tokens + reply.completion_tokens;
  used.ms += reply.ms;
  if (limit) ++replies_after_limit;
  // What the model could not see yet is said after its answer.
  const auto unseen =
      std::find_if(waiting.begin(), waiting.end(), [&](const auto& one) { return one.first > reply.seen; });
  for (auto one = waiting.begin(); one != unseen; ++one) messages.push_back(std::move(one->second));
  waiting.erase(waiting.begin(), unseen);

  Message message = std::move(reply.message);
  message.role = Role::kAssistant;
  message.id = id_of(run, event.id);
  if (message.content.empty() && message.tool_calls.empty()) {
    ++used.empty;
    note({"an answer without text and without a call", "it says nothing", ""});
    return {};
  }
  used.empty = 0;
  answered = message.tool_calls.empty() && waiting.empty();
  const std::string signature = signature_of(message.tool_calls);
  used.repeats = signature == signature_ && !signature.empty() ? used.repeats + 1 : 1;
  if (signature != signature_) outputs_.clear();
  signature_ = signature;
  for (const ToolCall& one : message.tool_calls) calls.push_back({one, {}, 0, {}, {}});
  messages.push_back(std::move(message));
  return {};
}

Status RunState::apply_result(const BusEvent& event) {
  WEFT_TRY(ToolAnswered result, payload_of<ToolAnswered>(event));
  CallState* of = call(result.call);
  if (of == nullptr || of->result)
    return corrupt("event " + std::to_string(event.id) + ": the call " + result.call + " waits for no result");
  used.ms += result.ms;
  if (const OutcomeClaim said = claim_of(of->call.name, of->intent ? of->intent->arguments : std::string());
      said != OutcomeClaim::kNone && !result.failed)
    claim = said;
  if (result.failed) failure_ = {of->call.name + " " + of->call.arguments, result.output, ""};
  of->result = std::move(result);
  if (std::all_of(calls.begin(), calls.end(), [](const CallState& one) { return one.result.has_value(); }))
    close_calls();
  return {};
}

// All have answered: their outputs stand in the order of the calls, in whichever order they came.
void RunState::close_calls() {
  std::string outputs;
  bool any_made = false;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    CallState& one = calls[i];
    any_made = any_made || one.intent.has_value() || !one.result->failed;
    outputs += one.result->output + "\x1e";
    Message message = one.result->failed ? Message::failure(one.call.id, std::move(one.result->output))
                                         : Message::output(one.call.id, std::move(one.result->output));
    message.id = id_of(run, last, i + 1);
    messages.push_back(std::move(message));
  }
  used.broken = any_made ? 0 : used.broken + 1;
  // The same call with another result is no standing still. One that was not made says nothing of that.
  if (any_made) {
    if (!outputs_.empty() && outputs != outputs_) used.repeats = 1;
    outputs_ = std::move(outputs);
  }
  calls.clear();
}

Status RunState::apply_rest(const BusEvent& event) {
  switch (event.type) {
    case BusEventType::kRunStarted: {
      if (event.id != 1) return corrupt("event " + std::to_string(event.id) + ": a run begins once");
      WEFT_TRY(start, payload_of<RunStarted>(event));
      started = event.time;
      return {};
    }
    case BusEventType::kHumanQuery: {
      WEFT_TRY(Asked asked, payload_of<Asked>(event));
      if (CallState* of = call(asked.call)) of->question = asked.question.id;
      questions[asked.question.id] = {asked, {}, event.id};
      return {};
    }
    case BusEventType::kHumanResponse: {
      WEFT_TRY(Answered answer, payload_of<Answered>(event));
      const auto found = questions.find(answer.question);
      if (found == questions.end()) return corrupt("event " + std::to_string(event.id) + ": nobody asked this");
      if (!found->second.answer) take_answer(event, found->second, std::move(answer));  // the first one counts
      return {};
    }
    case BusEventType::kAgentOutput: {
      WEFT_TRY(AgentOutput told, payload_of<AgentOutput>(event));
      interrupted.reset();
      if (!waiting.empty() && waiting.back().first > told.seen) return {};  // somebody has said more: it goes on
      for (auto& [at, message] : waiting) messages.push_back(std::move(message));
      waiting.clear();
      output = std::move(told);
      return {};
    }
    case BusEventType::kLimitReached: {
      WEFT_TRY(LimitReached reached, payload_of<LimitReached>(event));
      if (reached.limit != "depth") limit = std::move(reached);  // that one only refuses a call
      return {};
    }
    case BusEventType::kCompacted: {
      WEFT_TRY(CompactedTo made, payload_of<CompactedTo>(event));
      ++used.compactions;
      if (!made.compaction.empty()) compaction = std::move(made.compaction);
      return {};
    }
    case BusEventType::kLesson: {
      WEFT_TRY(LessonTold lesson, payload_of<LessonTold>(event));
      if (lesson.is_learnt())
        learnt.push_back(std::move(lesson));
      else if (!lesson.gaps.empty())
        gaps = std::move(lesson);
      else
        note({failure_.tried, failure_.reason, std::move(lesson.text)});
      return {};
    }
    case BusEventType::kInterrupted: {
      WEFT_TRY(interrupted, payload_of<Interrupted>(event));
      return {};
    }
    case BusEventType::kProgress: {
      WEFT_TRY(progress, payload_of<ProgressTold>(event));
      return {};
    }
    default: {
      WEFT_TRY(SubAgent sub, payload_of<SubAgent>(event));
      const std::string of = sub.call;
      sub_agents[of] = std::move(sub);
      return {};
    }
  }
}

Result<RunState> fold(std::string run, std::span<const BusEvent> events) {
  RunState state;
  state.run = std::move(run);
  for (const BusEvent& event : events) WEFT_CHECK(state.apply(event));
  return state;
}

}  // namespace weft
