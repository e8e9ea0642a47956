#include "surface/mcp/http_endpoint.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <random>
#include <string>
#include <utility>

#include "base/strings.h"
#include "base/threads.h"
#include "surface/api/scope_of_request.h"
#include "surface/http/exchange.h"
#include "surface/mcp/rpc.h"
#include "surface/mcp/watcher.h"

namespace weft::mcp {
namespace {

// Not to be guessed: whoever has it speaks in the conversation.
std::string random_id() {
  std::random_device random;
  std::string id;
  for (int i = 0; i < 4; ++i) {
    char digits[9];
    std::snprintf(digits, sizeof digits, "%08x", static_cast<unsigned>(random()));
    id += digits;
  }
  return id;
}

}  // namespace

std::string event_of(std::string_view message) { return "event: message\ndata: " + std::string(message) + "\n\n"; }

// A stream that takes nothing any more is over.
bool Mailbox::deliver(const std::string& message) {
  while (!streams_.empty()) {
    if (streams_.back()->offer(event_of(message))) return true;
    streams_.pop_back();
  }
  return false;
}

void Mailbox::put(std::string message) {
  const std::lock_guard lock(mutex_);
  if (closed_ || deliver(message)) return;
  if (messages_.size() >= kMost) messages_.pop_front();
  messages_.push_back(std::move(message));
}

void Mailbox::attach(std::shared_ptr<http::OpenStream> stream) {
  const std::lock_guard lock(mutex_);
  if (closed_) return stream->end();
  streams_.push_back(std::move(stream));
  while (!messages_.empty() && deliver(messages_.front())) messages_.pop_front();
}

void Mailbox::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  for (const auto& stream : streams_) stream->end();
  streams_.clear();
}

Client HttpSession::client() const {
  const std::lock_guard lock(mutex_);
  return client_;
}

void HttpSession::set(const Client& client) {
  const std::lock_guard lock(mutex_);
  client_ = client;
}

void HttpSession::set_level(Severity level) {
  const std::lock_guard lock(mutex_);
  client_.log = level;
}

std::stop_token HttpSession::begin(const std::string& request) {
  const std::lock_guard lock(mutex_);
  return (at_work_[request] = std::stop_source()).get_token();
}

void HttpSession::finished(const std::string& request, const std::stop_token& begun) {
  const std::lock_guard lock(mutex_);
  const auto found = at_work_.find(request);
  if (found != at_work_.end() && found->second.get_token() == begun) at_work_.erase(found);
}

void HttpSession::cancel(const std::string& request) {
  std::optional<std::stop_source> stop;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = at_work_.find(request); found != at_work_.end()) stop = found->second;
  }
  if (stop) stop->request_stop();  // outside the lock: stop callbacks run here
}

void HttpSession::cancel_all() {
  std::map<std::string, std::stop_source> all;
  {
    const std::lock_guard lock(mutex_);
    all = at_work_;
  }
  for (auto& [request, stop] : all) stop.request_stop();
  pending.give_up();
  mailbox.close();
}

std::optional<std::uint64_t> HttpSession::listener() const {
  const std::lock_guard lock(mutex_);
  return listener_;
}

std::uint64_t HttpSession::listen_as(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  if (!listener_) listener_ = number;
  return *listener_;
}

std::shared_ptr<HttpSession> HttpSessions::make(const std::string& owner, const Client& client) {
  auto session = std::make_shared<HttpSession>();
  session->id = random_id();
  session->owner = owner;
  session->set(client);
  std::vector<std::shared_ptr<HttpSession>> old;
  {
    const std::lock_guard lock(mutex_);
    old = take_old();
    held_[session->id] = {session, Clock::now()};
  }
  for (const auto& one : old) gone_(*one);
  return session;
}

std::shared_ptr<HttpSession> HttpSessions::find(std::string_view id, const std::string& owner) {
  const std::lock_guard lock(mutex_);
  const auto found = held_.find(id);
  if (found == held_.end() || found->second.session->owner != owner) return nullptr;
  found->second.used = Clock::now();
  return found->second.session;
}

