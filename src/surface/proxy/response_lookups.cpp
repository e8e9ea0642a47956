#include "surface/proxy/response_lookups.h"

#include <nlohmann/json.hpp>

#include "base/log.h"
#include "base/strings.h"
#include "base/trace.h"
#include "model/scope_key.h"
#include "surface/http/errors.h"
#include "surface/proxy/relay.h"
#include "surface/proxy/turn.h"
#include "text/json.h"

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

Error not_for_bound_keys() {
  return permission(
      "conversations that the model's server keeps are everybody's who reaches it, and this key is for "
      "some people only",
      "go on with previous_response_id, or send the history");
}

void ResponseLookups::note_unfinished(const Turn& turn, std::string_view answer) {
  const auto json = nlohmann::json::parse(answer, nullptr, false);
  KeptResponse kept{text_of(member(json, "id")),
                    turn.request.scope.key(),
                    turn.session.str(),
                    with_.clock.now(),
                    text_of(member(json, "status")),
                    true,
                    false,
                    {}};
  if (kept.id.empty() || !kept.unfinished()) return;
  if (const Status done = with_.kept.put(kept, true); !done.ok()) log_warning("proxy.responses", done.error().message);
}

// One that was made here while its client waited. Who does not store it says so; that it may be lost in a power cut is
// no reason to let the client wait for the disk.
void ResponseLookups::keep_made(const ResponsePlace& place, const ResponseTerms& terms, const std::string& object,
                                const std::string& status) {
  if (place.scope.empty()) return;
  const KeptResponse kept{terms.id, place.scope, place.session, with_.clock.now(), status, false, true, object};
  if (const Status done = with_.kept.put(kept, false); !done.ok()) log_warning("proxy.responses", done.error().message);
}

bool ResponseLookups::is_unfinished(const Scope& scope, std::string_view id) const {
  const auto kept = with_.kept.find(scope.key(), id);
  return kept.ok() && kept->unfinished();
}

Result<KeptResponse> ResponseLookups::kept_of(const http::Request& request) const {
  const auto id = request.params.find("id");
  if (id == request.params.end()) return not_found("no response is named");
  WEFT_TRY(const Names names, names_in_headers(request));
  if (!request.access.bound() && names.user.empty() && names.group.empty()) return with_.kept.find(id->second);
  WEFT_TRY(const auto scope, scope_of(request.access, names, {}, with_.config));
  return with_.kept.find(scope.key(), id->second);
}

// With one key for the model's server whoever knows an id could read what another one's memory was woven into.
Status ResponseLookups::check_kept(const http::Request& request) {
  if (!request.access.bound()) return {};
  const auto id = request.params.find("id");
  if (request.path.starts_with("/v1/conversations")) return {not_for_bound_keys()};
  if (id == request.params.end()) return {};
  WEFT_TRY(const Names names, names_in_headers(request));
  WEFT_TRY(auto scope, scope_of(request.access, names, {}, with_.config));
  const auto patience = Deadline::after(std::chrono::milliseconds(with_.config.context.deadline_ms));
  (void)with_.recorder.wait_for(scope, {.previous = MessageId(id->second)}, patience);
  if (is_unfinished(scope, id->second)) return {};
  WEFT_TRY(const auto held,
           with_.engine.memory(RequestContext{std::move(scope), std::nullopt, {}}).branch_to(MessageId(id->second)));
  return held.empty() ? Status(not_found("Response with id '" + id->second + "' not found.")) : Status();
}

void ResponseLookups::pass_on(const http::Request& request, http::ResponseWriter& out) {
  if (const Status allowed = check_kept(request); !allowed.ok()) return refuse(allowed.error(), out);
  if (with_.upstream.url.empty() || with_.config.proxy.responses == ResponsesForm::kChat ||
      with_.speaks == Speaks::kChatOnly)
    return http::send_openai_error(out, 404,
                                   not_found("nothing of the kind is kept: the model's server speaks chat completions "
                                             "only",
                                             "what was said is kept by Weft: GET /v1/sessions/{id}/messages"));
  relay(with_.client, request_to(with_.upstream, with_.config, request, path_behind_base(request), request.body), out,
        {});
}

void ResponseLookups::give(const http::Request& request, http::ResponseWriter& out) {
  const auto kept = kept_of(request);
  if (kept.ok() && kept->ours) {
    if (const auto wish = request.query.find("stream"); wish != request.query.end() && wish->second == "true")
      return refuse(invalid_argument("a response that is kept here cannot be streamed again", "leave out \"stream\""),
                    out);
    return out.send(200, "application/json", kept->object);
  }
  if (!kept.ok() || with_.upstream.url.empty()) return pass_on(request, out);
  if (const Status allowed = check_kept(request); !allowed.ok()) return refuse(allowed.error(), out);
  const auto on_reply = [&](Message reply) {
    auto scope = scope_of_kept(*kept);
    if (const auto gone = with_.kept.remove(kept->scope, kept->id); !gone.ok() || !*gone || !scope.ok()) return;
    with_.recorder.observe_later({*scope, {}, {}}, SessionId(kept->session), std::move(reply), 0);
  };
  relay(with_.client, request_to(with_.upstream, with_.config, request, path_of(*kept, request), request.body), out,
        {on_reply, {}, {}, {}, WireForm::kResponses});
}

void ResponseLookups::cancel(const http::Request& request, http::ResponseWriter& out) {
  const auto kept = kept_of(request);
  if (!kept.ok() || !kept->ours) return pass_on(request, out);
  const auto now = with_.later.cancel(*kept);
  if (!now.ok()) return refuse(now.error(), out);
  out.send(200, "application/json", now->object);
}

void ResponseLookups::remove(const http::Request& request, http::ResponseWriter& out) {
  const auto kept = kept_of(request);
  if (!kept.ok() || !kept->ours) {
    pass_on(request, out);
    if (kept.ok()) (void)with_.kept.remove(kept->scope, kept->id);
    return;
  }
  with_.later.drop(kept->id);
  if (const auto gone = with_.kept.remove(kept->scope, kept->id); !gone.ok()) return refuse(gone.error(), out);
  const nlohmann::ordered_json told = {{"id", kept->id}, {"object", "response"}, {"deleted", true}};
  out.send(200, "application/json", write_json(told));
}

void PathProbe::header(std::string_view name, std::string_view value) { headers_.emplace_back(name, value); }

void PathProbe::hand_on_headers() {
  for (const auto& [name, value] : headers_) out_.header(name, value);
}

void PathProbe::send(int status, std::string_view content_type, std::string_view body) {
  missing_ = says_no_such_path(status, body);
  if (missing_) return;
  answered_ = status >= 200 && status < 300;
  hand_on_headers();
  out_.send(status, content_type, body);
}

bool PathProbe::begin(int status, std::string_view content_type) {
  answered_ = true;
  hand_on_headers();
  return out_.begin(status, content_type);
}

bool says_no_such_path(int status, std::string_view body) {
  if (status == 405 || status == 501) return true;
  if (status != 404) return false;
  const auto json = nlohmann::json::parse(body, nullptr, false);
  const auto& error = member(json, "error");
  // Who names a code or a field has looked at the call.
  if (!text_of(member(error, "code")).empty() || !text_of(member(error, "param")).empty()) return false;
  const std::string text = lowered(body);
  return text.find("model") == std::string::npos && text.find("resp_") == std::string::npos;
}

}  // namespace weft::proxy
