// Messages, and what became of them.
#include "model/records.h"

namespace weft {
namespace {

constexpr FieldRule kSparse{.sparse = true};

Value function_schema() {
  const Value name = ValueObject{{"type", "string"}, {"description", "of the function"}};
  const Value arguments = ValueObject{{"type", "string"}, {"description", "JSON, as the model wrote it"}};
  return ValueObject{{"type", "object"},
                     {"properties", ValueObject{{"name", name}, {"arguments", arguments}}},
                     {"required", ValueList{"name", "arguments"}},
                     {"description", "what is called, and its arguments as JSON text"}};
}

void write_function(const ToolCall& call, JsonWriter& out) {
  out.begin('{');
  out.name("name");
  out.text(call.name);
  out.name("arguments");
  out.text(call.arguments);
  out.end('}');
}

// A message that only calls tools has no content in chat APIs.
void write_content(const Message& message, JsonWriter& out) {
  if (message.content.empty() && !message.tool_calls.empty())
    out.raw("null");
  else
    out.text(message.content);
}

}  // namespace

template <>
const Record<ToolCall>& record<ToolCall>() {
  static const auto made =
      Record<ToolCall>("ToolCall", "One call of a tool by the model.", RecordUse::kTold)
          .field("id", &ToolCall::id, "by which its output answers it")
          .custom(
              "type", "always \"function\"",
              [](SchemaBook&) { return Value(ValueObject{{"type", "string"}, {"const", "function"}}); }, nullptr,
              [](const ToolCall&, JsonWriter& out) { out.text("function"); })
          .custom("function", "", [](SchemaBook&) { return function_schema(); }, nullptr, write_function);
  return made;
}

template <>
const Record<Message>& record<Message>() {
  static const auto made =
      Record<Message>("Message", "A message in the form of chat APIs.", RecordUse::kTold)
          .field("id", &Message::id, "its id in the session", kSparse)
          .custom(
              "time", "when it was said, where somebody knows",
              [](SchemaBook& book) { return JsonForm<Time>::schema(book, kSparse); }, nullptr,
              [](const Message& message, JsonWriter& out) { JsonForm<Time>::write(*message.time, out); }, kSparse,
              [](const Message& message) { return !message.time || message.time->ms == 0; })
          .field("role", &Message::role, "who speaks")
          .field("name", &Message::name, "the speaker's name, where it is known", kSparse)
          .field("sender_id", &Message::sender_id, "the user who speaks, where that is known", kSparse)
          .custom(
              "content", "the text; null where tools are only called",
              [](SchemaBook&) { return Value(ValueObject{{"type", ValueList{"string", "null"}}}); }, nullptr,
              write_content)
          .field("tool_calls", &Message::tool_calls, "calls of tools", kSparse)
          .field("tool_call_id", &Message::tool_call_id, "of an output: which call it answers", kSparse)
          .field("reasoning_content", &Message::reasoning, "the model's thought before it acted or answered", kSparse)
          .field("is_error", &Message::failed, "of an output: it tells of a failure", kSparse);
  return made;
}

template <>
const Record<Reason>& record<Reason>() {
  static const auto made = Record<Reason>("Reason", "One reason of a decision.", RecordUse::kTold)
                               .field("name", &Reason::name, "which signal")
                               .field("weight", &Reason::weight, "its share in the decision");
  return made;
}

template <>
const Record<Decision>& record<Decision>() {
  static const auto made =
      Record<Decision>("Decision", "Whether a turn belongs to the open topic.", RecordUse::kTold)
          .field("block", &Decision::block, "the turn")
          .field("topic", &Decision::topic, "the topic that it is in now")
          .field("verdict", &Decision::verdict, "what was decided")
          .field("similarity", &Decision::similarity, "to the open topic, 0 to 1")
          .field("shift", &Decision::shift, "probability that a new topic begins; 0 where a rule decided")
          .field("by", &Decision::by, "\"model\" where vectors took part, else \"floor\"")
          .field("reasons", &Decision::reasons, "what spoke for it and against it");
  return made;
}

template <>
const Record<Observation>& record<Observation>() {
  static const auto made =
      Record<Observation>("Observation", "What became of one message.", RecordUse::kTold)
          .field("id", &Observation::id, "of the message")
          .field("action", &Observation::action, "opened, staged, observed, sealed, system, saved, duplicate or kept")
          .field("block", &Observation::block, "the turn that it is in", kSparse)
          .field("decision", &Observation::decision, "where this message ended a turn", kSparse)
          .field("notes", &Observation::notes, "such as \"orphan tool output\"", kSparse);
  return made;
}

template <>
const Record<Flushed>& record<Flushed>() {
  static const auto made = Record<Flushed>("Flushed", "A topic that was closed.", RecordUse::kTold)
                               .field("topic", &Flushed::topic, "its id")
                               .field("reason", &Flushed::reason, "why it was closed")
                               .field("job", &Flushed::job, "the historian's job for it")
                               .field("blocks", &Flushed::blocks, "how many turns it has")
                               .field("tokens", &Flushed::tokens, "and tokens");
  return made;
}

template <>
const Record<ObserveReport>& record<ObserveReport>() {
  static const auto made = Record<ObserveReport>("ObserveReport", "What became of the messages.", RecordUse::kTold)
                               .field("observations", &ObserveReport::observations, "one a message, in order")
                               .field("flushed", &ObserveReport::flushed, "topics that were closed meanwhile");
  return made;
}

template <>
const Record<SyncReport>& record<SyncReport>() {
  static const auto made =
      Record<SyncReport>("SyncReport", "What became of a client's whole history.", RecordUse::kTold)
          .field("known", &SyncReport::known, "messages that were recognised")
          .field("added", &SyncReport::added, "messages that were new")
          .field("abandoned", &SyncReport::abandoned, "messages of the branch that the client left")
          .spread(&SyncReport::observed, record<ObserveReport>());
  return made;
}

template <>
const Record<StoredMessage>& record<StoredMessage>() {
  static const auto made = Record<StoredMessage>("StoredMessage", "A message as it is kept.", RecordUse::kTold)
                               .spread(&StoredMessage::message, record<Message>())
                               .field("session", &StoredMessage::session, "where it was said", kSparse)
                               .field("sequence", &StoredMessage::sequence, "grows by one a message in its workspace")
                               .field("active", &StoredMessage::active, "false: on a branch that was left")
                               .field("tokens", &StoredMessage::tokens, "of its text");
  return made;
}

}  // namespace weft
