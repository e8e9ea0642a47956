#include "surface/proxy/recorder.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/strings.h"
#include "base/threads.h"
#include "flow/stream/session_state.h"
#include "model/message_reader.h"
#include "ports/net/http_client.h"
#include "surface/api/bodies.h"
#include "surface/api/scope_of_request.h"
#include "text/json.h"

namespace weft::proxy {

std::uint64_t Recorder::opening_of(std::span<const Message> messages) {
  const auto first = std::find_if(messages.begin(), messages.end(),
                                  [](const Message& message) { return message.role != Role::kSystem; });
  return first == messages.end() ? 0 : digest_of(*first);
}

Recorder::Recorder(Engine& engine) : engine_(engine) {
  const Status begun = start_thread(thread_, "keeping answers", [this] { run(); });
  if (!begun.ok()) log_error("proxy.observe", begun.error().message + "; each call keeps its answer itself");
}

Recorder::~Recorder() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Recorder::observe_later(const RequestContext& request, const SessionId& session, Message message,
                             std::uint64_t opening) {
  const MessageId id = message.id;
  const std::uint64_t last = digest_of(message);
  add({.scope = request.scope,
       .said_at = request.said_at,
       .owner = request.scope.key(),
       .session = session,
       .id = id,
       .opening = opening,
       .last = last,
       .is_answer = true,
       .context = CallContext::to_hand_over(),
       .hand_over = [this, session, message = std::move(message)](const RequestContext& late) -> Status {
         const auto report = engine_.session(late, session).observe(message);
         return report.ok() ? Status() : Status(report.error());
       }});
}

void Recorder::sync_later(const RequestContext& request, const SessionId& session, std::vector<Message> messages) {
  const std::uint64_t opening = opening_of(messages), last = messages.empty() ? 0 : digest_of(messages.back());
  add({.scope = request.scope,
       .said_at = request.said_at,
       .owner = request.scope.key(),
       .session = session,
       .id = {},
       .opening = opening,
       .last = last,
       .is_answer = false,
       .context = CallContext::to_hand_over(),
       .hand_over = [this, session, messages = std::move(messages)](const RequestContext& late) -> Status {
         const auto report = engine_.session(late, session).sync(messages);
         return report.ok() ? Status() : Status(report.error());
       }});
}

// Without a thread of the recorder's own the caller hands over.
void Recorder::add(Entry entry) {
  if (!thread_.joinable()) return hand_over(entry, false);
  {
    const std::lock_guard lock(mutex_);
    entry.number = ++added_;
    entries_.push_back(std::move(entry));
  }
  changed_.notify_all();
}

bool Recorder::wait_for(const Scope& scope, const Conversation& conversation, const Deadline& deadline) {
  const ScopeKey owner = scope.key();
  std::unique_lock lock(mutex_);
  if (std::none_of(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.owner == owner; }))
    return true;
  const std::uint64_t newest = added_;
  lock.unlock();
  const std::uint64_t opening = opening_of(conversation.history);
  std::unordered_set<std::uint64_t> said;
  for (const Message& message : conversation.history) said.insert(digest_of(message));
  const auto is_wanted = [&](const Entry& entry) {
    if (entry.owner != owner || entry.number > newest) return false;
    if (!conversation.previous.empty() && entry.id == conversation.previous) return true;
    if (!conversation.session.empty()) return entry.session == conversation.session;
    return (opening != 0 && entry.opening == opening) || said.contains(entry.last);
  };
  lock.lock();
  const auto none_left = [&] { return std::none_of(entries_.begin(), entries_.end(), is_wanted); };
  const bool done = deadline.until() ? changed_.wait_until(lock, deadline.cancel(), *deadline.until(), none_left)
                                     : changed_.wait(lock, deadline.cancel(), none_left);
  if (done) return true;
  for (auto at = std::next(entries_.begin(), handing_ ? 1 : 0); at != entries_.end();) {
    const bool comes_again = at->is_answer && at->id.empty() && is_wanted(*at) && said.contains(at->last);
    at = comes_again ? entries_.erase(at) : std::next(at);
  }
  return false;
}

// The client sends everything again with its next call; what fails is not lost, only later.
void Recorder::hand_over(const Entry& entry, bool ending) {
  RequestContext request{entry.scope, std::nullopt, {}};
  request.said_at = entry.said_at;
  // Hundreds of answers may be left when the server ends; words decide about them alone.
  if (ending) request.deadline = std::chrono::steady_clock::now();
  const CallScope call(entry.context);
  const CallScope owner(Account{entry.scope.key().str(), {}});
  const Status taken = guarded("keeping an answer", [&] { return entry.hand_over(request); });
  if (!taken.ok()) log_warning("proxy.observe", taken.error().message);
}

