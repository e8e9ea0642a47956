#include "surface/mcp/http_endpoint.h"

#include <array>
#include "base/threads.h"
#include "surface/api/scope_of_request.h"
#include "surface/mcp/http_headers.h"
#include "surface/mcp/listening.h"

namespace weft::mcp {
namespace {

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
