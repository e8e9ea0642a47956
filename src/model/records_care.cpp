// Forgetting, jobs, health and backups.
#include "model/records.h"

namespace weft {
namespace {

constexpr FieldRule kSparse{.sparse = true};

Value embedder_schema(SchemaBook&) {
  const Value name = ValueObject{{"type", "string"}, {"description", "of the model"}};
  const Value state =
      ValueObject{{"type", "string"}, {"description", "\"ready\", \"loading\", \"none\", or why it does not serve"}};
  const auto count = [](const char* doc) {
    return ValueObject{{"type", "integer"}, {"minimum", 0}, {"description", doc}};
  };
  const Value next = ValueObject{{"type", "object"},
                                 {"properties", ValueObject{{"name", name},
                                                            {"state", state},
                                                            {"done", count("items that have a vector of it")},
                                                            {"all", count("items in all")}}},
                                 {"required", ValueList{"name", "state", "done", "all"}},
                                 {"description", "the model that takes over when all items have its vectors"}};
  return ValueObject{{"type", "object"},
                     {"properties", ValueObject{{"name", name}, {"state", state}, {"next", next}}},
                     {"required", ValueList{"name", "state"}}};
}

void write_embedder(const EngineStatus& status, JsonWriter& out) {
  const auto text = [&out](std::string_view name, const std::string& value) {
    out.name(name);
    out.text(value);
  };
  out.begin('{');
  text("name", status.embedder);
  text("state", status.embedder_state);
  if (!status.next_embedder.empty()) {
    out.name("next");
    out.begin('{');
    text("name", status.next_embedder);
    text("state", status.next_embedder_state);
    out.name("done");
    out.count(status.next_done);
    out.name("all");
    out.count(status.next_all);
    out.end('}');
  }
  out.end('}');
}

Value words(std::initializer_list<const char*> all) {
  ValueList list;
  for (const char* word : all) list.emplace_back(word);
  return ValueObject{{"type", "string"}, {"enum", std::move(list)}};
}

}  // namespace

template <>
const Record<EraseRequest>& record<EraseRequest>() {
  static const auto made =
      Record<EraseRequest>("EraseRequest", "What is to be forgotten: exactly one of everything, messages and before.",
                           RecordUse::kAsked)
          .field("everything", &EraseRequest::everything, "all that is kept of the user or the group")
          .field("messages", &EraseRequest::messages, "ids of messages", {.wanted = "an array of ids"})
          .field("session", &EraseRequest::session, "the messages' session, where others have the same ids")
          .field("before", &EraseRequest::before, "all that was said before this moment");
  return made;
}

template <>
const Record<EraseReceipt>& record<EraseReceipt>() {
  using R = EraseReceipt;
  static const auto made =
      Record<R>("EraseReceipt", "What was forgotten. It holds no text, and of ids only digests.", RecordUse::kTold)
          .field("version", &R::version, "of this form")
          .field("id", &R::id, "of the receipt")
          .field("scope_digest", &R::scope_digest, "whose memory it was")
          .field("at", &R::at, "when")
          .field("messages", &R::messages, "how many")
          .field("items", &R::items, "memories made from them")
          .field("topics", &R::topics, "that were written anew or went")
          .field("jobs", &R::jobs, "that were taken out of the queue")
          .field("profile_files", &R::profile_files, "that lost lines")
          .field("summaries", &R::summaries, "of the mode without memory")
          .field("files_searched", &R::files_searched, "byte by byte")
          .field("traces_found", &R::traces_found, "of erased texts in them; 0 is what it should be")
          .field("digests", &R::digests, "of every message and item that went");
  return made;
}

template <>
const Record<EraseCheck>& record<EraseCheck>() {
  static const auto made =
      Record<EraseCheck>("EraseCheck", "Whether what a receipt names is still gone.", RecordUse::kTold)
          .custom(
              "clean", "nothing was found", [](SchemaBook&) { return Value(ValueObject{{"type", "boolean"}}); },
              nullptr, [](const EraseCheck& check, JsonWriter& out) { out.flag(check.clean()); })
          .field("digests", &EraseCheck::digests, "ids that the receipt names")
          .field("found", &EraseCheck::found, "of them there again")
          .field("fingerprints", &EraseCheck::fingerprints, "pieces of erased texts that were looked for")
          .field("files_searched", &EraseCheck::files_searched, "of the workspace and its backups")
          .field("traces", &EraseCheck::traces, "files in which one stands");
  return made;
}

template <>
const Record<GroupTrace>& record<GroupTrace>() {
  static const auto made =
      Record<GroupTrace>("GroupTrace", "What of a user stands in the memory of a group.", RecordUse::kTold)
          .field("group_id", &GroupTrace::group_id, "which group")
          .field("events", &GroupTrace::events, "that name the user as the sender")
          .custom(
              "messages", "that these are from",
              [](SchemaBook&) { return Value(ValueObject{{"type", "integer"}, {"minimum", 0}}); }, nullptr,
              [](const GroupTrace& trace, JsonWriter& out) { out.count(trace.messages.size()); });
  return made;
}

template <>
const Record<UsageRow>& record<UsageRow>() {
  using R = UsageRow;
  constexpr FieldRule kSparse{.sparse = true};
  static const auto made =
      Record<R>("Usage", "What calls of models have cost; names that rows are not told apart by are left out.",
                RecordUse::kBoth)
          .field("day", &R::day, "in UTC", kSparse)
          .field("scope", &R::scope, "whose they were, as user:ID or group:ID", kSparse)
          .field("key", &R::key, "name of the server's key that they came with", kSparse)
          .field("role", &R::role, "what the model was used for: proxy, or a role of the settings", kSparse)
          .field("model", &R::model, "its name", kSparse)
          .field("calls", &R::calls, "how many, answered or failed")
          .field("failed", &R::failed, "of these, those that failed")
          .field("counted", &R::counted, "of these, those whose tokens were counted here, since the server told none")
          .field("input_tokens", &R::input_tokens, "of prompts")
          .field("output_tokens", &R::output_tokens, "of answers")
          .field("seconds", &R::seconds, "of all calls together");
  return made;
}

template <>
const Record<JobInfo>& record<JobInfo>() {
  static const auto made = Record<JobInfo>("Job", "Work of the historian.", RecordUse::kTold)
                               .field("id", &JobInfo::id, "its id")
                               .field("kind", &JobInfo::kind, "topic, end or flush")
                               .field("state", &JobInfo::state, "pending, processing or failed")
                               .field("attempts", &JobInfo::attempts, "how often it was tried")
                               .field("reason", &JobInfo::reason, "of the last failure")
                               .field("created", &JobInfo::created, "when it was queued");
  return made;
}

template <>
const Record<Problem>& record<Problem>() {
  static const auto made = Record<Problem>("Problem", "Something that is wrong.", RecordUse::kTold)
                               .field("code", &Problem::code, "stable")
                               .field("failing", &Problem::failing, "what is acknowledged or asked for cannot be kept")
                               .field("what", &Problem::what, "what is wrong")
                               .field("advice", &Problem::advice, "what to do");
  return made;
}

template <>
const Record<QueueStatus>& record<QueueStatus>() {
  static const auto made = Record<QueueStatus>("QueueStatus", "The historian's queue.", RecordUse::kTold)
                               .field("pending", &QueueStatus::pending, "jobs that wait")
                               .field("processing", &QueueStatus::processing, "being worked on")
                               .field("failed", &QueueStatus::failed, "given up until they are put back")
                               .field("done", &QueueStatus::done, "worked off");
  return made;
}

template <>
const Record<ReaderStatus>& record<ReaderStatus>() {
  using R = ReaderStatus;
  static const auto made = Record<R>("ReaderStatus", "A reader of the log.", RecordUse::kTold)
                               .field("name", &R::name, "\"diary\" or \"adaptation\"")
                               .field("entries", &R::entries, "log entries that it has not read yet")
                               .field("seconds", &R::seconds, "age of the oldest of them")
                               .field("failure", &R::failure, "why it does not get on; empty: it does");
  return made;
}

template <>
const Record<EngineStatus>& record<EngineStatus>() {
  using S = EngineStatus;
  static const auto made =
      Record<S>("Health", "How the engine is.", RecordUse::kTold)
          .custom(
              "status", "the whole in a word", [](SchemaBook&) { return words({"ok", "degraded", "failing"}); },
              nullptr, [](const S& status, JsonWriter& out) { out.text(status.health()); })
          .field("problems", &S::problems, "the gravest first")
          .custom("embedder", "the embedding model", embedder_schema, nullptr, write_embedder)
          .field("chat", &S::chat, "the main chat model, or \"none\"")
          .field("token_mode", &S::token_mode, "how tokens are counted")
          .field("queue", &S::queue, "the historian's")
          .field("readers", &S::readers, "background work that follows the log of what was kept")
          .field("messages", &S::messages, "that are kept")
          .field("items", &S::items, "memories")
          .field("unembedded", &S::unembedded, "of them without a vector yet")
          .field("waiting_blocks", &S::waiting_blocks, "turns that have no topic yet");
  return made;
}

template <>
const Record<BackupReport>& record<BackupReport>() {
  static const auto made = Record<BackupReport>("BackupReport", "What a backup holds.", RecordUse::kTold)
                               .field("folder", &BackupReport::folder, "where it stands")
                               .field("files", &BackupReport::files, "how many")
                               .field("bytes", &BackupReport::bytes, "in all");
  return made;
}

template <>
const Record<RepairedEvent>& record<RepairedEvent>() {
  static const auto made = Record<RepairedEvent>("RepairedEvent", "An event that was made anew.", RecordUse::kTold)
                               .field("scope", &RepairedEvent::scope, "whose")
                               .field("id", &RepairedEvent::id, "its id")
                               .field("before", &RepairedEvent::before, "its text")
                               .field("after", &RepairedEvent::after, "and its text now");
  return made;
}

template <>
const Record<RepairReport>& record<RepairReport>() {
  static const auto made = Record<RepairReport>("RepairReport", "What making events anew changed.", RecordUse::kTold)
                               .field("events", &RepairReport::events, "looked at")
                               .field("changed", &RepairReport::changed, "say something else now")
                               .field("same", &RepairReport::same, "say the same")
                               .field("kept", &RepairReport::kept, "left as they are")
                               .field("examples", &RepairReport::examples, "the first of those that changed");
  return made;
}

std::string to_json(const EraseReceipt& receipt) { return to_json<EraseReceipt>(receipt); }

Result<EraseReceipt> parse_receipt(std::string_view text) {
  auto receipt = parse_record<EraseReceipt>(text, "the receipt");
  if (!receipt.ok()) return corrupt("this is no receipt of an erasure: " + receipt.error().message);
  if (json_member(text, "digests").empty()) return corrupt("this is no receipt of an erasure");
  if (json_member(text, "version").empty()) receipt->version = 1;
  return receipt;
}

}  // namespace weft
