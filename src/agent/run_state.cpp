#include "agent/run_state.h"

#include <algorithm>
#include <map>

#include "text/utf8.h"

namespace weft {
namespace {

constexpr FieldRule kSparse{.sparse = true};
constexpr FieldRule kRequired{.required = true};

// A message in the form of chat APIs, with its id.
template <class T>
Record<T>& add_message(Record<T>& made) {
  return made.custom(
      "message", "in the form of chat APIs", [](SchemaBook&) { return Value(ValueObject{{"type", "object"}}); },
      [](std::string_view json, const std::string& place, T& into) -> Status {
        WEFT_TRY(auto read, parse_message(json));
        if (read.size() != 1) return wrong_field(place, "one message");
        into.message = std::move(read.front());
        into.message.raw.clear();
        return {};
      },
      [](const T& from, JsonWriter& out) { out.raw(to_json(from.message)); });
}

}  // namespace

OutcomeClaim claim_of(std::string_view tool, const std::string& arguments) {
  if (tool != kEnd || !arguments.starts_with('{')) return OutcomeClaim::kNone;
  if (!check_json(arguments, {.max_bytes = arguments.size() + 1}, "the arguments").ok()) return OutcomeClaim::kNone;
  const auto said = json_text(json_member(arguments, "outcome"));
  return said.ok() ? enum_of<OutcomeClaim>(*said).value_or(OutcomeClaim::kNone) : OutcomeClaim::kNone;
}

template <>
const Record<AgentLimits>& record<AgentLimits>() {
  constexpr FieldRule kLimit{.sparse = true, .least = 0};
  static const auto made =
      Record<AgentLimits>("AgentLimits", "What a run may use; 0: as configured.", RecordUse::kBoth)
          .field("tool_calls", &AgentLimits::tool_calls, "calls of tools", kLimit)
          .field("seconds", &AgentLimits::seconds, "of work, without waiting for people", kLimit)
          .field("tokens", &AgentLimits::tokens, "of all model calls", kLimit)
          .field("depth", &AgentLimits::depth, "of sub-agents below sub-agents", kLimit)
          .field("repeats", &AgentLimits::repeats, "of the same calls with the same results", kLimit);
  return made;
}

template <>
const Record<AgentCommand>& record<AgentCommand>() {
  static const auto made =
      Record<AgentCommand>("AgentCommand", "A program as a tool.", RecordUse::kBoth)
          .field("name", &AgentCommand::name, "letters, digits, '_' and '-'", kRequired)
          .field("description", &AgentCommand::description, "what it does, for the model")
          .json("parameters", &AgentCommand::parameters, "JSON schema of its arguments", kSparse)
          .field("command", &AgentCommand::command, "program and arguments", kRequired)
          .field("effects", &AgentCommand::effects, "none, keyed or some")
          .field("seconds", &AgentCommand::seconds, "it may take; 0: as configured", {.sparse = true, .least = 0})
          .check([](const AgentCommand& read, const std::string& place) -> Status {
            if (read.effects == "none" || read.effects == "keyed" || read.effects == "some") return {};
            return wrong_field(place + ".effects", "one of: none, keyed, some");
          });
  return made;
}

template <>
const Record<AgentTools>& record<AgentTools>() {
  static const auto made =
      Record<AgentTools>("AgentTools", "Which tools a run has.", RecordUse::kBoth)
          .field("names", &AgentTools::names, "names, or beginnings such as file_*; none: all", kSparse)
          .field("permissions", &AgentTools::permissions, "such as shell_run=ask: allow, ask or deny", kSparse)
          .field("commands", &AgentTools::commands,
                 "programs as tools; the one named verify is run at the end and says how it went", kSparse);
  return made;
}

template <>
const Record<AgentTask>& record<AgentTask>() {
  static const auto made = Record<AgentTask>("AgentTask", "What an agent is to do.", RecordUse::kAsked)
                               .field("task", &AgentTask::task, "in words", kRequired)
                               .field("type", &AgentTask::type, "such as coding; chooses the model and preferences")
                               .field("model", &AgentTask::model, "the role of the model; empty: by the type")
                               .field("tools", &AgentTask::tools, "which it has")
                               .field("limits", &AgentTask::limits, "of what it may use")
                               .field("learn", &AgentTask::learn, "false: nothing is learnt from it");
  return made;
}

template <>
const Record<AgentRun>& record<AgentRun>() {
  static const auto made = Record<AgentRun>("AgentRun", "A run as it stands.", RecordUse::kTold)
                               .field("id", &AgentRun::id, "its own; sorted, the older come first")
                               .field("owner", &AgentRun::owner, "whose it is")
                               .field("task", &AgentRun::task, "as it was given")
                               .field("type", &AgentRun::type, "of the task", kSparse)
                               .field("parent", &AgentRun::parent, "the run that started it", kSparse)
                               .field("status", &AgentRun::status, "running, waiting, ended, interrupted or stopped")
                               .field("output", &AgentRun::output, "the answer", kSparse)
                               .field("outcome", &AgentRun::outcome, "as far as it is known")
                               .field("claim", &AgentRun::claim, "what the model says of it", kSparse)
                               .field("why", &AgentRun::why, "it ended so", kSparse)
                               .field("limit", &AgentRun::limit, "that ended it", kSparse)
                               .field("started", &AgentRun::started, "when")
                               .field("newest", &AgentRun::newest, "when something happened last")
                               .field("model_calls", &AgentRun::model_calls, "made")
                               .field("tool_calls", &AgentRun::tool_calls, "made")
                               .field("tokens", &AgentRun::tokens, "of all model calls")
                               .field("events", &AgentRun::events, "the number of the newest event")
                               .field("learn", &AgentRun::learn, "false: nothing is learnt from it")
                               .field("questions", &AgentRun::questions, "that wait for a person", kSparse);
  return made;
}

template <>
const Record<AgentAnswer>& record<AgentAnswer>() {
  static const auto made =
      Record<AgentAnswer>("AgentAnswer", "A person's answer to a question of a run.", RecordUse::kAsked)
          .field("question", &AgentAnswer::question, "its id; empty: the only one that is open")
          .field("text", &AgentAnswer::text, "what is said, or one of the choices", kRequired)
          .json("arguments", &AgentAnswer::arguments, "of an approval: in the place of those that were shown");
  return made;
}

template <>
const Record<RunStarted>& record<RunStarted>() {
  static const auto made = Record<RunStarted>("RunStarted", "The begin of a run.", RecordUse::kBoth)
                               .field("task", &RunStarted::task, "as it was given", kRequired)
                               .field("type", &RunStarted::type, "of the task", kSparse)
                               .field("owner", &RunStarted::owner, "key of the scope")
                               .field("model", &RunStarted::model, "the role")
                               .field("parent", &RunStarted::parent, "run that started it", kSparse)
                               .field("parent_call", &RunStarted::parent_call, "its call", kSparse)
                               .field("forked_from", &RunStarted::forked_from, "RUN@EVENT", kSparse)
                               .field("depth", &RunStarted::depth, "0: no sub-agent", kSparse)
                               .field("limits", &RunStarted::limits, "that hold")
                               .field("tools", &RunStarted::tools, "which it has")
                               .field("learn", &RunStarted::learn, "false: nothing is learnt from it");
  return made;
}

template <>
const Record<Said>& record<Said>() {
  static const auto made = [] {
    Record<Said> bare("Said", "What a person says.", RecordUse::kBoth);
    return add_message(bare);
  }();
  return made;
}

template <>
const Record<ModelReplied>& record<ModelReplied>() {
  static const auto made = [] {
    Record<ModelReplied> bare("ModelReplied", "An answer of the model.", RecordUse::kBoth);
    return add_message(bare)
        .field("model", &ModelReplied::model, "which")
        .field("prompt_tokens", &ModelReplied::prompt_tokens, "of the call")
        .field("completion_tokens", &ModelReplied::completion_tokens, "of the answer")
        .field("ms", &ModelReplied::ms, "it took")
        .field("seen", &ModelReplied::seen, "the newest event that its prompt told of");
  }();
  return made;
}

template <>
const Record<Intended>& record<Intended>() {
  static const auto made = Record<Intended>("Intended", "A call that is about to be made.", RecordUse::kBoth)
                               .field("call", &Intended::call, "its id", kRequired)
                               .field("name", &Intended::name, "of the tool", kRequired)
                               .json("arguments", &Intended::arguments, "as they are given to it")
                               .field("effects", &Intended::effects, "none, keyed or some")
                               .field("key", &Intended::key, "of keyed ones", kSparse);
  return made;
}

template <>
const Record<ToolAnswered>& record<ToolAnswered>() {
  static const auto made =
      Record<ToolAnswered>("ToolAnswered", "What a call gave.", RecordUse::kBoth)
          .field("call", &ToolAnswered::call, "its id", kRequired)
          .field("output", &ToolAnswered::output, "as the model sees it")
          .field("failed", &ToolAnswered::failed, "it did not work", kSparse)
          .field("ms", &ToolAnswered::ms, "it took")
          .field("handle", &ToolAnswered::handle, "by which all of it is read", kSparse)
          .field("provenance", &ToolAnswered::provenance, "who says it")
          .field("hidden", &ToolAnswered::hidden, "unseen characters that were taken out", kSparse);
  return made;
}

template <>
const Record<Asked>& record<Asked>() {
  static const auto made = Record<Asked>("Asked", "A question to a person.", RecordUse::kBoth)
                               .field("question", &Asked::question, "with its id")
                               .field("call", &Asked::call, "that waits for the answer", kSparse);
  return made;
}

template <>
const Record<Answered>& record<Answered>() {
  static const auto made = Record<Answered>("Answered", "What a person answered.", RecordUse::kBoth)
                               .field("question", &Answered::question, "its id", kRequired)
                               .field("text", &Answered::text, "as it was given")
                               .field("choice", &Answered::choice, "of those that were offered", kSparse)
                               .json("arguments", &Answered::arguments, "as the person edited them", kSparse)
                               .field("timed_out", &Answered::timed_out, "nobody answered: the fallback", kSparse);
  return made;
}

template <>
const Record<AgentOutput>& record<AgentOutput>() {
  static const auto made = Record<AgentOutput>("AgentOutput", "The end of a run.", RecordUse::kBoth)
                               .field("text", &AgentOutput::text, "the answer")
                               .field("outcome", &AgentOutput::outcome, "as far as it is known")
                               .field("why", &AgentOutput::why, "it ended so")
                               .field("seen", &AgentOutput::seen, "the newest event that it takes into account")
                               .field("by", &AgentOutput::by, "who says what the outcome is", kSparse)
                               .field("verdict", &AgentOutput::verdict, "of the verifier", kSparse);
  return made;
}

template <>
const Record<LimitReached>& record<LimitReached>() {
  static const auto made =
      Record<LimitReached>("LimitReached", "What ran out.", RecordUse::kBoth)
          .field("limit", &LimitReached::limit, "calls, time, tokens, depth, repeats or answers", kRequired)
          .field("value", &LimitReached::value, "of the limit")
          .field("what", &LimitReached::what, "in words");
  return made;
}

template <>
const Record<CompactedTo>& record<CompactedTo>() {
  static const auto made = Record<CompactedTo>("CompactedTo", "The session was made smaller.", RecordUse::kBoth)
                               .field("compaction", &CompactedTo::compaction, "its id", kSparse)
                               .field("tokens_before", &CompactedTo::tokens_before, "")
                               .field("tokens_after", &CompactedTo::tokens_after, "");
  return made;
}

template <>
const Record<LessonTold>& record<LessonTold>() {
  static const auto made =
      Record<LessonTold>("LessonTold", "What a run is told of what was learnt.", RecordUse::kBoth)
          .field("reflection", &LessonTold::reflection, "its id", kSparse)
          .field("text", &LessonTold::text, "for the model")
          .field("rules", &LessonTold::rules, "ID@VERSION of those in the text", kSparse)
          .field("skills", &LessonTold::skills, "ID@VERSION of those in the text", kSparse)
          .field("skills_by", &LessonTold::skills_by, "who chose them: ranking, or prompt and model", kSparse)
          .field("withdrawn", &LessonTold::withdrawn, "of those told before", kSparse)
          .field("gaps", &LessonTold::gaps, "what the task leaves open", kSparse);
  return made;
}

template <>
const Record<Interrupted>& record<Interrupted>() {
  static const auto made =
      Record<Interrupted>("Interrupted", "The run was stopped and can be resumed.", RecordUse::kBoth)
          .field("by", &Interrupted::by, "user, model or tool")
          .field("why", &Interrupted::why, "");
  return made;
}

template <>
const Record<ProgressTold>& record<ProgressTold>() {
  static const auto made = Record<ProgressTold>("ProgressTold", "How far the task is.", RecordUse::kBoth)
                               .field("done", &ProgressTold::done, "Steps that are done.")
                               .field("current", &ProgressTold::current, "The step that is worked on.")
                               .field("remaining", &ProgressTold::remaining, "Steps that are left.");
  return made;
}

template <>
const Record<SubAgent>& record<SubAgent>() {
  static const auto made = Record<SubAgent>("SubAgent", "A run that another one started.", RecordUse::kBoth)
                               .field("run", &SubAgent::run, "its id", kRequired)
                               .field("call", &SubAgent::call, "that started it")
                               .field("task", &SubAgent::task, "", kSparse)
                               .field("outcome", &SubAgent::outcome, "how it ended", kSparse)
                               .field("text", &SubAgent::text, "its answer", kSparse);
  return made;
}

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

namespace {

constexpr std::size_t kOutputBytes = 4000;

// Arguments as they can stand in JSON, whatever the model wrote.
std::string as_json(const std::string& arguments) {
  JsonWriter out;
  out.json_or_text(arguments);
  return out.take();
}

class ReportMaker {
 public:
  void take(const BusEvent& event) {
    if (report_.started.ms == 0) report_.started = event.time;
    report_.ended = event.time;
    switch (event.type) {
      case BusEventType::kRunStarted: return read<RunStarted>(event, [&](RunStarted start) { begin(start); });
      case BusEventType::kModelReply: return read<ModelReplied>(event, [&](ModelReplied reply) { answer(reply); });
      case BusEventType::kToolResult: return read<ToolAnswered>(event, [&](ToolAnswered result) { end(result); });
      case BusEventType::kToolIntent:
        return read<Intended>(event, [&](const Intended& intent) {
          ++report_.tool_calls;
          if (const auto at = place_.find(intent.call); at != place_.end())
            report_.steps[at->second].arguments = intent.arguments;
        });
      case BusEventType::kLimitReached:
        return read<LimitReached>(event, [&](const LimitReached& limit) {
          if (limit.limit != "depth") report_.limit = limit.limit;
        });
      case BusEventType::kUserMessage:
        return read<Said>(event, [&](const Said& said) {
          if (report_.output.empty()) return;
          report_.reaction_text = said.message.content;
          report_.claim = OutcomeClaim::kNone;  // of what was asked before
        });
      case BusEventType::kLesson: return read<LessonTold>(event, [&](const LessonTold& lesson) { add_learnt(lesson); });
      case BusEventType::kAgentOutput:
        return read<AgentOutput>(event, [&](const AgentOutput& output) {
          report_.output = output.text;
          report_.outcome = output.outcome;
          report_.outcome_by = output.outcome == Outcome::kUnknown ? Witness::kNobody
                               : output.by == Witness::kNobody     ? Witness::kModel
                                                                   : output.by;
          take_claim();
        });
      default: return;
    }
  }

