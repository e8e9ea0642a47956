#include "surface/mcp/stdio_server.h"

#include <utility>

#include "base/threads.h"
#include "surface/mcp/watcher.h"

namespace weft::mcp {
namespace {

constexpr std::size_t kAtWork = 4, kMostThreads = 32, kMostWaiting = 256;
constexpr std::chrono::seconds kGrace{5};  // for what is at work when the input ends

bool is_subscription(std::string_view method) {
  return method == "resources/subscribe" || method == "resources/unsubscribe";
}

}  // namespace

/// The way back of one request.
class StdioServer::Way final : public Peer {
 public:
  Way(StdioServer& server, std::stop_token cancel) : server_(server), cancel_(std::move(cancel)) {}

  void notify(std::string_view method, const Value& params) override {
    if (!cancel_.stop_requested()) server_.send(notification_message(method, params));
  }
  Result<Value> ask(std::string_view method, const Value& params, std::chrono::milliseconds patience) override {
    const std::string id = server_.pending_.begin();
    server_.send(request_message(id, method, params));
    Result<Value> answer = cancelled("");
    server_.pool_->while_waiting([&] { answer = server_.pending_.wait(id, patience, cancel_); });
    return answer;
  }
  void while_waiting(const std::function<void()>& wait) override { wait(); }