bool HttpSessions::remove(std::string_view id, const std::string& owner) {
  const auto session = find(id, owner);
  if (!session) return false;
  {
    const std::lock_guard lock(mutex_);
    held_.erase(session->id);
  }
  gone_(*session);
  return true;
}

// Of whoever has most of them, so that nobody's many sessions end those of others.
HttpSessions::Place HttpSessions::oldest_of_most() {
  std::map<std::string_view, std::size_t> counts;
  for (const auto& [id, held] : held_) ++counts[held.session->owner];
  const auto later = [&](const auto& a, const auto& b) {
    const std::size_t of_a = counts[a.second.session->owner], of_b = counts[b.second.session->owner];
    return of_a != of_b ? of_a > of_b : a.second.used < b.second.used;
  };
  return std::min_element(held_.begin(), held_.end(), later);
}

std::vector<std::shared_ptr<HttpSession>> HttpSessions::take_old() {
  std::vector<std::shared_ptr<HttpSession>> old;
  const auto take = [&](auto at) {
    old.push_back(at->second.session);
    return held_.erase(at);
  };
  const auto limit = Clock::now() - kIdle;
  for (auto at = held_.begin(); at != held_.end();) at = at->second.used < limit ? take(at) : std::next(at);
  if (held_.size() >= kMost) take(oldest_of_most());
  return old;
}

