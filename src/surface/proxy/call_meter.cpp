#include "surface/proxy/call_meter.h"

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "model/counted_text.h"
#include "surface/api/bodies.h"
#include "surface/api/scope_of_request.h"
#include "text/json.h"

namespace weft::proxy {

CallMeter::CallMeter(Engine& engine, std::string scope, std::string key, std::string model) : engine_(engine) {
  call_.scope = std::move(scope);
  call_.key = std::move(key);
  call_.role = "proxy";
  call_.model = std::move(model);
}

void CallMeter::end(const RelayEnd& end) const {
  ModelCall call = call_;
  call.outcome = end.outcome;
  call.input_tokens = end.counts.input_tokens;
  call.output_tokens = end.counts.output_tokens;
  // A call that its server has not begun to answer costs nothing.
  const bool answering = end.status >= 200 && end.status < 300;
  const std::string asked = answering && input_ && call.input_tokens < 0 ? input_() : std::string();
  call.input_text = asked;
  call.output_text = end.text;
  call.seconds = end.seconds;
  call.first_token_seconds = end.first_token_seconds;
  engine_.upkeep().note_model_call(call);
}

std::string words_of(const std::vector<Message>& messages) {
  std::string words;
  for (const Message& message : messages) words += counted_text(message) + "\n";
  return words;
}

std::string account_scope(const http::Request& request, const Names& body, const Config& config) {
  const auto headers = names_in_headers(request);
  const auto scope = headers.ok() ? scope_of(request.access, *headers, body, config) : headers.error();
  return scope.ok() ? scope->key().str() : std::string();
}

CallMeter meter_of(Engine& engine, const Config& config, const http::Request& request, const ChatCall& call) {
  CallMeter meter(engine, account_scope(request, call.names, config), request.access.name, call.model);
  if (!call.helper.empty()) meter.set_role("helper");
  meter.asked_with([&call] { return words_of(call.messages); });
  return meter;
}

bool is_metered_unread(const http::Request& request) {
  constexpr std::array<std::string_view, 3> kAsked{"/v1/chat/completions", "/v1/completions", "/v1/embeddings"};
  return request.method == "POST" && std::find(kAsked.begin(), kAsked.end(), request.path) != kAsked.end();
}

CallMeter meter_of_unread(Engine& engine, const Config& config, const http::Request& request) {
  std::string model;
  Result<Names> names = Names{};
  const std::string_view object = object_in(request.body);
  if (!object.empty()) {
    const Status whole = check_json(request.body, body_limits(request.body, config), "the body");
    if (whole.ok()) model = json_text(json_member(object, "model")).value_or({});
    names = whole.ok() ? names_in_body(object) : whole.error();
  }
  // Where the names cannot be read nobody is charged.
  const std::string scope = names.ok() ? account_scope(request, *names, config) : std::string();
  CallMeter meter(engine, scope, request.access.name, std::move(model));
  meter.asked_with([&request] { return request.body; });
  return meter;
}

void relay_metered(HttpClient& client, HttpRequest request, const ChatCall& call, const CallMeter& meter,
                   http::ResponseWriter& out) {
  RelayHooks hooks;
  hooks.form = call.form;
  hooks.on_end = [&meter](const RelayEnd& end) { meter.end(end); };
  relay(client, std::move(request), out, hooks);
}

}  // namespace weft::proxy
