#include "surface/api/care.h"

#include <filesystem>

#include "ports/files/file.h"
#include "surface/api/fields.h"
#include "surface/api/handlers.h"
#include "surface/api/json.h"

namespace weft {
namespace {

using http::Request;
using http::ResponseWriter;
using http::Router;

// {"everything":true} or {"messages":[ids],"session":"…"} or {"before":"2026-03-01T00:00:00Z"}
Result<std::string> erase(Engine& engine, const Request& request, const ResponseWriter& out) {
  WEFT_TRY(const auto context, context_of(engine, request, out));
  WEFT_TRY(const auto what, parse_erase_request(request.body));
  WEFT_TRY(const auto receipt, engine.erase(context, what));
  return to_json(receipt);
}

Result<std::string> verify(Engine& engine, const Request& request, const ResponseWriter&) {
  WEFT_TRY(const auto check, engine.verify_erasure(request.params.at("id")));
  return to_json(check);
}

Result<std::string> jobs(Engine& engine, const Request&, const ResponseWriter&) {
  WEFT_TRY(const auto list, engine.jobs());
  return to_json(std::span<const JobInfo>(list));
}

Result<std::string> retry(Engine& engine, const Request& request, const ResponseWriter&) {
  WEFT_CHECK(fields::check_no_fields(request.body));
  WEFT_CHECK(engine.retry(JobId(request.params.at("id"))));
  return std::string(R"({"retried":true})");
}

Result<std::string> retry_failed(Engine& engine, const Request& request, const ResponseWriter&) {
  WEFT_CHECK(fields::check_no_fields(request.body));
  WEFT_TRY(const std::size_t count, engine.retry_failed());
  return "{\"retried\":" + std::to_string(count) + "}";
}

// A client names a backup, not a folder of the server's machine: it stands in the workspace.
Result<std::string> backup(Engine& engine, const Request& request, const ResponseWriter&) {
  WEFT_CHECK(fields::check_no_fields(request.body));
  const std::string& name = request.params.at("name");
  WEFT_CHECK(check_id(name, "backup"));
  const auto folder = std::filesystem::path(engine.config().workspace) / "backups" / encode_file_name(name);
  WEFT_TRY(const auto report, engine.backup(folder.string()));
  return to_json(report);
}

// In pieces, since a memory may be larger than what one wants to hold at once.
void send_export(Engine& engine, const Request& request, ResponseWriter& out) {
  constexpr std::size_t kPiece = 64 * 1024;
  const auto context = context_of(engine, request, out);
  if (!context.ok()) return http::send_error(out, context.error());
  std::string lines;
  bool begun = false;
  const auto flush = [&]() -> Status {
    if (!begun) begun = out.begin(200, "application/x-ndjson");
    const bool taken = begun && out.write(lines);
    lines.clear();
    return taken ? Status() : Status(cancelled("the client is gone"));
  };
  Status done = engine.export_scope(*context, [&](std::string_view line) -> Status {
    lines += line;
    lines += '\n';
    return lines.size() < kPiece ? Status() : flush();
  });
  if (!done.ok() && !begun) return http::send_error(out, done.error());
  if (done.ok()) done = flush();
  // Without its end the client sees that something is missing.
  if (done.ok()) out.end();
}

void send_health(Engine& engine, ResponseWriter& out) {
  const EngineStatus status = engine.status();
  out.send(status.health() == "failing" ? 503 : 200, "application/json", to_json(status));
}

}  // namespace

void add_care_api(Router& router, Engine& engine) {
  const auto add = [&](std::string_view method, std::string_view path, auto work) {
    add_handler(router, engine, method, path, work);
  };
  add("POST", "/v1/erase", erase);
  add("GET", "/v1/erasures/{id}", verify);
  add("GET", "/v1/jobs", jobs);
  add("POST", "/v1/jobs/retry", retry_failed);
  add("POST", "/v1/jobs/{id}/retry", retry);
  add("POST", "/v1/backups/{name}", backup);
  router.add("GET", "/v1/export",
             [&engine](const Request& request, ResponseWriter& out) { send_export(engine, request, out); });
  router.add("GET", "/metrics", [&engine](const Request&, ResponseWriter& out) {
    out.send(200, "text/plain; version=0.0.4", engine.metrics_text());
  });
  router.add("GET", "/healthz", [&engine](const Request&, ResponseWriter& out) { send_health(engine, out); });
}

}  // namespace weft