namespace {

constexpr std::string_view kEncodedBegin = "=?base64?", kEncodedEnd = "?=";

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Nothing where it is no base64.
std::optional<std::string> from_base64(std::string_view text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string out;
  unsigned held = 0, bits = 0;
  for (const char c : text) {
    const auto digit = kDigits.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    held = (held << 6 | static_cast<unsigned>(digit)) & 0xFFFF;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out += static_cast<char>(held >> bits & 0xFF);
  }
  return out;
}

// Names that no header can carry come encoded.
std::optional<std::string> decoded(std::string_view value) {
  if (!value.starts_with(kEncodedBegin) || !value.ends_with(kEncodedEnd)) return std::string(value);
  value.remove_prefix(kEncodedBegin.size());
  return from_base64(value.substr(0, value.size() - std::min(value.size(), kEncodedEnd.size())));
}

RpcError mismatch(std::string_view header, std::string_view why) {
  return {RpcCode::kHeaderMismatch, "the header " + std::string(header) + " " + std::string(why), {}};
}

std::optional<RpcError> compare(std::string_view header, std::string_view value, std::string_view wanted) {
  if (value.empty()) return mismatch(header, "is missing");
  const auto said = decoded(value);
  if (said && *said == wanted) return std::nullopt;
  return mismatch(header, "does not say what the message says");
}

std::string named_in(const RpcMessage& message) {
  if (message.method == "tools/call" || message.method == "prompts/get") return text_of(message.params, "name");
  return message.method == "resources/read" ? text_of(message.params, "uri") : std::string();
}

/// Whether what the client takes ("Accept") holds a type.
bool accepts(const http::Request& request, std::string_view type) {
  const std::string_view all = request.header("accept");
  if (all.empty()) return type == "application/json";
  const std::string family = std::string(type.substr(0, type.find('/'))) + "/*";
  for (std::string_view rest = all; !rest.empty();) {
    const std::string_view one = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
    std::string name;
    for (const char c : trimmed(one.substr(0, one.find(';')))) name += to_lower(c);
    if (name == type || name == "*/*" || name == family) return true;
  }
  return false;
}

/// Whether the headers of a request of the stateless revision say what its message says: the revision, the method, and
/// the name of what is called or read. An error of kHeaderMismatch names the first that does not.
std::optional<RpcError> header_mismatch(const http::Request& request, const RpcMessage& message) {
  const Value* meta = meta_of(message.params);
  const std::string revision = meta == nullptr ? std::string() : text_of(*meta, kMetaVersion);
  const auto header = [&](std::string_view name) { return trimmed(request.header(name)); };
  if (!revision.empty())
    if (auto wrong = compare("MCP-Protocol-Version", header("mcp-protocol-version"), revision)) return wrong;
  if (auto wrong = compare("Mcp-Method", header("mcp-method"), message.method)) return wrong;
  const std::string name = named_in(message);
  if (name.empty()) return std::nullopt;
  return compare("Mcp-Name", header("mcp-name"), name);
}

constexpr std::string_view kJson = "application/json", kStream = "text/event-stream";
constexpr std::string_view kSession = "mcp-session-id";

void mark_stream(http::ResponseWriter& out) {
  out.header("Cache-Control", "no-cache");
  out.header("X-Accel-Buffering", "no");  // proxies on the way are not to hold events back
}

void begin_stream(http::ResponseWriter& out) {
  mark_stream(out);
  out.begin(200, kStream);
}

// A stream on which the server speaks when it has something to tell. Null where it may not be, which is answered.
std::shared_ptr<http::OpenStream> listening_stream(http::ResponseWriter& out, std::string farewell) {
  mark_stream(out);
  auto stream = out.stay_open({std::string(kStream), ": \n\n", std::move(farewell)});
  if (!stream && !out.started())
    out.send(400, kJson, error_message({}, {RpcCode::kInvalidRequest, "there is no connection that stays open", {}}));
  return stream;
}

void refuse(http::ResponseWriter& out, int status, const std::string& id, const RpcError& error) {
  out.send(status, kJson, error_message(id, error));
}

// Several messages at once are refused, each request under its id. Empty where the body is no such list.
std::string refusal_of_list(std::string_view body, const JsonLimits& limits) {
  std::string all;
  for (const std::string_view one : listed_messages(body, limits)) {
    const auto read = read_message(one, limits);
    const auto* message = std::get_if<RpcMessage>(&read);
    const std::string& id = message != nullptr ? message->id : std::get<RpcRefusal>(read).id;
    if (id.empty() || (message != nullptr && message->kind != RpcKind::kRequest)) continue;
    const RpcError why{RpcCode::kInvalidRequest, "there are several messages at once; send them one by one", {}};
    all += (all.empty() ? "[" : ",") + error_message(id, why);
  }
  return all.empty() ? all : all + "]";
}

int status_of(const RpcError& error) {
  switch (error.code) {
    case RpcCode::kMethodNotFound: return 404;
    case RpcCode::kParseError:
    case RpcCode::kInvalidRequest:
    case RpcCode::kHeaderMismatch:
    case RpcCode::kMissingCapability:
    case RpcCode::kUnsupportedVersion: return 400;
    default: return 200;
  }
}

// The names in the address stand for those that no header says: what the message holds is the model's.
Result<RequestContext> context_of(const http::Request& request, const Config& config, std::stop_token cancel) {
  const auto named = [&](const char* name) {
    const auto found = request.query.find(name);
    return found == request.query.end() ? std::string() : found->second;
  };
  if (const auto repeated = http::repeated_name(request.query_text))
    return invalid_argument("the parameter \"" + repeated->substr(0, 80) + "\" is in the address more than once",
                            "say it once, since only one can hold");
  constexpr std::array<std::string_view, 2> kRead = {"user", "group"};
  WEFT_CHECK(check_query_names(request, kRead));
  WEFT_TRY(const Names names, names_in_headers(request));
  WEFT_TRY(auto scope, scope_of(request.access, names, {.user = named("user"), .group = named("group")}, config));
  if (!names.world.empty()) WEFT_CHECK(check_id(names.world, "world"));
  return RequestContext{std::move(scope), std::nullopt, std::move(cancel), names.world, false};
}

bool says_stateless(const http::Request& request) {
  const auto revision = parse_revision(request.header("mcp-protocol-version"));
  return revision && is_stateless(*revision);
}

bool is_stateless_message(const http::Request& request, const RpcMessage& message) {
  if (message.kind == RpcKind::kResponse) return false;
  if (speaks_for_itself(message) || says_stateless(request)) return true;
  return message.method == "server/discover" || message.method == "subscriptions/listen";
}

}  // namespace

