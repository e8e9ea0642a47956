#include "surface/api/api.h"

#include <memory>

#include "base/accounted_to.h"
#include "base/clock.h"
#include "surface/api/openapi.h"
#include "surface/api/operation.h"
#include "surface/api/repeated_calls.h"
#include "surface/api/scope_of_request.h"
#include "surface/http/status_writer.h"

namespace weft {
namespace {

bool is_audited(const Operation& operation) {
  return operation.audited || (operation.right == Right::kAdmin && operation.method != "GET");
}

void note(const AuditLog& audit, Engine& engine, const Operation& operation, const http::Request& request, int status) {
  AuditEntry entry{SystemClock().now(), request.access.name, request.client, operation.id, {}, "done"};
  if (operation.whose != Whose::kNobody) {
    const auto scope = scope_of_request(request, engine.config().server.default_user);
    if (scope.ok()) entry.whose = scope->key().str();
  }
  if (status >= 400) entry.outcome = "refused with " + std::to_string(status);
  audit.note(entry);
}

// Whom models that the operation asks are put down to.
Account account_of(Engine& engine, const Operation& operation, const http::Request& request) {
  Account account{{}, request.access.name};
  if (operation.whose == Whose::kNobody) return account;
  const auto scope = scope_of_request(request, engine.config().server.default_user);
  if (scope.ok()) account.scope = scope->key().str();
  return account;
}

}  // namespace

void run_operation(Engine& engine, const Operation& operation, const http::Request& request, http::ResponseWriter& out,
                   const AuditLog* audit) {
  if (const Status allowed = check_access(operation, request.access); !allowed.ok())
    return http::send_error(out, allowed.error());
  const AccountedTo account(account_of(engine, operation, request));
  if (audit == nullptr || !is_audited(operation)) return operation.run(engine, request, out);
  // Who has the answer finds the act in the log.
  http::StatusWriter told(out, [&](int status) { note(*audit, engine, operation, request, status); });
  operation.run(engine, request, told);
}

void add_api(http::Router& router, Engine& engine, const AuditLog* audit) {
  const auto repeated = std::make_shared<RepeatedCalls>();
  for (const Operation& operation : operations()) {
    router.add(operation.method, operation.path,
               [&engine, &operation, audit, repeated](const http::Request& request, http::ResponseWriter& out) {
                 if (request.method == "GET" || request.header("idempotency-key").empty())
                   return run_operation(engine, operation, request, out, audit);
                 repeated->answer(request, out, [&](http::ResponseWriter& first) {
                   run_operation(engine, operation, request, first, audit);
                 });
               });
  }
  router.add("GET", "/openapi.json", [](const http::Request&, http::ResponseWriter& out) {
    static const std::string document = openapi_json();
    out.send(200, "application/json", document);
  });
}

}  // namespace weft
