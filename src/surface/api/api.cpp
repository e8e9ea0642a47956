#include "surface/api/api.h"

#include <functional>
#include <memory>
#include <utility>

#include "base/clock.h"
#include "surface/api/audited_operations.h"
#include "surface/api/openapi.h"
#include "surface/api/operation.h"
#include "surface/api/query_check.h"
#include "surface/api/repeated_calls.h"
#include "surface/api/scope_of_request.h"
#include "surface/http/passing_writer.h"

namespace weft {
namespace {

/// Hands an answer on, and tells of it before the client can see it.
class NotedWriter final : public http::PassingWriter {
 public:
  NotedWriter(http::ResponseWriter& out, std::function<void(int status, std::string_view body)> tell)
      : PassingWriter(out), tell_(std::move(tell)) {}

  void send(int status, std::string_view content_type, std::string_view body) override {
    tell_(status, body);
    PassingWriter::send(status, content_type, body);
  }
  bool begin(int status, std::string_view content_type) override {
    tell_(status, {});
    return PassingWriter::begin(status, content_type);
  }

 private:
  std::function<void(int status, std::string_view body)> tell_;
};

// Empty: nobody's, or it cannot be said.
ScopeKey scope_told_of(Engine& engine, const Operation& operation, const http::Request& request) {
  if (operation.whose == Whose::kNobody) return {};
  const auto scope = scope_of_request(request, engine.config(), operation.body_kind);
  return scope.ok() ? scope->key() : ScopeKey();
}

void note(const AuditLog& audit, Engine& engine, const Operation& operation, const http::Request& request, int status,
          std::string_view answer) {
  AuditEntry entry{SystemClock().now(), request.access.name, request.client, operation.id, {}, "done", {}};
  entry.what = acted_on(operation, request, status < 400 ? answer : std::string_view());
  entry.whose = scope_told_of(engine, operation, request).str();
  if (status >= 400) entry.outcome = "refused with " + std::to_string(status);
  audit.note(entry);
}

}  // namespace

void run_operation(Engine& engine, const Operation& operation, const http::Request& request, http::ResponseWriter& out,
                   const AuditLog* audit) {
  Status allowed = check_access(operation, request, engine.config());
  if (allowed.ok()) allowed = check_query(operation, request);
  const auto run = [&](http::ResponseWriter& to) {
    allowed.ok() ? operation.run(engine, request, to) : http::send_error(to, allowed.error());
  };
  if (audit == nullptr || !is_audited(operation)) return run(out);
  // Who has the answer finds the act in the log.
  NotedWriter told(
      out, [&](int status, std::string_view answer) { note(*audit, engine, operation, request, status, answer); });
  run(told);
}

void add_api(http::Router& router, Engine& engine, const AuditLog* audit) {
  const ServerSettings& settings = engine.config().server;
  const auto repeated = std::make_shared<RepeatedCalls>(
      engine.config().workspace, RepeatLimits{static_cast<std::size_t>(settings.answers_kept),
                                              static_cast<std::size_t>(settings.answers_kept_bytes),
                                              std::chrono::hours(settings.answers_kept_hours)});
  for (const Operation& operation : operations()) {
    router.add(operation.method, operation.path,
               [&engine, &operation, audit, repeated](const http::Request& request, http::ResponseWriter& out) {
                 if (request.method == "GET" || request.header("idempotency-key").empty())
                   return run_operation(engine, operation, request, out, audit);
                 const auto work = [&](http::ResponseWriter& first) {
                   run_operation(engine, operation, request, first, audit);
                 };
                 const ScopeKey scope =
                     operation.tells_no_text ? ScopeKey() : scope_told_of(engine, operation, request);
                 repeated->answer(request, scope, out, work, SystemClock().now());
               });
  }
  router.add("GET", "/openapi.json", [](const http::Request&, http::ResponseWriter& out) {
    static const std::string document = openapi_json();
    out.send(200, "application/json", document);
  });
}

}  // namespace weft