void Recorder::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || !entries_.empty(); });
    if (entries_.empty()) return;
    const AtEnd over([&] {
      if (!lock.owns_lock()) lock.lock();
      handing_ = false;
      entries_.pop_front();
      changed_.notify_all();
    });
    handing_ = true;
    const Entry& entry = entries_.front();
    const bool ending = ending_;
    lock.unlock();
    guarded_or_logged("proxy.observe", [&] { hand_over(entry, ending); });
  }
}

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
  // Pictures and files are no words.
  meter.asked_with([&request, &config] {
    const auto call = parse_call(request.body, config);
    return call.ok() && !call->messages.empty() ? words_of(call->messages) : request.body;
  });
  return meter;
}

void relay_metered(HttpClient& client, HttpRequest request, const ChatCall& call, const CallMeter& meter,
                   http::ResponseWriter& out) {
  RelayHooks hooks;
  hooks.form = call.form;
  hooks.on_end = [&meter](const RelayEnd& end) { meter.end(end); };
  relay(client, std::move(request), out, hooks);
}

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestName = 200;  // of a model, which the client names

std::string name_of(const ChatCall& call) {
  return TraceSpan::open() == nullptr ? std::string() : "chat " + call.model.substr(0, kLongestName);
}

// "http://host:port" in two.
void set_server(TraceSpan& span, const std::string& url) {
  std::string_view server(url);
  const std::string shown = server_of(std::string(server));
  server = shown;
  const bool secure = server.starts_with("https://");
  if (const auto mark = server.find("://"); mark != std::string_view::npos) server.remove_prefix(mark + 3);
  const auto colon = server.rfind(':');
  const bool has_port = colon != std::string_view::npos && server.find(']', colon) == std::string_view::npos;
  std::int64_t port = secure ? 443 : 80;
  if (has_port) std::from_chars(server.data() + colon + 1, server.data() + server.size(), port);
  span.set("server.address", std::string(server.substr(0, has_port ? colon : server.size())));
  span.set("server.port", port);
}

void set_number(TraceSpan& span, const char* key, std::string_view body, const char* field) {
  const std::string_view text = json_member(body, field);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && !text.empty() && end == text.data() + text.size()) span.set(key, value);
}

Json as_json(const Message& message) {
  Json parts = Json::array();
  if (message.role == Role::kTool)
    parts.push_back({{"type", "tool_call_response"}, {"id", message.tool_call_id}, {"response", message.content}});
  else if (!message.content.empty())
    parts.push_back({{"type", "text"}, {"content", message.content}});
  for (const ToolCall& call : message.tool_calls)
    parts.push_back({{"type", "tool_call"}, {"id", call.id}, {"name", call.name}, {"arguments", call.arguments}});
  return {{"role", to_string(message.role)}, {"parts", std::move(parts)}};
}

}  // namespace

ModelSpan::ModelSpan(const ChatCall& call, const std::string& url) : span_(name_of(call), SpanKind::kClient) {
  if (!span_.on()) return;
  span_.set("gen_ai.operation.name", "chat");
  span_.set("gen_ai.provider.name", call.form == WireForm::kAnthropic ? "anthropic" : "openai");
  span_.set("gen_ai.request.model", call.model.substr(0, kLongestName));
  for (const char* field : {"max_completion_tokens", "max_tokens", "max_output_tokens"})
    set_number(span_, "gen_ai.request.max_tokens", call.body, field);
  span_.set("weft.stream", call.stream);
  set_server(span_, url);
}

void ModelSpan::tell_input(const std::vector<Message>& messages) {
  Json list = Json::array();
  for (const Message& message : messages) list.push_back(as_json(message));
  span_.set("gen_ai.input.messages", write_json(list));
}

void ModelSpan::tell_output(const Message& reply) {
  if (!span_.takes_content()) return;
  Json list = Json::array();
  list.push_back(as_json(reply));
  span_.set("gen_ai.output.messages", write_json(list));
}

void ModelSpan::end(int status, const ReplyCounts& counts) {
  if (!span_.on()) return;
  if (status > 0) span_.set("http.response.status_code", std::int64_t{status});
  if (status == 0 || status >= 400) {
    span_.set("error.type", status == 0 ? std::string("unavailable") : std::to_string(status));
    span_.fail(status == 0 ? "no answer came" : "the server refused the call");
  }
  if (!counts.model.empty()) span_.set("gen_ai.response.model", counts.model);
  if (!counts.finish.empty()) span_.set("gen_ai.response.finish_reasons", std::vector<std::string>{counts.finish});
  if (counts.input_tokens >= 0) span_.set("gen_ai.usage.input_tokens", counts.input_tokens);
  if (counts.output_tokens >= 0) span_.set("gen_ai.usage.output_tokens", counts.output_tokens);
}

}  // namespace weft::proxy
