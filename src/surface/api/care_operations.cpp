#include <algorithm>
#include <filesystem>
#include <mutex>
#include <optional>
#include <utility>

#include "base/strings.h"
#include "model/records.h"
#include "model/rows.h"
#include "ports/files/file_system.h"
#include "surface/api/openapi.h"
#include "surface/api/operation.h"
#include "text/plain_words.h"

namespace weft {

// For those who look after a server: forgetting, jobs, backups, exports, health and metrics.

namespace {

struct Retried {
  bool retried = true;
};
struct RetriedAll {
  std::size_t retried = 0;
};
struct Life {
  bool alive = true;
};
struct Readiness {
  bool ready = false;
  std::vector<Problem> problems;
};

}  // namespace

WEFT_DESCRIBED(Retried);
WEFT_DESCRIBED(RetriedAll);
WEFT_DESCRIBED(Life);
WEFT_DESCRIBED(Readiness);

template <>
const Record<Retried>& record<Retried>() {
  static const auto made = Record<Retried>("Retried", "A job was put back.", RecordUse::kTold)
                               .field("retried", &Retried::retried, "always true");
  return made;
}

template <>
const Record<RetriedAll>& record<RetriedAll>() {
  static const auto made = Record<RetriedAll>("RetriedAll", "Jobs were put back.", RecordUse::kTold)
                               .field("retried", &RetriedAll::retried, "how many");
  return made;
}

template <>
const Record<Life>& record<Life>() {
  static const auto made =
      Record<Life>("Life", "The server answers.", RecordUse::kTold).field("alive", &Life::alive, "always true");
  return made;
}

template <>
const Record<Readiness>& record<Readiness>() {
  static const auto made =
      Record<Readiness>("Readiness", "Whether what is acknowledged can be kept.", RecordUse::kTold)
          .field("ready", &Readiness::ready, "the store is open and takes writes, and so does the queue")
          .field("problems", &Readiness::problems, "why not, each with what to do");
  return made;
}

namespace {

Result<EraseReceipt> erase(const Call& call, EraseRequest what) { return call.engine.memory(call.context).erase(what); }

Result<EraseCheck> verify(const Call& call) { return call.engine.upkeep().verify_erasure(call.path("id")); }

Result<std::vector<GroupTrace>> group_traces(const Call& call) {
  return call.engine.memory(call.context).group_traces();
}

std::string key_of(const GroupTrace& trace) { return trace.group_id; }

Result<List<EraseReceipt>> erase_in_groups(const Call& call) {
  WEFT_TRY(auto receipts, call.engine.memory(call.context).erase_in_groups());
  return List<EraseReceipt>{std::move(receipts)};
}

Result<std::vector<JobInfo>> jobs(const Call& call) { return call.engine.upkeep().jobs(); }

// Jobs come and go, so their list is one of their ids, in the order of time.
std::string key_of(const JobInfo& job) { return job.created + " " + job.id.str(); }

Result<Retried> retry(const Call& call) {
  WEFT_CHECK(call.engine.upkeep().retry(JobId(call.path("id"))));
  return Retried{};
}

Result<RetriedAll> retry_failed(const Call& call) {
  WEFT_TRY(const std::size_t count, call.engine.upkeep().retry_failed());
  return RetriedAll{count};
}

// A client names a backup, not a folder of the server's machine: it stands in the workspace.
Result<BackupReport> backup(const Call& call) {
  const std::string& name = call.path("name");
  WEFT_CHECK(check_id(name, "backup"));
  const auto folder = std::filesystem::path(call.engine.config().workspace) / "backups" / encode_file_name(name);
  return call.engine.upkeep().backup(folder.string());
}

// In pieces, since a memory may be larger than what one wants to hold at once.
void send_export(Engine& engine, const http::Request& request, http::ResponseWriter& out) {
  constexpr std::size_t kPiece = 64 * 1024;
  const auto call = call_of(engine, request, out, Whose::kScope);
  if (!call.ok()) return http::send_error(out, call.error());
  std::string lines;
  bool begun = false;
  const auto flush = [&]() -> Status {
    if (!begun) begun = out.begin(200, "application/x-ndjson");
    const bool taken = begun && out.write(lines);
    lines.clear();
    return taken ? Status() : Status(cancelled("the client is gone"));
  };
  Status done = engine.memory(call->context).export_to([&](std::string_view line) -> Status {
    lines += line;
    lines += '\n';
    return lines.size() < kPiece ? Status() : flush();
  });
  if (!done.ok() && !begun) return http::send_error(out, done.error());
  if (done.ok()) done = flush();
  // Without its end the client sees that something is missing.
  if (done.ok()) out.end();
}

Operation export_operation() {
  Operation made = bare_operation("export", "GET /v1/export", "all that is kept of a user or a group, as JSON lines",
                                  Whose::kScope, {});
  made.answer_type = "application/x-ndjson";
  made.run = send_export;
  return made;
}

Operation health_operation() {
  Operation made = bare_operation("health", "GET /healthz",
                                  "models, queue, counts, what is wrong and what to do; 503 where nothing can be kept",
                                  Whose::kNobody, {});
  made.answer = [](SchemaBook& book) { return record<EngineStatus>().schema(book); };
  made.also = {503};
  made.tells_of_nobody = true;
  made.run = [](Engine& engine, const http::Request&, http::ResponseWriter& out) {
    const EngineStatus status = engine.status();
    out.send(status.health() == "failing" ? 503 : 200, "application/json", to_json(status));
  };
  return made;
}

// Asks nobody: whoever restarts what is dead must not do so because something is slow.
Operation life_operation() {
  Operation made = bare_operation("life", "GET /livez", "the server answers; to know whether it must be restarted",
                                  Whose::kNobody, {});
  made.answer = [](SchemaBook& book) { return record<Life>().schema(book); };
  made.tells_of_nobody = true;
  made.run = [](Engine&, const http::Request&, http::ResponseWriter& out) {
    out.send(200, "application/json", to_json(Life{}));
  };
  return made;
}

Operation readiness_operation() {
  Operation made = bare_operation("readiness", "GET /readyz",
                                  "whether what is acknowledged can be kept; 503 where not, so that others are asked",
                                  Whose::kNobody, {});
  made.answer = [](SchemaBook& book) { return record<Readiness>().schema(book); };
  made.also = {503};
  made.tells_of_nobody = true;
  made.run = [](Engine& engine, const http::Request&, http::ResponseWriter& out) {
    Readiness told{true, engine.status().problems};
    std::erase_if(told.problems, [](const Problem& one) { return !one.failing; });
    told.ready = told.problems.empty();
    out.send(told.ready ? 200 : 503, "application/json", to_json(told));
  };
  return made;
}

Operation metrics_operation() {
  Operation made = bare_operation("metrics", "GET /metrics", "counters as Prometheus reads them", Whose::kNobody, {});
  made.answer_type = "text/plain; version=0.0.4";
  made.run = [](Engine& engine, const http::Request& request, http::ResponseWriter& out) {
    // Who may look at everything is not thereby told who everybody is.
    const bool names = check_right(request.access, Right::kAdmin).ok() || engine.config().usage.names_for_readers;
    out.send(200, "text/plain; version=0.0.4", engine.upkeep().metrics_text(names));
  };
  return made;
}

// Exactly one of them says what is to be forgotten.
Value one_of_three() {
  // A session says of which one messages are, and nothing else.
  const Value nothing = ValueObject{{"enum", ValueList{"", Value()}}};
  const Value all =
      ValueObject{{"properties", ValueObject{{"everything", ValueObject{{"const", true}}}, {"session", nothing}}},
                  {"required", ValueList{"everything"}}};
  const Value some =
      ValueObject{{"properties", ValueObject{{"messages", ValueObject{{"type", "array"}, {"minItems", 1}}}}},
                  {"required", ValueList{"messages"}}};
  // The first moment of 1970 is how one that is not given reads.
  const Value none = ValueObject{{"const", "1970-01-01T00:00:00Z"}};
  const Value early = ValueObject{
      {"properties",
       ValueObject{{"before", ValueObject{{"type", "string"}, {"minLength", 1}, {"not", none}}}, {"session", nothing}}},
      {"required", ValueList{"before"}}};
  return ValueObject{{"oneOf", ValueList{all, some, early}}};
}

}  // namespace

std::vector<Operation> care_operations() {
  constexpr Whose kNobody = Whose::kNobody;
  std::vector<Operation> all{
      narrowed(
          operation("erase", "POST /v1/erase", "forget messages and all that came from them", Whose::kScope, erase),
          one_of_three()),
      list_operation("group_traces", "GET /v1/erase/groups", "what of a user stands in the memory of groups",
                     Whose::kUser, ListOrder::kByKey, group_traces, key_of),
      operation("erase_in_groups", "POST /v1/erase/groups", "forget that, too", Whose::kUser, erase_in_groups),
      operation("verify_erasure", "GET /v1/erasures/{id}", "look whether what a receipt names is gone, in every file",
                kNobody, verify),
      export_operation(),
      operation("backup", "POST /v1/backups/{name}",
                "write the whole workspace to its folder backups/, while it is used", kNobody, backup),
      list_operation("jobs", "GET /v1/jobs", "the historian's jobs, the oldest first", kNobody, ListOrder::kByKey, jobs,
                     key_of),
      operation("retry_failed", "POST /v1/jobs/retry", "put all failed jobs back at once", kNobody, retry_failed),
      operation("retry", "POST /v1/jobs/{id}/retry", "put a failed job back", kNobody, retry),
      health_operation(),
      life_operation(),
      readiness_operation(),
      metrics_operation(),
  };
  for (Operation& one : all) one.tells_no_text = one.id == "erase" || one.id == "erase_in_groups";
  return all;
}

// What calls of models have cost: a user's own, and the whole workspace's for who looks after it.

namespace {

Result<UsageQuery> query_of(const Call& call) {
  UsageQuery query;
  query.from = call.text("from");
  query.to = call.text("to");
  const std::string by = call.text("by");
  if (by.empty()) return query;
  query.by.clear();
  std::string read;
  for (const std::string_view one : split_list(by, ',')) {
    read += (read.empty() ? "" : ",") + std::string(one);
    query.by.emplace_back(one);
  }
  if (read != by) return invalid_argument("by: names with commas between them, and nothing else", "by=day,model");
  return query;
}

Result<std::vector<UsageRow>> own_usage(const Call& call) {
  WEFT_TRY(UsageQuery query, query_of(call));
  query.scope = call.context.scope.key().str();
  return call.engine.upkeep().usage(query);
}

Result<std::vector<UsageRow>> all_usage(const Call& call) {
  WEFT_TRY(const UsageQuery query, query_of(call));
  return call.engine.upkeep().usage(query);
}

std::string key_of(const UsageRow& row) {
  return mark_of(row.day + '\n' + row.scope + '\n' + row.key + '\n' + row.role + '\n' + row.model);
}

// Names of dimensions with commas between them.
Parameter by_parameter() {
  Parameter by =
      text_parameter("by",
                     "what totals are told apart by: day, scope, key, role, model, with commas between; left "
                     "out: day,role,model");
  constexpr std::string_view kName = "(day|scope|key|role|model)";
  by.schema =
      ValueObject{{"type", "string"}, {"pattern", "^(" + std::string(kName) + "(," + std::string(kName) + ")*)?$"}};
  return by;
}

std::vector<Parameter> bounds() {
  return {day_parameter("from", "first day, in UTC, such as 2026-11-26"), day_parameter("to", "last day, in UTC"),
          by_parameter()};
}

}  // namespace

std::vector<Operation> usage_operations() {
  std::vector<Operation> all{
      list_operation("usage", "GET /v1/usage",
                     "what calls of models for a user or a group have cost: calls, tokens, time", Whose::kScope,
                     ListOrder::kAsGiven, own_usage, key_of, bounds()),
      list_operation("usage_of_all", "GET /v1/usage/all", "the same of the whole workspace", Whose::kNobody,
                     ListOrder::kAsGiven, all_usage, key_of, bounds()),
  };
  all.back().right = Right::kAdmin;
  return all;
}

// Looking on: conversations and how they were cut, prompts that were woven, what happens now.

template <>
inline constexpr std::string_view kListName<SessionSummary> = "sessions";
template <>
inline constexpr std::string_view kListName<PastContext> = "contexts";

namespace {

/// Whose memory there is.
struct KnownScopes {
  std::vector<std::string> users, groups;
  std::string next;
};
/// Turns of a conversation, and the topics that they are in.
struct TurnsPage {
  WatchedTurns told;
  std::string next;
};

}  // namespace

WEFT_DESCRIBED(KnownScopes);
WEFT_DESCRIBED(TurnsPage);

template <>
const Record<KnownScopes>& record<KnownScopes>() {
  static const auto made = Record<KnownScopes>("Scopes", "Whose memory there is.", RecordUse::kTold)
                               .field("users", &KnownScopes::users, "ids of users")
                               .field("groups", &KnownScopes::groups, "ids of groups")
                               .field("next", &KnownScopes::next, kNextDoc, {.sparse = true});
  return made;
}

template <>
const Record<TurnsPage>& record<TurnsPage>() {
  static const auto made = Record<TurnsPage>("TurnsPage", "How a conversation was cut into topics.", RecordUse::kTold)
                               .spread(&TurnsPage::told, record<WatchedTurns>())
                               .field("next", &TurnsPage::next, kNextDoc, {.sparse = true});
  return made;
}

namespace {

// "NEWEST LAST SESSION": see `SessionsPlace`.
Result<SessionsPlace> sessions_place(const std::string& text) {
  SessionsPlace place;
  if (text.empty()) return place;
  const auto first = text.find(' ');
  const auto second = first == std::string::npos ? first : text.find(' ', first + 1);
  if (second == std::string::npos) return no_cursor();
  WEFT_TRY(place.as_of, (PageWanted{1, text.substr(0, first)}.number()));
  WEFT_TRY(place.before, (PageWanted{1, text.substr(first + 1, second - first - 1)}.number()));
  place.last = SessionId(text.substr(second + 1));
  return place;
}

Result<Paged<List<SessionSummary>>> sessions(const Call& call, const PageWanted& wanted) {
  WEFT_TRY(const auto from, sessions_place(wanted.after));
  WEFT_TRY(auto page, call.engine.watch(call.context).sessions(from, wanted.limit));
  std::string place;
  if (page.next)
    place = std::to_string(page.next->as_of) + " " + std::to_string(page.next->before) + " " + page.next->last.str();
  return Paged<List<SessionSummary>>{{std::move(page.sessions)}, std::move(place)};
}

Result<Paged<TurnsPage>> turns(const Call& call, const PageWanted& wanted) {
  WEFT_TRY(const auto session, call.session());
  WEFT_TRY(const auto before, wanted.number());
  WEFT_TRY(auto told, call.engine.watch(call.context).turns(session, wanted.limit + 1, before));
  const auto beyond = told.turns.size() > wanted.limit ? told.turns.front().topic : TopicId();
  auto page =
      newest_page(std::move(told.turns), wanted, [](const WatchedTurn& first) { return std::to_string(first.first); });
  told.turns = std::move(page.answer.all);
  // The topic of the turn that is not on this page is on it only where it goes on.
  const bool goes_on = beyond.empty() || told.turns.front().topic == beyond;
  if (!goes_on && !told.topics.empty()) told.topics.erase(told.topics.begin());
  return Paged<TurnsPage>{{std::move(told), {}}, std::move(page.place)};
}

Result<Paged<List<PastContext>>> session_contexts(const Call& call, const PageWanted& wanted) {
  WEFT_TRY(const auto session, call.session());
  WEFT_TRY(const auto before, wanted.number());
  WEFT_TRY(auto found,
           call.engine.watch(call.context).contexts(session, wanted.limit + 1, static_cast<std::uint64_t>(before)));
  return first_page(std::move(found), wanted, [](const PastContext& last) { return std::to_string(last.id); });
}

Result<Paged<KnownScopes>> scopes(const Call& call, const PageWanted& wanted) {
  WEFT_TRY(auto keys, call.engine.upkeep().scopes());
  WEFT_TRY(const auto page,
           page_of(std::move(keys), ListOrder::kByKey, wanted, [](const ScopeKey& key) { return key.str(); }));
  Paged<KnownScopes> known{{}, page.place};
  for (const ScopeKey& key : page.answer) {
    const ScopeParts parts = parts_of_scope(key);
    (parts.group.empty() ? known.answer.users : known.answer.groups)
        .push_back(parts.group.empty() ? parts.user : parts.group);
  }
  return known;
}

// The number that a client saw last, which browsers send again; else now.
Result<std::uint64_t> first_wanted(const Call& call, std::uint64_t newest) {
  WEFT_TRY(const std::int64_t asked, call.number("since", static_cast<std::int64_t>(newest)));
  const std::string seen(call.request.header("last-event-id"));
  const bool whole = !seen.empty() && seen.find_first_not_of("0123456789") == std::string::npos && seen.size() < 19;
  return whole ? std::stoull(seen) : static_cast<std::uint64_t>(asked);
}

// A live event has no number: the client's Last-Event-ID stays.
std::string event_text(const Happening& one) {
  const std::string id = one.id == 0 ? "" : "id: " + std::to_string(one.id) + "\n";
  if (one.payload.empty())
    return id + "event: dropped\ndata: {\"kind\":\"dropped\",\"id\":" + std::to_string(one.id) + "}\n\n";
  return id + "event: " + std::string(to_string(one.kind)) + "\ndata: " + to_json(one) + "\n\n";
}

constexpr std::size_t kMostWaiting = std::size_t{1} << 20;  // bytes

// Events that come while the client reads older ones wait here. Then they go to the client as they come.
class Waiting {
 public:
  explicit Waiting(std::shared_ptr<http::OpenStream> stream) : stream_(std::move(stream)) {}

