// For those who look after a server: forgetting, jobs, backups, exports, health and metrics.
#include <filesystem>

#include "base/strings.h"
#include "ports/files/file_system.h"
#include "surface/api/list_operation.h"
#include "surface/api/openapi.h"
#include "text/plain_words.h"

namespace weft {
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

}  // namespace weft
