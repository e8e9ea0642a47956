// The way of a chat call through Weft.
//
// Takes: what a client sends to an OpenAI-compatible server. Gives: what that server answers, byte for byte.
// Promises: the upstream gets the client's body with nothing changed but the messages, and of these nothing but what
//           the engine wove in and what it replaced; the answer is remembered only if it is complete; where the engine
//           fails the call goes through as if Weft were not there, unless rules would be missing.
// Costs:    what sync and context of the engine cost, before the first byte goes to the upstream.
#include "surface/proxy/proxy.h"

#include <algorithm>
#include <utility>

#include "base/call_context.h"
#include "base/log.h"
#include "base/strings.h"
#include "surface/api/bodies.h"
#include "surface/http/exchange.h"
#include "surface/proxy/anthropic.h"
#include "surface/proxy/helper_call.h"
#include "surface/proxy/local_answer.h"
#include "surface/proxy/recorder.h"
#include "surface/proxy/responses.h"
#include "surface/proxy/turn.h"
#include "surface/proxy/upstream.h"
#include "text/json.h"

namespace weft::proxy {

namespace {

// The body for the model's server.
std::string body_of(const Turn& turn) {
  const bool as_came = !turn.woven && !turn.needs.any();
  if (as_came) return turn.call.body;
  const std::vector<Message>& messages = turn.woven ? turn.messages : turn.call.messages;
  if (turn.call.form == WireForm::kAnthropic) return anthropic_body_with(turn.call, messages);
  auto body = turn.call.form != WireForm::kResponses ? body_with(turn.call, fitted(messages, turn.needs))
              : turn.shortened                       ? detached_body_with(turn.call, messages)
                                                     : responses_body_with(turn.call, messages);
  return turn.tools.empty() ? body : with_tools(std::move(body), turn.tools);
}

bool has_system_behind(const std::vector<Message>& messages) {
  return std::any_of(messages.begin() + (messages.empty() ? 0 : 1), messages.end(),
                     [](const Message& message) { return message.role == Role::kSystem; });
}

// A body that cannot be read passes here: the reader of the call reports the error.
Status check_names(std::string_view body, const Config& config) {
  const std::string_view object = object_in(body);
  if (object.empty() || !check_json(body, body_limits(body, config), "the body").ok()) return {};
  return check_names_left_to_headers(object);
}

void answer_save(Engine& engine, const Clock& clock, const Turn& turn, http::ResponseWriter& out) {
  const auto report = engine.session(turn.request, turn.session).save();
  if (!report.ok()) return http::send_openai_error(out, http::status_of(report.error().code), report.error());
  out.header("X-Weft-Session", http::percent_encode(turn.session.str()));
  answer_with_text(turn.call, describe_save(turn.call, *report), clock, out);
}

}  // namespace

Proxy::Proxy(Engine& engine, const Config& config, HttpClient& client, ChatModel* local, const Clock& clock)
    : engine_(engine),
      config_(config),
      client_(client),
      local_(local),
      clock_(clock),
      upstream_(upstream_of(config)),
      anthropic_(anthropic_upstream_of(config)),
      finder_(engine),
      recorder_(engine),
      kept_(config.workspace, std::chrono::hours(24 * config.proxy.keep_responses_days)),
      later_(kept_, clock, static_cast<std::size_t>(std::max<std::int64_t>(config.server.max_connections, 1))),
      lookups_({engine, config, client, clock, upstream_, speaks_, recorder_, kept_, later_}),
      models_(engine, client, upstream_, config),
      helper_calls_({"proxy_helper_calls_total",
                     "Calls that chat clients made for themselves, which are not remembered, by what they wanted.",
                     {"kind"}}),
      left_out_({"proxy_left_out_total", "What translations of calls had no place for, by its type.", {"type"}}),
      told_(engine.upkeep().also_tell([this] {
        MetricsText text;
        helper_calls_.write(text);
        left_out_.write(text);
        return text.take();
      })) {
  recover_responses(kept_);
}

void Proxy::add_to(http::Router& router) {
  const auto add_to_part = [&](auto& part, std::string_view method, std::string_view path, auto member) {
    // To call a model costs its owner something: a key that only looks may ask which there are.
    const Right needed = method == "GET" ? Right::kRead : Right::kWrite;
    router.add(method, path, [&part, member, needed](http::Request& request, http::ResponseWriter& out) {
      if (const Status allowed = check_right(request.access, needed); !allowed.ok())
        return http::send_openai_error(out, 403, allowed.error());
      // Of every call, also of one without memory: its tokens are put down to somebody.
      if (const auto names = names_in_headers(request); !names.ok())
        return http::send_openai_error(out, http::status_of(names.error().code), names.error());
      (part.*member)(request, out);
    });
  };
  const auto add = [&](std::string_view method, std::string_view path, auto member) {
    add_to_part(*this, method, path, member);
  };
  const auto look_up = [&](std::string_view method, std::string_view path, auto member) {
    add_to_part(lookups_, method, path, member);
  };
  add("POST", "/v1/chat/completions", &Proxy::chat_completions);
  add("POST", "/v1/messages", &Proxy::messages);
  add("POST", "/v1/messages/count_tokens", &Proxy::count_tokens);
  add("GET", "/v1/models", &Proxy::models);
  add("GET", "/v1/models/{id}", &Proxy::pass_on);
  add("POST", "/v1/responses", &Proxy::responses);
  look_up("GET", "/v1/responses/{id}", &ResponseLookups::give);
  look_up("DELETE", "/v1/responses/{id}", &ResponseLookups::remove);
  look_up("POST", "/v1/responses/{id}/cancel", &ResponseLookups::cancel);
  for (const auto* path :
       {"/v1/completions", "/v1/embeddings", "/v1/moderations", "/v1/responses/input_tokens", "/v1/responses/compact"})
    add("POST", path, &Proxy::pass_on);
  for (const auto* path : {"/v1/conversations", "/v1/conversations/{id}", "/v1/conversations/{id}/items"})
    look_up("POST", path, &ResponseLookups::pass_on);
  for (const auto* path : {"/v1/responses/{id}/input_items", "/v1/conversations/{id}", "/v1/conversations/{id}/items",
                           "/v1/conversations/{id}/items/{item}"})
    look_up("GET", path, &ResponseLookups::pass_on);
  for (const auto* path : {"/v1/conversations/{id}", "/v1/conversations/{id}/items/{item}"})
    look_up("DELETE", path, &ResponseLookups::pass_on);
}

void Proxy::chat_completions(http::Request& request, http::ResponseWriter& out) {
  // What memory has no part in need not be read.
  if (!upstream_.url.empty() && memory_of_call(request, CallMemory::kOn).value_or(CallMemory::kOn) == CallMemory::kOff)
    return pass_on(request, out);
  auto call = parse_call(std::move(request.body), config_);
  note_helper(request, call, out);
  serve(request, std::move(call), out, out);
}

void Proxy::note_helper(const http::Request& request, Result<ChatCall>& call, http::ResponseWriter& out) {
  // A client that says what the call has to do with memory is taken at its word.
  if (!call.ok() || !request.header("x-weft-memory").empty()) return;
  call->helper = helper_kind(*call);
  if (call->helper.empty()) return;
  helper_calls_.add({std::string(call->helper)});
  out.header("X-Weft-Helper", call->helper);
}

void Proxy::serve(http::Request& request, Result<ChatCall> call, http::ResponseWriter& out,
                  http::ResponseWriter& passing) {
  if (!call.ok()) return http::send_openai_error(out, http::status_of(call.error().code), call.error());

  // A call whose messages cannot be read is for the model's server to judge.
  if (!call->unreadable.empty()) {
    const std::string why = call->unreadable;
    return answer_unremembered(request, std::move(*call), why, out, passing);
  }

  auto memory = memory_of_call(request, config_.proxy.weave ? CallMemory::kOn : CallMemory::kRecord);
  if (!memory.ok()) return http::send_openai_error(out, 400, memory.error());
  // What a client asks for itself nobody has said. Where it goes on from a response, only memory knows from what.
  const bool helps = !call->helper.empty();
  if (helps) memory = CallMemory::kOff;
  const ResponsesPart& part = call->responses;
  const bool needs_memory = !part.previous.empty() || !part.conversation.empty() || part.background;
  if (*memory == CallMemory::kOff && !(helps && needs_memory)) return pass_by(request, std::move(*call), out, passing);

  // Whose memory, and which conversation. A wrong id is refused: to guess would mix up two people.
  auto turn = find_turn(request, *call, *memory, out);
  if (!turn.ok()) {
    if (turn.error().code == ErrorCode::kInvalidArgument) return http::send_openai_error(out, 400, turn.error());
    if (turn.error().code == ErrorCode::kPermission) return http::send_openai_error(out, 403, turn.error());
    if (turn.error().code == ErrorCode::kNotFound)
      return http::send_openai_error(out, 400, turn.error(), "previous_response_not_found");
    if (call->responses.as_chat && call->responses.background)
      return http::send_openai_error(out, http::status_of(turn.error().code), turn.error());
    return answer_unremembered(request, std::move(*call), turn.error().message, out, passing);
  }
  turn->call = std::move(*call);
  const CallScope scope(Account{turn->request.scope.key().str(), request.access.name});

  models_.called(turn->call.model, request.header("authorization"));

  // Known messages are recognised, new ones remembered, an edited conversation is followed. Where nothing is woven the
  // model's answer need not wait for what memory alone wants to know.
  if (*memory == CallMemory::kOn || (!helps && asks_to_save(turn->call))) remember(*turn);

  if (asks_to_save(turn->call)) return answer_save(engine_, clock_, *turn, out);

  // From here on the messages are those that the model gets. Rules that do not fit are an error: without them another
  // assistant would answer.
  if (const Status woven = weave_into(*turn); !woven.ok())
    return http::send_openai_error(out, 400, woven.error(), "context_length_exceeded");

  turn->opening = Recorder::opening_of(turn->call.remembered().messages);
  if (turn->remembered) turn->call.forget_remembered();  // a stream may last long
  if (turn->call.responses.as_chat && turn->call.responses.background)
    return answer_later(request, std::move(*turn), passing);
  answer(request, *turn, out, passing);
  remember_later(*turn);
}

// Answers may still be on their way to memory; without them a conversation is not recognised. What does not come in
// time must not hold the call up.
void Proxy::wait_for_answers(const RequestContext& request, const Names& headers, ChatCall& call,
                             http::ResponseWriter& out) {
  const ResponsesPart& part = call.responses;
  const std::string& named = !headers.session.empty()      ? headers.session
                             : !call.names.session.empty() ? call.names.session
                                                           : part.conversation;
  const std::vector<Message>& history = call.remembered().messages;
  const auto deadline = Deadline({}, request.cancel).within(std::chrono::milliseconds(config_.context.deadline_ms));
  bool in_time = true;
  out.while_waiting([&] {
    in_time = recorder_.wait_for(request.scope, {SessionId(named), MessageId(part.previous), history}, deadline);
  });
  if (!in_time && !request.cancel.stop_requested())
    log_warning("proxy.observe", "answers of this conversation are not in memory after " +
                                     std::to_string(config_.context.deadline_ms) +
                                     " ms; the call goes on without them");
}

TemplateNeeds Proxy::needs_of(const std::string& model) {
  auto needs = needs_.lock();
  const auto known = needs->find(model);
  return known == needs->end() ? TemplateNeeds() : known->second;
}

bool Proxy::suit_to(const Refusal& refusal, Turn& turn) {
  if (refusal.kind == Refusal::Kind::kTooLong && turn.woven && !turn.shortened) {
    turn.shortened = true;
    if (refusal.window > 0 && refusal.window < turn.window)
      engine_.learn_model(turn.call.model,
                          {.window = 0, .output = 0, .most_window = refusal.window, .system_messages = {}});
    turn.limits.window = smaller_window(refusal, turn.window, turn.context_tokens + turn.limits.other);
    turn.limits.output = std::min(turn.limits.output, turn.limits.window / 2);
    log_warning("proxy.again",
                "the model's server said that the call is too long; it is made once more for a window of " +
                    std::to_string(turn.limits.window) + " tokens");
    return true;
  }
  if (refusal.kind != Refusal::Kind::kSystemMessages || turn.joined || turn.call.form != WireForm::kOpenAi)
    return false;
  turn.joined = true;
  turn.needs.in_turn = turn.needs.in_turn || refusal.needs.in_turn;
  turn.needs.system_first = true;
  // One that stands at the head alone, and is refused all the same, is not wanted at all.
  const bool behind = has_system_behind(turn.woven ? turn.messages : turn.call.messages);
  turn.needs.no_system = refusal.needs.no_system || (!refusal.needs.in_turn && !behind);
  if (turn.limits.system_messages == SystemMessages::kSeveral)
    engine_.learn_model(turn.call.model,
                        {.window = 0, .output = 0, .most_window = 0, .system_messages = SystemMessages::kOne});
  turn.limits.system_messages = SystemMessages::kOne;
  auto needs = needs_.lock();
  if (needs->size() >= kMostModels) needs->clear();
  (*needs)[turn.call.model] = turn.needs;
  log_warning("proxy.again", "the template of the model \"" + turn.call.model +
                                 "\" wants other system messages; the call is made once more as it wants them");
  return true;
}

Result<Turn> Proxy::find_turn(const http::Request& request, ChatCall& call, CallMemory memory,
                              http::ResponseWriter& out) {
  WEFT_TRY(const Names headers, names_in_headers(request));
  WEFT_CHECK(check_query_names(request));
  WEFT_TRY(auto scope, scope_of(request.access, headers, call.names, config_));
  RequestContext context{std::move(scope), std::nullopt, out.cancel()};
  context.said_at = std::chrono::steady_clock::now();
  wait_for_answers(context, headers, call, out);
  WEFT_TRY(auto held, find_session(context, headers, call));
  WEFT_TRY(auto limits, limits_of_call(request, call, engine_.model_traits(call.model)));
  if (call.form != WireForm::kOpenAi) limits.system_messages = SystemMessages::kOne;
  // A model of our own answers whatever name the client calls.
  if (upstream_.url.empty() && local_ != nullptr && !limits.named) limits.window = local_->window();
  const SessionId session = held.session();
  if (call.responses.place) *call.responses.place = {context.scope.key(), session.str()};
  return Turn{.memory = memory,
              .request = std::move(context),
              .held = std::move(held),
              .session = session,
              .limits = std::move(limits),
              .needs = needs_of(call.model)};
}

void Proxy::remember(Turn& turn) {
  turn.remembered = true;
  // Also for a client that leaves meanwhile: the message has been said.
  RequestContext request = turn.request;
  request.cancel = {};
  const auto report = engine_.session(request, turn.session).sync(turn.call.remembered().messages);
  if (!report.ok()) log_warning("proxy.sync", report.error().message);
}

void Proxy::remember_later(Turn& turn) {
  if (turn.memory == CallMemory::kOff || std::exchange(turn.remembered, true)) return;
  recorder_.sync_later(turn.request, turn.session, turn.call.remembered().messages);
}

// Where no context can be made the call goes as it came, unless rules would be missing or the client's own window is
// too small.
Status Proxy::weave_into(Turn& turn) {
  if (turn.memory != CallMemory::kOn) return {};
  auto request = turn.request;
  request.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(config_.context.deadline_ms);
  auto woven = weave(engine_, request, turn.session, turn.call, turn.limits);
  if (!woven.ok()) {
    log_warning("proxy.context", woven.error().message);
    const bool must_stand =
        turn.limits.named || !engine_.session(turn.request, turn.session).standing_text().value_or({}).empty();
    return woven.error().code == ErrorCode::kTooLarge && must_stand ? Status(woven.error()) : Status();
  }
  turn.messages = std::move(woven->messages);
  turn.context_tokens = woven->tokens;
  turn.tools = std::move(woven->tools);
  turn.window = woven->window;
  turn.woven = true;
  return {};
}

std::optional<HttpRequest> Proxy::another_try(const http::Request& request, Turn& turn, int status,
                                              std::string_view body) {
  const Refusal refusal = read_refusal(status, body);
  const auto former = body_of(turn);
  const bool woven_before = turn.woven;
  if (!suit_to(refusal, turn)) return std::nullopt;
  if (woven_before) {
    turn.woven = false;
    const Status woven = weave_into(turn);
    if (!woven.ok() || !turn.woven) return std::nullopt;
  }
  auto again = body_of(turn);
  if (again == former) return std::nullopt;
  turn.retried += turn.retried.empty() ? "" : ", ";
  turn.retried += refusal.kind == Refusal::Kind::kTooLong ? "context-length" : "system-messages";
  return request_for(request, turn.call, std::move(again));
}

HttpRequest Proxy::request_for(const http::Request& request, const ChatCall& call, std::string body) const {
  if (call.form == WireForm::kAnthropic) return request_to(anthropic_, config_, request, "/messages", std::move(body));
  if (call.form == WireForm::kResponses) return request_to(upstream_, config_, request, "/responses", std::move(body));
  if (call.translated) body = with_media_behind(std::move(body));
  return request_to(upstream_, config_, request, "/chat/completions", std::move(body));
}

void Proxy::note_left_out(const LeftOut& left_out, http::ResponseWriter& out) {
  std::string names;
  for (const auto& [type, count] : left_out) {
    std::string name = left_out_names_.lock()->told(type);
    // It comes from outside and goes into a header.
    for (char& c : name)
      if (!is_lower(c) && !is_digit(c) && c != '_' && c != '-' && c != '.') c = '_';
    left_out_.add({name}, count);
    names += (names.empty() ? "" : ", ") + name;
  }
  if (!names.empty()) out.header("X-Weft-Left-Out", names);
}

void Proxy::answer(const http::Request& request, Turn& turn, http::ResponseWriter& out, http::ResponseWriter& passing) {
  const auto tell = [&] {
    out.header("X-Weft-Session", http::percent_encode(turn.session.str()));
    if (turn.window > 0) out.header("X-Weft-Context-Tokens", std::to_string(turn.context_tokens));
    if (!turn.retried.empty()) out.header("X-Weft-Retried", turn.retried);
  };
  const auto on_reply = [&](Message reply) {
    if (turn.memory == CallMemory::kOff) return;
    remember_later(turn);
    const ResponsesPart& part = turn.call.responses;
    // Deleted or erased meanwhile, nothing of it shall come back.
    if (part.as_chat && part.background && !kept_.find(turn.request.scope.key(), part.id).ok()) return;
    if (!part.id.empty()) reply.id = MessageId(part.id);
    if (!part.kept) reply.id = {};
    recorder_.observe_later(turn.request, turn.session, std::move(reply), turn.opening);
    turn.held.release();
  };
  const WireForm form = turn.call.form;
  note_left_out(turn.call.left_out, passing);
  if (!upstream_.url.empty() || form == WireForm::kAnthropic) {
    auto body = body_of(turn);
    const auto instead = [&](int status, std::string_view answer) {
      return another_try(request, turn, status, answer);
    };
    std::function<void(std::string_view)> on_body;
    if (form == WireForm::kResponses)
      on_body = [&](std::string_view answer) { lookups_.note_unfinished(turn, answer); };
    ModelSpan span(turn.call, form == WireForm::kAnthropic ? anthropic_.url : upstream_.url);
    if (span.takes_content()) span.tell_input(turn.woven ? turn.messages : turn.call.messages);
    CallMeter meter(engine_, turn.request.scope.key().str(), request.access.name, turn.call.model);
    if (!turn.call.helper.empty()) meter.set_role("helper");
    meter.asked_with([&turn] { return words_of(turn.woven ? turn.messages : turn.call.messages); });
    const auto on_end = [&](const RelayEnd& end) {
      span.end(end.status, end.counts);
      meter.end(end);
    };
    const auto keep_reply = [&](Message reply) {
      span.tell_output(reply);
      on_reply(std::move(reply));
    };
    return relay(client_, request_for(request, turn.call, std::move(body)), passing,
                 {keep_reply, instead, tell, on_body, form, on_end});
  }
  tell();
  const CallScope scope(Account{turn.request.scope.key().str(), request.access.name});
  if (local_ != nullptr) {
    auto messages = turn.woven ? std::move(turn.messages) : turn.call.messages;
    return answer_with_model(turn.call, std::move(messages), *local_, clock_, out, on_reply);
  }
  http::send_openai_error(
      out, 503,
      unavailable("no model is configured", "start with --upstream URL, or set proxy.upstream or the role 'main'"),
      "no_model");
}

void Proxy::answer_unremembered(http::Request& request, ChatCall call, std::string_view why, http::ResponseWriter& out,
                                http::ResponseWriter& passing) {
  log_warning("proxy.unremembered", why);
  if (call.form != WireForm::kAnthropic && upstream_.url.empty())
    return http::send_openai_error(out, 400, invalid_argument(std::string(why)));
  pass_by(request, std::move(call), out, passing);
}

void Proxy::pass_by(http::Request& request, ChatCall call, http::ResponseWriter& out, http::ResponseWriter& passing) {
  note_left_out(call.left_out, passing);
  if (call.form == WireForm::kAnthropic) return pass_metered(request, call, passing);
  if (call.form == WireForm::kResponses) return pass_responses_by(request, std::move(call), out, passing);
  if (upstream_.url.empty() && local_ != nullptr) {
    const CallScope scope(Account{account_scope(request, call.names, config_), request.access.name});
    auto messages = call.messages;
    return answer_with_model(call, std::move(messages), *local_, clock_, out, [](const Message&) {});
  }
  // What was translated goes elsewhere than it came to, and what is accounted for by itself has been read.
  if (call.translated || !call.helper.empty()) return pass_metered(request, call, passing);
  request.body = std::move(call.body);
  pass_on(request, out);
}

void Proxy::pass_metered(const http::Request& request, const ChatCall& call, http::ResponseWriter& passing) {
  relay_metered(client_, request_for(request, call, call.body), call, meter_of(engine_, config_, request, call),
                passing);
}

// For a server of Anthropic's form the call goes as it is; for another it is translated, and so is its answer.
void Proxy::messages(http::Request& request, http::ResponseWriter& out) {
  const auto limits = message_limits(config_);
  const auto refuse = [&out](const Error& error) {
    const int status = http::status_of(error.code);
    out.send(status, "application/json", anthropic_error_json(status, error.message));
  };
  if (const Status names = check_names(request.body, config_); !names.ok()) return refuse(names.error());
  if (!anthropic_.url.empty()) {
    auto call = parse_anthropic_call(std::move(request.body), config_);
    note_helper(request, call, out);
    AnthropicWriter told(out, call.ok() ? call->model : "");
    return serve(request, std::move(call), told, out);
  }
  LeftOut left_out;
  auto body = chat_body_of(request.body, limits, left_out);
  if (!body.ok()) return refuse(body.error());
  AnthropicWriter told(out, json_text(json_member(*body, "model")).value_or("weft"));
  request.path = "/v1/chat/completions";
  as_openai(request.headers);
  auto call = parse_call(std::move(*body), config_);
  if (call.ok()) {
    call->translated = true;
    call->left_out = std::move(left_out);
  }
  note_helper(request, call, out);
  serve(request, std::move(call), told, told);
}

void Proxy::count_tokens(http::Request& request, http::ResponseWriter& out) {
  if (!anthropic_.url.empty())
    return relay(client_, request_to(anthropic_, config_, request, "/messages/count_tokens", request.body), out,
                 {{}, {}, {}, {}, WireForm::kAnthropic});
  LeftOut left_out;
  auto body = chat_body_of(request.body, message_limits(config_), left_out);
  const auto call = body.ok() ? parse_call(std::move(*body), config_) : Result<ChatCall>(body.error());
  if (!call.ok()) return out.send(400, "application/json", anthropic_error_json(400, call.error().message));
  out.send(200, "application/json", to_json(Value(ValueObject{{"input_tokens", tokens_of(*call)}})));
}

void Proxy::models(const http::Request& request, http::ResponseWriter& out) {
  if (upstream_.url.empty()) return out.send(200, "application/json", list_models(config_, local_));
  relay(client_, request_to(upstream_, config_, request, "/models", request.body), out,
        {{}, {}, {}, [this](std::string_view body) { models_.learn(body); }, WireForm::kOpenAi});
}

void Proxy::pass_on(const http::Request& request, http::ResponseWriter& out) {
  if (upstream_.url.empty()) {
    return http::send_openai_error(
        out, 404, not_found("there is no model's server that could answer this", "set proxy.upstream"));
  }
  RelayHooks hooks;
  if (is_metered_unread(request))
    hooks.on_end = [&](const RelayEnd& end) { meter_of_unread(engine_, config_, request).end(end); };
  relay(client_, request_to(upstream_, config_, request, path_behind_base(request), request.body), out, hooks);
}

}  // namespace weft::proxy