 private:
  StdioServer& server_;
  std::stop_token cancel_;
};

StdioServer::StdioServer(Protocol& protocol, StdioOptions options, std::function<void(const std::string&)> write)
    : protocol_(protocol),
      options_(std::move(options)),
      write_(std::move(write)),
      watcher_(protocol.engine()),
      pool_(std::make_unique<http::WorkerPool>(kAtWork, kMostThreads)) {}

StdioServer::~StdioServer() { end(); }

void StdioServer::send(const std::string& message) {
  const std::lock_guard lock(write_mutex_);
  write_(message);
}

void StdioServer::reply(const std::string& id, const Reply& reply) {
  const auto* error = std::get_if<RpcError>(&reply);
  send(error != nullptr ? error_message(id, *error) : result_message(id, std::get<Value>(reply)));
}

void StdioServer::take(std::string_view line) {
  if (line.find_first_not_of(" \t\r\n") == std::string_view::npos) return;
  // Clients of earlier revisions send several at once; each is answered by itself.
  if (const auto several = listed_messages(line, options_.limits); !several.empty()) {
    for (const std::string_view one : several) take_one(one);
    return;
  }
  take_one(line);
}

void StdioServer::take_one(std::string_view line) {
  auto read = read_message(line, options_.limits);
  if (const auto* refused = std::get_if<RpcRefusal>(&read)) {
    if (!refused->silent) send(error_message(refused->id, refused->error));
    return;
  }
  RpcMessage& message = std::get<RpcMessage>(read);
  switch (message.kind) {
    case RpcKind::kResponse: return pending_.take(std::move(message));
    case RpcKind::kNotification: return take_notification(message);
    case RpcKind::kRequest: return take_request(std::move(message));
  }
}

void StdioServer::take_notification(const RpcMessage& message) {
  if (message.method != "notifications/cancelled") return;
  if (const Value* id = message.params.find("requestId")) cancel(to_json(*id));
}

void StdioServer::take_request(RpcMessage message) {
  Client client;
  if (speaks_for_itself(message) || message.method == "server/discover" || message.method == "subscriptions/listen") {
    auto told = client_of(message.params);
    if (const auto* error = std::get_if<RpcError>(&told)) return reply(message.id, *error);
    client = std::get<Client>(told);
    if (message.method == "subscriptions/listen") return listen(message);
  } else {
    if (answered_at_once(message)) return;
    client = conversation();
  }
  std::stop_token cancel;
  bool same = false, full = false;
  {
    const std::lock_guard lock(mutex_);
    same = at_work_.contains(message.id);
    full = at_work_.size() >= kMostWaiting;
    if (!same && !full) cancel = at_work_[message.id].get_token();
  }
  if (same) return reply(message.id, RpcError{RpcCode::kInvalidRequest, "a request of this id is at work", {}});
  if (full) return reply(message.id, RpcError{RpcCode::kInternalError, "too many requests are at work", {}});
  pool_->submit([this, message = std::move(message), client, cancel] { work_off(message, client, cancel); });
}

// What belongs to the conversation itself. False: it is a request like any other.
bool StdioServer::answered_at_once(const RpcMessage& message) {
  if (message.method == "initialize") {
    Revision agreed = kNewestWithHandshake;
    const Reply welcome = protocol_.welcome(message.params, agreed);
    {
      const std::lock_guard lock(mutex_);
      conversation_.client = {agreed, can_ask_people(message.params.find("capabilities")), std::nullopt};
    }
    reply(message.id, welcome);
  } else if (message.method == "ping") {
    reply(message.id, Value(ValueObject{}));
  } else if (message.method == "logging/setLevel") {
    reply(message.id, set_level(message.params));
  } else if (is_subscription(message.method)) {
    reply(message.id, subscribe(message.method, message.params));
  } else {
    return false;
  }
  return true;
}

Reply StdioServer::set_level(const Value& params) {
  const auto level = parse_severity(text_of(params, "level"));
  if (!level) return RpcError{RpcCode::kInvalidParams, "\"level\" is none of the eight levels", {}};
  const std::lock_guard lock(mutex_);
  conversation_.client.log = level;
  return Value(ValueObject{});
}

Reply StdioServer::subscribe(const std::string& method, const Value& params) {
  const std::string uri = text_of(params, "uri");
  if (uri.empty()) return RpcError{RpcCode::kInvalidParams, "\"uri\" is missing", {}};
  std::optional<std::uint64_t> listener;
  {
    const std::lock_guard lock(mutex_);
    listener = conversation_.listener;
  }
  if (!listener) {
    listener = watcher_.add(options_.context, {true, {}}, [this](std::string_view what, const Value& told) {
      send(notification_message(what, told));
    });
    const std::lock_guard lock(mutex_);
    conversation_.listener = listener;
  }
  if (method == "resources/subscribe")
    watcher_.listen(*listener, uri);
  else
    watcher_.stop_listening(*listener, uri);
  return Value(ValueObject{});
}

void StdioServer::listen(const RpcMessage& message) {
  const auto wanted = listening_of(message.params);
  if (!wanted.ok()) return reply(message.id, rpc_error(wanted.error()));
  send(acknowledgement(*wanted, message.id));
  const std::uint64_t number = watcher_.add(options_.context, wanted->interest,
                                            [this, id = message.id](std::string_view what, const Value& told) {
                                              send(notification_message(what, of_stream(told, id)));
                                            });
  std::optional<std::uint64_t> former;
  {
    const std::lock_guard lock(mutex_);
    const auto [at, fresh] = streams_.try_emplace(message.id, number);
    if (!fresh) former = std::exchange(at->second, number);
  }
  if (former) watcher_.remove(*former);
}

void StdioServer::work_off(const RpcMessage& message, const Client& client, std::stop_token cancel) {
  Reply answer = RpcError{RpcCode::kInternalError, "the request could not be answered", {}};
  {
    // Before the answer is written: a client that has it may use the id again at once.
    const AtEnd over([&] { finished(message.id); });
    Way way(*this, cancel);
    RequestContext context = options_.context;
    context.cancel = cancel;
    guarded_or_logged("mcp.request", [&] {
      answer = protocol_.answer(
          {message, client, std::move(context), options_.session, options_.tools, way, options_.asker});
    });
  }
  // Nothing is said any more of what was cancelled.
  if (!cancel.stop_requested()) reply(message.id, answer);
}

void StdioServer::finished(const std::string& id) {
  const std::lock_guard lock(mutex_);
  at_work_.erase(id);
  idle_.notify_all();
}

void StdioServer::cancel(const std::string& id) {
  std::optional<std::stop_source> stop;
  std::optional<std::uint64_t> stream;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = at_work_.find(id); found != at_work_.end()) stop = found->second;
    if (const auto found = streams_.find(id); found != streams_.end()) {
      stream = found->second;
      streams_.erase(found);
    }
  }
  if (stop) stop->request_stop();
  if (stream) watcher_.remove(*stream);
}

void StdioServer::end() {
  std::unique_lock lock(mutex_);
  if (std::exchange(ended_, true)) return;
  lock.unlock();
  pending_.give_up();
  lock.lock();
  idle_.wait_for(lock, kGrace, [this] { return at_work_.empty(); });
  for (auto& [id, stop] : at_work_) stop.request_stop();
  const auto streams = std::exchange(streams_, {});
  const auto listener = conversation_.listener;
  lock.unlock();
  pool_.reset();
  if (listener) watcher_.remove(*listener);
  for (const auto& [id, number] : streams) {
    watcher_.remove(number);
    reply(id, end_of_stream(id));
  }
}

Client StdioServer::conversation() const {
  const std::lock_guard lock(mutex_);
  return conversation_.client;
}

}  // namespace weft::mcp