/// One message that came, and the way back.
struct HttpEndpoint::Post {
  const http::Request& request;
  http::ResponseWriter& out;
  const RpcMessage& message;
  RequestContext context;
  SessionId session;
  ToolChoice tools;
  bool streams;  ///< the client takes a stream
};

/// The way back of a request: a stream as soon as something is said before the answer.
class HttpEndpoint::Way final : public Peer {
 public:
  Way(Post& post, HttpSession* session, std::stop_token cancel)
      : post_(post), session_(session), cancel_(std::move(cancel)) {}

  void notify(std::string_view method, const Value& params) override { say(notification_message(method, params)); }

  Result<Value> ask(std::string_view method, const Value& params, std::chrono::milliseconds patience) override {
    if (session_ == nullptr || !post_.streams) return unavailable("the client cannot be asked on this connection");
    const std::string id = session_->pending.begin();
    say(request_message(id, method, params));
    Result<Value> answer = cancelled("");
    post_.out.while_waiting([&] { answer = session_->pending.wait(id, patience, cancel_); });
    return answer;
  }

  void while_waiting(const std::function<void()>& wait) override { post_.out.while_waiting(wait); }

  void answer(const Reply& reply) {
    const auto* error = std::get_if<RpcError>(&reply);
    const std::string& id = post_.message.id;
    const std::string text = error != nullptr ? error_message(id, *error) : result_message(id, std::get<Value>(reply));
    if (post_.out.started()) {
      post_.out.write(event_of(text));
      return post_.out.end();
    }
    if (!accepts(post_.request, kJson)) {
      begin_stream(post_.out);
      post_.out.write(event_of(text));
      return post_.out.end();
    }
    post_.out.send(error == nullptr ? 200 : status_of(*error), kJson, text);
  }

 private:
  void say(const std::string& message) {
    if (!post_.streams) return;
    if (!post_.out.started()) begin_stream(post_.out);
    post_.out.write(event_of(message));
  }

  Post& post_;
  HttpSession* session_;
  std::stop_token cancel_;
};

HttpEndpoint::HttpEndpoint(Engine& engine, ToolChoice tools, const AuditLog* audit, ToolMeter* meter)
    : protocol_(engine),
      tools_(std::move(tools)),
      audit_(audit),
      meter_(meter),
      watcher_(engine),
      sessions_([this](HttpSession& session) {
        if (const auto listener = session.listener()) watcher_.remove(*listener);
        session.cancel_all();
      }) {}

void HttpEndpoint::add_to(http::Router& router) {
  router.add("POST", "/mcp", [this](http::Request& request, http::ResponseWriter& out) { post(request, out); });
  router.add("GET", "/mcp", [this](http::Request& request, http::ResponseWriter& out) { get(request, out); });
  router.add("DELETE", "/mcp", [this](http::Request& request, http::ResponseWriter& out) { remove(request, out); });
}

void HttpEndpoint::post(http::Request& request, http::ResponseWriter& out) {
  const bool streams = accepts(request, kStream);
  if (!streams && !accepts(request, kJson))
    return refuse(out, 406, {}, {RpcCode::kInvalidRequest, "answers are application/json or text/event-stream", {}});
  // Also keeps pages of other sites out: a browser asks before it sends JSON.
  if (!request.header("content-type").starts_with(kJson))
    return refuse(out, 415, {}, {RpcCode::kInvalidRequest, "a message is sent as application/json", {}});
  const Config& config = protocol_.engine().config();
  const JsonLimits limits{request.body.size() + 1, static_cast<std::size_t>(config.limits.max_depth)};
  if (const auto refusal = refusal_of_list(request.body, limits); !refusal.empty())
    return out.send(400, kJson, refusal);
  const auto read = read_message(request.body, limits);
  if (const auto* refused = std::get_if<RpcRefusal>(&read)) return refuse(out, 400, refused->id, refused->error);
  const RpcMessage& message = std::get<RpcMessage>(read);
  auto context = context_of(request, config, out.cancel());
  if (!context.ok()) return refuse(out, 400, message.id, rpc_error(context.error()));
  const std::string session = names_in_headers(request).value_or({}).session;
  if (const Status fine = session.empty() ? Status() : check_id(session, "session"); !fine.ok())
    return refuse(out, 400, message.id, rpc_error(fine.error()));
  const auto tools = request.query.find("tools");
  Post one{request,
           out,
           message,
           std::move(context).value(),
           SessionId(session.empty() ? "mcp" : session),
           tools == request.query.end() ? tools_ : tools->second,
           streams};
  if (is_stateless_message(request, message)) return take_stateless(one);
  take_with_session(one);
}

