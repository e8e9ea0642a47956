// Responses that are asked for again.
//
// Takes: an id, from GET, DELETE and cancel. Gives: what a server of the Responses API keeps of it.
// Promises: a response that was made here is answered from the workspace, also after a restart, and is gone with its
//           DELETE and with an erasure; one that the model's server has goes to that one, and is remembered when it is
//           there. A caller who may see some people only, or names somebody, reaches theirs alone.
#include <nlohmann/json.hpp>

#include "base/log.h"
#include "base/trace_cause.h"
#include "model/scope_key.h"
#include "surface/http/errors.h"
#include "surface/proxy/proxy.h"
#include "surface/proxy/relay.h"
#include "surface/proxy/turn.h"
#include "text/json.h"
#include "text/json_lookup.h"

namespace weft::proxy {
namespace {

void refuse(const Error& error, http::ResponseWriter& out) {
  http::send_openai_error(out, http::status_of(error.code), error);
}

Result<Scope> scope_of_kept(const KeptResponse& kept) {
  const ScopeParts parts = parts_of_scope(kept.scope);
  return parts.group.empty() ? Scope::of_user(parts.user) : Scope::of_group(parts.group);
}

std::string path_of(const KeptResponse& kept, const http::Request& request) {
  std::string path = "/responses/" + http::percent_encode(kept.id);
  if (!request.query_text.empty()) path += "?" + request.query_text;
  return path;
}

}  // namespace

// A response that the model's server makes in the background.
void Proxy::note_unfinished(const Turn& turn, std::string_view answer) {
  const auto json = nlohmann::json::parse(answer, nullptr, false);
  KeptResponse kept{text_of(member(json, "id")),
                    turn.request.scope.key(),
                    turn.session.str(),
                    clock_.now(),
                    text_of(member(json, "status")),
                    true,
                    false,
                    {}};
  if (kept.id.empty() || !kept.unfinished()) return;
  if (const Status done = kept_.put(kept, true); !done.ok()) log_warning("proxy.responses", done.error().message);
}

// One that was made here while its client waited. Who does not store it says so; that it may be lost in a power cut is
// no reason to let the client wait for the disk.
void Proxy::keep_made(const ResponsePlace& place, const ResponseTerms& terms, const std::string& object,
                      const std::string& status) {
  if (place.scope.empty()) return;
  const KeptResponse kept{terms.id, place.scope, place.session, clock_.now(), status, false, true, object};
  if (const Status done = kept_.put(kept, false); !done.ok()) log_warning("proxy.responses", done.error().message);
}

void Proxy::answer_later(const http::Request& request, Turn turn, http::ResponseWriter& out) {
  const ResponseTerms terms{turn.call.responses.id, turn.call.responses.asked};
  const auto own = std::make_shared<Turn>(std::move(turn));
  const auto asked = std::make_shared<const http::Request>(request);
  const auto begun = later_.begin(terms, own->request.scope.key(), own->session.str(),
                                  [this, own, asked, cause = TraceCause::current()](http::ResponseWriter& told) {
                                    const TraceCause because(cause);
                                    own->request.cancel = told.cancel();
                                    answer(*asked, *own, told, told);
                                    remember_later(*own);
                                  });
  if (!begun.ok()) return refuse(begun.error(), out);
  out.header("X-Weft-Session", http::percent_encode(begun->session));
  out.send(200, "application/json", begun->object);
}

bool Proxy::is_unfinished(const Scope& scope, std::string_view id) const {
  const auto kept = kept_.find(scope.key(), id);
  return kept.ok() && kept->unfinished();
}

Result<KeptResponse> Proxy::kept_of(const http::Request& request) const {
  const auto id = request.params.find("id");
  if (id == request.params.end()) return not_found("no response is named");
  const Names names = names_in_headers(request);
  if (!request.access.bound() && names.user.empty() && names.group.empty()) return kept_.find(id->second);
  WEFT_TRY(const auto scope, scope_of(request.access, names, {}, config_.server.default_user));
  return kept_.find(scope.key(), id->second);
}

// With one key for the model's server whoever knows an id could read what another one's memory was woven into.
Status Proxy::check_kept(const http::Request& request) {
  if (!request.access.bound()) return {};
  const auto id = request.params.find("id");
  if (request.path.starts_with("/v1/conversations")) return {not_for_bound_keys()};
  if (id == request.params.end()) return {};
  WEFT_TRY(auto scope, scope_of(request.access, names_in_headers(request), {}, config_.server.default_user));
  recorder_.wait_for(scope);
  if (is_unfinished(scope, id->second)) return {};
  WEFT_TRY(const auto held,
           engine_.memory(RequestContext{std::move(scope), std::nullopt, {}}).branch_to(MessageId(id->second)));
  return held.empty() ? Status(not_found("Response with id '" + id->second + "' not found.")) : Status();
}

void Proxy::pass_kept(const http::Request& request, http::ResponseWriter& out) {
  if (const Status allowed = check_kept(request); !allowed.ok()) return refuse(allowed.error(), out);
  if (upstream_.url.empty() || config_.proxy.responses == ResponsesForm::kChat || speaks_ == Speaks::kChatOnly)
    return http::send_openai_error(out, 404,
                                   not_found("nothing of the kind is kept: the model's server speaks chat completions "
                                             "only",
                                             "what was said is kept by Weft: GET /v1/sessions/{id}/messages"));
  pass_on(request, out);
}

void Proxy::kept_response(const http::Request& request, http::ResponseWriter& out) {
  const auto kept = kept_of(request);
  if (kept.ok() && kept->ours) {
    if (const auto wish = request.query.find("stream"); wish != request.query.end() && wish->second == "true")
      return refuse(invalid_argument("a response that is kept here cannot be streamed again", "leave out \"stream\""),
                    out);
    return out.send(200, "application/json", kept->object);
  }
  if (!kept.ok() || upstream_.url.empty()) return pass_kept(request, out);
  if (const Status allowed = check_kept(request); !allowed.ok()) return refuse(allowed.error(), out);
  const auto on_reply = [&](Message reply) {
    auto scope = scope_of_kept(*kept);
    if (const auto gone = kept_.remove(kept->scope, kept->id); !gone.ok() || !*gone || !scope.ok()) return;
    recorder_.observe_later(*scope, SessionId(kept->session), std::move(reply));
  };
  relay(client_, request_to(upstream_, config_, request, path_of(*kept, request), request.body), out,
        {on_reply, {}, {}, {}, WireForm::kResponses});
}

void Proxy::cancel_response(const http::Request& request, http::ResponseWriter& out) {
  const auto kept = kept_of(request);
  if (!kept.ok() || !kept->ours) return pass_kept(request, out);
  const auto now = later_.cancel(*kept);
  if (!now.ok()) return refuse(now.error(), out);
  out.send(200, "application/json", now->object);
}

void Proxy::delete_response(const http::Request& request, http::ResponseWriter& out) {
  const auto kept = kept_of(request);
  if (!kept.ok() || !kept->ours) {
    pass_kept(request, out);
    if (kept.ok()) (void)kept_.remove(kept->scope, kept->id);
    return;
  }
  later_.drop(kept->id);
  if (const auto gone = kept_.remove(kept->scope, kept->id); !gone.ok()) return refuse(gone.error(), out);
  const nlohmann::ordered_json told = {{"id", kept->id}, {"object", "response"}, {"deleted", true}};
  out.send(200, "application/json", write_json(told));
}

}  // namespace weft::proxy