  TaskReport report() { return std::move(report_); }
  std::vector<std::string> calls() { return std::move(calls_); }

 private:
  template <class T, class Take>
  void read(const BusEvent& event, const Take& take) {
    auto payload = payload_of<T>(event);
    if (payload.ok()) take(std::move(payload).value());
  }

  void begin(const RunStarted& start) {
    report_.task = start.task;
    report_.type = start.type;
    report_.owner = start.owner;
    report_.learn = start.learn;
  }

  // What was told counts, and is told once, whatever became of it later.
  void add_learnt(const LessonTold& learnt) {
    const auto add = [](const std::vector<std::string>& told, std::vector<std::string>& ids) {
      for (const std::string& one : told) {
        std::string id = one.substr(0, one.rfind('@'));
        if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(std::move(id));
      }
    };
    add(learnt.rules, report_.rules);
    add(learnt.skills, report_.skills);
  }

  // Who did the work speaks where nobody else does.
  void take_claim() {
    if (report_.outcome != Outcome::kUnknown || report_.claim == OutcomeClaim::kNone) return;
    report_.outcome = report_.claim == OutcomeClaim::kDone ? Outcome::kSuccess : Outcome::kFailure;
    report_.outcome_by = Witness::kModel;
  }

  ReportStep& add_step(const std::string& call) {
    ReportStep step;
    step.number = static_cast<std::int64_t>(report_.steps.size()) + 1;
    step.agent = "main";
    report_.steps.push_back(std::move(step));
    calls_.push_back(call);
    if (!call.empty()) place_[call] = report_.steps.size() - 1;
    return report_.steps.back();
  }