void HttpEndpoint::take_stateless(Post& post) {
  const RpcMessage& message = post.message;
  if (message.kind == RpcKind::kNotification) return post.out.send(202, "", "");
  const Value* meta = meta_of(message.params);
  const bool named = meta != nullptr && !text_of(*meta, kMetaVersion).empty();
  const auto mismatch = header_mismatch(post.request, message);
  if (named && mismatch) return refuse(post.out, 400, message.id, *mismatch);
  const auto client = client_of(message.params);
  if (const auto* error = std::get_if<RpcError>(&client)) return refuse(post.out, 400, message.id, *error);
  if (message.method == "subscriptions/listen") return listen(post);
  answer(post, std::get<Client>(client), post.out.cancel(), nullptr);
}

void HttpEndpoint::answer(Post& post, const Client& client, std::stop_token cancel, HttpSession* session) {
  Way way(post, session, cancel);
  Client able = client;
  // Over a connection that carries no stream a client with a handshake cannot be asked anything.
  if (!is_stateless(client.revision)) able.asks_people = able.asks_people && post.streams;
  RequestContext context = post.context;
  context.cancel = cancel;
  way.answer(protocol_.answer({post.message,
                               able,
                               std::move(context),
                               post.session,
                               post.tools,
                               way,
                               {post.request.access, post.request.client, audit_, meter_}}));
}

void HttpEndpoint::listen(Post& post) {
  if (!post.streams)
    return refuse(post.out, 406, post.message.id,
                  {RpcCode::kInvalidRequest, "this is answered by text/event-stream", {}});
  const auto wanted = listening_of(post.message.params);
  if (!wanted.ok()) return refuse(post.out, 400, post.message.id, rpc_error(wanted.error()));
  const std::string& id = post.message.id;
  const auto stream = listening_stream(post.out, event_of(result_message(id, end_of_stream(id))));
  if (!stream) return;
  post.out.write(event_of(acknowledgement(*wanted, id)));
  const auto number =
      watcher_.add(post.context, wanted->interest, [stream, id](std::string_view method, const Value& params) {
        stream->offer(event_of(notification_message(method, of_stream(params, id))));
      });
  stream->when_over([this, number] { watcher_.remove(number); });
}

void HttpEndpoint::take_with_session(Post& post) {
  const RpcMessage& message = post.message;
  if (message.method == "initialize" && message.kind == RpcKind::kRequest) return begin_session(post);
  const auto revision = post.request.header("mcp-protocol-version");
  if (!revision.empty() && !parse_revision(revision))
    return refuse(post.out, 400, message.id, unsupported_revision(revision));
  const auto id = post.request.header(kSession);
  if (id.empty())
    return refuse(post.out, 400, message.id,
                  {RpcCode::kInvalidRequest,
                   "begin with initialize and send Mcp-Session-Id, or send _meta with " + std::string(kMetaVersion),
                   {}});
  const auto session = sessions_.find(id, post.context.scope.key().str());
  if (!session)
    return refuse(post.out, 404, message.id,
                  {RpcCode::kInvalidRequest, "the session is over: begin with initialize", {}});
  if (message.kind == RpcKind::kRequest) return take_request(post, *session);
  if (message.kind == RpcKind::kResponse) session->pending.take(message);
  if (const Value* cancelled = message.params.find("requestId");
      cancelled && message.method == "notifications/cancelled")
    session->cancel(to_json(*cancelled));
  post.out.send(202, "", "");
}

