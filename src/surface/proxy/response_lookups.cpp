#include "surface/proxy/response_lookups.h"

#include <nlohmann/json.hpp>

#include <algorithm>

#include "base/call_context.h"
#include "base/log.h"
#include "base/strings.h"
#include "model/rows.h"
#include "surface/http/exchange.h"
#include "surface/proxy/proxy.h"
#include "surface/proxy/recorder.h"
#include "surface/proxy/responses.h"
#include "surface/proxy/turn.h"
#include "surface/proxy/upstream.h"
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

// Calls of OpenAI's Responses API.
//
// Takes: what a client sends to POST /v1/responses. Gives: what a server of that form answers, with the memory of the
//        scope woven into the instructions and into the user's own message.
// Promises: a server that speaks this form gets the call as it came but for what was woven in; one that speaks chat
//           completions only gets one, and what it answers is told as a response. What led to a call that goes on from
//           a response is known here as well: an answer is kept under the response's id.

namespace {

constexpr std::size_t kMostHeld = 1000;  // messages of a conversation that its server keeps

}  // namespace

void Proxy::responses(http::Request& request, http::ResponseWriter& out) {
  auto call = parse_responses_call(std::move(request.body), config_);
  if (!call.ok()) return http::send_openai_error(out, http::status_of(call.error().code), call.error());
  note_helper(request, call, out);
  call->responses.known_only = request.access.bound();
  const ResponsesForm form = config_.proxy.responses;
  const bool known = form != ResponsesForm::kAuto || upstream_.url.empty() || speaks_ != Speaks::kUnknown;
  call->responses.as_chat =
      upstream_.url.empty() || form == ResponsesForm::kChat || (known && speaks_ == Speaks::kChatOnly);
  if (form == ResponsesForm::kNative) call->responses.as_chat = upstream_.url.empty();
  if (known) return serve_responses(request, std::move(*call), out);

  PathProbe probe(out);
  serve_responses(request, *call, probe);
  if (probe.answered()) speaks_ = Speaks::kResponses;
  if (!probe.missing()) return;
  log_info("proxy.responses", "the model's server has no /responses: such calls are made as chat completions");
  speaks_ = Speaks::kChatOnly;
  call->responses.as_chat = true;
  serve_responses(request, std::move(*call), out);
}

void Proxy::serve_responses(http::Request& request, ChatCall call, http::ResponseWriter& out) {
  // An answer of our own stands in no chain: the client goes on from where it was.
  const bool own = asks_to_save(call) && !call.responses.previous.empty();
  ResponseTerms terms{own ? call.responses.previous : fresh_response_id(), call.body};
  if (call.responses.as_chat) call.responses.id = terms.id;
  const auto place = call.responses.place = std::make_shared<ResponsePlace>();
  const bool kept = call.responses.as_chat && call.responses.kept && !own;
  ResponsesWriter told(out, terms, clock_.now().ms / 1000, [&](const std::string& object, const std::string& status) {
    if (kept) lookups_.keep_made(*place, terms, object, status);
  });
  const bool translated = call.responses.as_chat && !call.responses.background;
  serve(request, std::move(call), told, translated ? static_cast<http::ResponseWriter&>(told) : out);
}

// What led to the call, as far as the client did not send it; `session`: that it stands in, where the client names none
// and the call goes on where that session ends.
Result<std::vector<StoredMessage>> Proxy::said_before(const RequestContext& request, const ResponsesPart& part,
                                                      std::optional<SessionId>& session) {
  std::vector<StoredMessage> held;
  if (!part.conversation.empty()) {
    if (part.known_only) return not_for_bound_keys();
    session = SessionId(part.conversation);
    WEFT_CHECK(check_id(part.conversation, "conversation"));
    return engine_.session(request, *session).history(kMostHeld);
  }
  if (part.previous.empty()) return held;
  WEFT_TRY(held, engine_.memory(request).branch_to(MessageId(part.previous)));
  // One that is still being made stands at the end of its session.
  if (const auto kept = kept_.find(request.scope.key(), part.previous);
      held.empty() && kept.ok() && kept->unfinished()) {
    if (kept->ours)
      return invalid_argument("Previous response with id '" + part.previous + "' is not complete yet.",
                              "ask for it until its status is \"completed\"");
    session = SessionId(kept->session);
    WEFT_TRY(held, engine_.session(request, *session).history(kMostHeld));
  }
  if (held.empty() && (part.as_chat || part.known_only))
    return not_found("Previous response with id '" + part.previous + "' not found.");
  if (!session && !held.empty() && held.back().active && !is_found_session(held.back().session)) {
    WEFT_TRY(const auto newest, engine_.session(request, held.back().session).history(1));
    if (!newest.empty() && newest.back().message.id == held.back().message.id) session = held.back().session;
  }
  return held;
}