  void answer(const ModelReplied& reply) {
    const std::int64_t tokens = reply.prompt_tokens + reply.completion_tokens;
    report_.tokens += tokens;
    const Message& message = reply.message;
    const std::string thought = message.reasoning.empty() ? message.content : message.reasoning;
    if (message.tool_calls.empty()) {
      ReportStep& step = add_step({});
      step.thought = message.reasoning;
      step.output = std::string(cut_bytes(message.content, kOutputBytes));
      step.failed = message.content.empty();
      step.ms = reply.ms;
      step.tokens = tokens;
      return;
    }
    for (const ToolCall& call : message.tool_calls) {
      const bool first = &call == &message.tool_calls.front();
      ReportStep& step = add_step(call.id);
      step.tool = call.name;
      step.arguments = as_json(call.arguments);
      if (!first) continue;  // thought and tokens of the answer stand with its first call
      step.thought = thought;
      step.tokens = tokens;
      step.ms = reply.ms;
    }
  }

  void end(const ToolAnswered& result) {
    const auto at = place_.find(result.call);
    if (at == place_.end()) return;
    ReportStep& step = report_.steps[at->second];
    step.output = std::string(cut_bytes(result.output, kOutputBytes));
    step.failed = result.failed;
    if (const OutcomeClaim said = claim_of(step.tool, step.arguments); said != OutcomeClaim::kNone && !result.failed)
      report_.claim = said;
    step.ms += result.ms;
  }

  TaskReport report_;
  std::vector<std::string> calls_;
  std::map<std::string, std::size_t> place_;  ///< of a call among the steps
};

}  // namespace

TaskReport report_of(std::span<const BusEvent> events, std::vector<std::string>* calls) {
  ReportMaker maker;
  for (const BusEvent& event : events) maker.take(event);
  if (calls != nullptr) *calls = maker.calls();
  return maker.report();
}

}  // namespace weft