void HttpEndpoint::begin_session(Post& post) {
  Revision agreed = kNewestWithHandshake;
  const Reply welcome = protocol_.welcome(post.message.params, agreed);
  Way way(post, nullptr, post.out.cancel());
  if (std::holds_alternative<RpcError>(welcome)) return way.answer(welcome);
  const Client client{agreed, can_ask_people(post.message.params.find("capabilities")), std::nullopt};
  post.out.header("Mcp-Session-Id", sessions_.make(post.context.scope.key().str(), client)->id);
  way.answer(welcome);
}

void HttpEndpoint::take_request(Post& post, HttpSession& session) {
  const RpcMessage& message = post.message;
  Way way(post, &session, post.out.cancel());
  if (message.method == "ping") return way.answer(Value(ValueObject{}));
  if (message.method == "logging/setLevel") {
    const auto level = parse_severity(text_of(message.params, "level"));
    if (!level) return way.answer(RpcError{RpcCode::kInvalidParams, "\"level\" is none of the eight levels", {}});
    session.set_level(*level);
    return way.answer(Value(ValueObject{}));
  }
  if (message.method == "resources/subscribe" || message.method == "resources/unsubscribe")
    return way.answer(subscribe(post, session));
  std::stop_source stop;
  const std::stop_callback client_left(post.out.cancel(), [&stop] { stop.request_stop(); });
  const std::stop_token begun = session.begin(message.id);
  const std::stop_callback taken_back(begun, [&stop] { stop.request_stop(); });
  const AtEnd over([&] { session.finished(message.id, begun); });
  answer(post, session.client(), stop.get_token(), &session);
}

Reply HttpEndpoint::subscribe(const Post& post, HttpSession& session) {
  const std::string uri = text_of(post.message.params, "uri");
  if (uri.empty()) return RpcError{RpcCode::kInvalidParams, "\"uri\" is missing", {}};
  auto listener = session.listener();
  if (!listener) {
    const auto held = sessions_.find(session.id, session.owner);
    const auto number = watcher_.add(post.context, {true, {}},
                                     [weak = std::weak_ptr(held)](std::string_view method, const Value& params) {
                                       if (const auto alive = weak.lock())
                                         alive->mailbox.put(notification_message(method, params));
                                     });
    listener = session.listen_as(number);
    if (*listener != number) watcher_.remove(number);
  }
  if (post.message.method == "resources/subscribe")
    watcher_.listen(*listener, uri);
  else
    watcher_.stop_listening(*listener, uri);
  return Value(ValueObject{});
}

void HttpEndpoint::get(http::Request& request, http::ResponseWriter& out) {
  const auto id = request.header(kSession);
  if (id.empty()) {
    out.header("Allow", "POST");
    return refuse(out, 405, {}, {RpcCode::kInvalidRequest, "only sessions with a handshake have a stream here", {}});
  }
  if (!accepts(request, kStream))
    return refuse(out, 406, {}, {RpcCode::kInvalidRequest, "this is answered by text/event-stream", {}});
  const auto context = context_of(request, protocol_.engine().config(), out.cancel());
  const auto session = context.ok() ? sessions_.find(id, context->scope.key().str()) : nullptr;
  if (!session)
    return refuse(out, 404, {}, {RpcCode::kInvalidRequest, "the session is over: begin with initialize", {}});
  auto stream = listening_stream(out, {});
  if (!stream) return;
  out.write(": \n\n");
  session->mailbox.attach(std::move(stream));
}

void HttpEndpoint::remove(http::Request& request, http::ResponseWriter& out) {
  const auto id = request.header(kSession);
  if (id.empty()) {
    out.header("Allow", "POST");
    return refuse(out, 405, {}, {RpcCode::kInvalidRequest, "there is no session to end", {}});
  }
  const auto context = context_of(request, protocol_.engine().config(), out.cancel());
  if (!context.ok() || !sessions_.remove(id, context->scope.key().str()))
    return refuse(out, 404, {}, {RpcCode::kInvalidRequest, "there is no such session", {}});
  out.send(204, "", "");
}

}  // namespace weft::mcp
