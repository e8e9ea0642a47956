#include "agent/run_events.h"

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

}  // namespace weft