// What led to the call is put before it. Gives the session that it stands in, as `said_before` does.
Result<std::optional<SessionId>> Proxy::go_on(const RequestContext& request, ChatCall& call) {
  const ResponsesPart& part = call.responses;
  std::optional<SessionId> session;
  WEFT_TRY(auto held, said_before(request, part, session));
  std::vector<Message> messages;
  for (StoredMessage& one : held) {
    // Said in another form of call it is told in this one's words.
    if (!part.as_chat && one.message.raw.find(R"("input_)") == std::string::npos) one.message.raw.clear();
    messages.push_back(std::move(one.message));
  }
  put_before(std::move(messages), call);
  return session;
}

Result<SessionFinder::Held> Proxy::find_session(const RequestContext& request, const Names& headers, ChatCall& call) {
  std::optional<SessionId> session;
  if (call.form == WireForm::kResponses) {
    WEFT_TRY(session, go_on(request, call));
    if (call.responses.as_chat) {
      WEFT_TRY(call, chat_call_of(call, config_));
    }
  }
  if (session && headers.session.empty() && call.names.session.empty()) return SessionFinder::named(*session);
  return session_of_call(request, headers, call, finder_);
}

// Without a look at memory nobody knows whose a chain is, nor what stands in it.
void Proxy::pass_responses_by(http::Request& request, ChatCall call, http::ResponseWriter& out,
                              http::ResponseWriter& passing) {
  const ResponsesPart& part = call.responses;
  const bool goes_on = !part.previous.empty() || !part.conversation.empty();
  if (goes_on && part.known_only)
    return http::send_openai_error(out, 403,
                                   permission("without memory this key goes on from no response",
                                              "leave out the header X-Weft-Memory, or send the history"));
  if (!part.as_chat) return pass_metered(request, call, passing);
  if (!call.unreadable.empty()) return http::send_openai_error(out, 400, invalid_argument(call.unreadable));
  if (part.background)
    return http::send_openai_error(out, 400,
                                   invalid_argument("without memory nothing is kept here that could be asked for later",
                                                    "leave out the header X-Weft-Memory, or \"background\""));
  if (goes_on)
    return http::send_openai_error(out, 400,
                                   invalid_argument("without memory a call goes on from no response here",
                                                    "leave out the header X-Weft-Memory, or send the history"),
                                   "previous_response_not_found");
  auto chat = chat_call_of(call, config_);
  if (!chat.ok()) return http::send_openai_error(out, 400, chat.error());
  pass_by(request, std::move(*chat), out, passing);
}

void Proxy::answer_later(const http::Request& request, Turn turn, http::ResponseWriter& out) {
  const ResponseTerms terms{turn.call.responses.id, turn.call.responses.asked};
  const auto own = std::make_shared<Turn>(std::move(turn));
  const auto asked = std::make_shared<const http::Request>(request);
  const auto begun =
      later_.begin(terms, own->request.scope.key(), own->session.str(),
                   [this, own, asked, context = CallContext::to_hand_over()](http::ResponseWriter& told) {
                     const CallScope call(context);
                     own->request.cancel = told.cancel();
                     answer(*asked, *own, told, told);
                     remember_later(*own);
                   });
  if (!begun.ok()) return http::send_openai_error(out, http::status_of(begun.error().code), begun.error());
  out.header("X-Weft-Session", http::percent_encode(begun->session));
  out.send(200, "application/json", begun->object);
}

}  // namespace weft::proxy