  void add(std::string text) {
    const std::lock_guard lock(mutex_);
    if (is_over_)
      stream_->offer(text);
    else if (texts_.size() < kMostWaiting)
      texts_ += text;
    else
      stream_->end();  // the client comes back with the number that it saw last
  }
  // Nothing is waiting any more: from now on events go to the client at once.
  std::optional<std::string> next() {
    const std::lock_guard lock(mutex_);
    is_over_ = texts_.empty();
    return is_over_ ? std::nullopt : std::optional(std::exchange(texts_, {}));
  }

 private:
  const std::shared_ptr<http::OpenStream> stream_;
  std::mutex mutex_;
  std::string texts_;
  bool is_over_ = false;
};

// Writes the events behind `since` up to `newest`, as fast as the client takes them. False: the client is gone, or the
// store failed.
bool send_past(const Watch& watch, std::uint64_t since, std::uint64_t newest, http::ResponseWriter& out) {
  while (since < newest) {
    const auto happened = watch.happenings(since);
    if (!happened.ok()) return false;
    if (happened->empty()) return true;  // the rest was erased
    std::string text;
    for (const Happening& one : *happened)
      if (one.id <= newest) text += event_text(one);
    since = happened->back().id;
    if (!text.empty() && !out.write(text)) return false;
  }
  return true;
}

void send_events(Engine& engine, const http::Request& request, http::ResponseWriter& out) {
  const auto call = call_of(engine, request, out, Whose::kScope);
  if (!call.ok()) return http::send_error(out, call.error());
  const Watch watch = engine.watch(call->context);
  const auto newest = watch.newest();
  if (!newest.ok()) return http::send_error(out, newest.error());
  const auto since = first_wanted(*call, *newest);
  if (!since.ok()) return http::send_error(out, since.error());
  out.header("Cache-Control", "no-store");
  const auto stream = out.stay_open({"text/event-stream", ": still here\n\n"});
  if (!stream && !out.started())
    return http::send_error(out, invalid_argument("events need a connection that stays open", "ask the server"));
  if (!stream) return;
  const auto waiting = std::make_shared<Waiting>(stream);
  const auto number =
      watch.follow(std::max(*since, *newest), [waiting](const Happening& one) { waiting->add(event_text(one)); });
  if (!number.ok()) return stream->end();
  stream->when_over([&engine, context = call->context, number = *number] { engine.watch(context).unfollow(number); });
  // The first bytes tell the client that it is connected, and from where on.
  if (!out.write("id: " + std::to_string(*since) + "\n: looking on\n\n")) return;
  // A client whose stream ends comes back with the number that it saw last.
  if (!send_past(watch, *since, *newest, out)) return stream->end();
  while (const auto text = waiting->next())
    if (!out.write(*text)) return;
}

Operation events_operation() {
  Operation made = bare_operation(
      "events", "GET /v1/events",
      "events of the scope, as server-sent events: messages, decisions, topics, ends, answers, tasks and documents by "
      "their numbers in the log; prompts, jobs and steps of agents as they come",
      Whose::kScope,
      {number_parameter(
          "since",
          "begin behind this number; an event \"dropped\" has the number up to which events are not kept any more; "
          "without it, begin now",
          0)});
  made.answer_type = "text/event-stream";
  made.run = send_events;
  return made;
}

// Who can read everybody's memory by name has not thereby been told everybody's name.
Operation all_scopes() {
  Operation made = list_operation("scopes", "GET /v1/scopes", "users and groups of whom there is memory",
                                  Whose::kNobody, scopes, {}, kWholePage);
  made.right = Right::kAdmin;
  return made;
}

}  // namespace

std::vector<Operation> watch_operations() {
  constexpr Whose kScope = Whose::kScope;
  return {
      list_operation("sessions", "GET /v1/sessions", "conversations, the one with the newest message first", kScope,
                     sessions),
      list_operation("turns", "GET /v1/sessions/{id}/turns",
                     "how it was cut into topics: its newest turns with the decisions about them", kScope, turns),
      list_operation("session_contexts", "GET /v1/sessions/{id}/contexts",
                     "reports of the prompts that were woven for it since the start, newest first", kScope,
                     session_contexts),
      all_scopes(),
      events_operation(),
  };
}

}  // namespace weft
