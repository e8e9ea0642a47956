#include "surface/mcp/watcher.h"

#include <xxhash.h>

#include "base/guarded.h"
#include "base/threads.h"
#include "surface/mcp/protocol.h"
#include "surface/mcp/resources.h"

namespace weft::mcp {
namespace {

std::uint64_t mark_of(std::string_view text) { return XXH3_64bits(text.data(), text.size()); }

}  // namespace

Watcher::Watcher(Engine& engine, std::chrono::milliseconds interval) : engine_(engine), interval_(interval) {}

Watcher::~Watcher() {
  thread_.request_stop();
  changed_.notify_all();
}

std::uint64_t Watcher::add(RequestContext context, Interest interest, Tell tell) {
  Listener listener{std::move(context), std::move(interest), std::move(tell), {}};
  listener.context.cancel = {};  // it outlives the request that it came with
  if (listener.interest.list) listener.seen[""] = mark(listener.context, "");
  for (const std::string& uri : listener.interest.uris) listener.seen[uri] = mark(listener.context, uri);
  const std::lock_guard lock(mutex_);
  const std::uint64_t number = next_++;
  listeners_.emplace(number, std::move(listener));
  if (!thread_.joinable()) {
    const Status begun = start_thread(thread_, "the watcher", [this](std::stop_token stop) { run(stop); });
    if (!begun.ok()) log_warning("mcp.watch", begun.error().message + "; changes are told once another client listens");
  }
  changed_.notify_all();
  return number;
}

void Watcher::remove(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  listeners_.erase(number);
}

void Watcher::listen(std::uint64_t number, const std::string& uri) {
  const std::lock_guard lock(mutex_);
  const auto found = listeners_.find(number);
  if (found == listeners_.end() || found->second.seen.contains(uri)) return;
  found->second.interest.uris.push_back(uri);
  found->second.seen[uri] = mark(found->second.context, uri);
}

void Watcher::stop_listening(std::uint64_t number, const std::string& uri) {
  const std::lock_guard lock(mutex_);
  const auto found = listeners_.find(number);
  if (found == listeners_.end()) return;
  std::erase(found->second.interest.uris, uri);
  found->second.seen.erase(uri);
}

std::uint64_t Watcher::mark(const RequestContext& context, const std::string& uri) const {
  if (!uri.empty()) {
    const auto read = read_resource(engine_, context, uri);
    return read.ok() ? mark_of(read->text) : 0;
  }
  std::string all;
  if (const auto there = resources(engine_, context); there.ok())
    for (const Resource& one : *there) all += one.uri + "\n";
  return mark_of(all);
}

void Watcher::look(Listener& listener) const {
  const auto has_changed = [&](const std::string& uri) {
    const std::uint64_t now = mark(listener.context, uri);
    return std::exchange(listener.seen[uri], now) != now;
  };
  if (listener.interest.list && has_changed("")) listener.tell("notifications/resources/list_changed", Value());
  for (const std::string& uri : listener.interest.uris)
    if (has_changed(uri)) listener.tell("notifications/resources/updated", ValueObject{{"uri", uri}});
}

void Watcher::run(std::stop_token stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    changed_.wait(lock, stop, [this] { return !listeners_.empty(); });
    for (auto& [number, listener] : listeners_) guarded_or_logged("mcp.watch", [&, &heard = listener] { look(heard); });
    changed_.wait_for(lock, stop, interval_, [] { return false; });
  }
}

namespace {

constexpr std::size_t kMostUris = 256;  // of one stream: each is looked at again and again

}  // namespace

Result<Listening> listening_of(const Value& params) {
  const Value* wanted = params.find("notifications");
  if (wanted == nullptr || wanted->object() == nullptr) return invalid_argument("\"notifications\" is missing");
  Listening out;
  ValueObject acknowledged;
  if (const Value* list = wanted->find("resourcesListChanged"); list != nullptr && *list == Value(true)) {
    out.interest.list = true;
    acknowledged.emplace_back("resourcesListChanged", true);
  }
  if (const Value* uris = wanted->find("resourceSubscriptions"); uris != nullptr && uris->list() != nullptr) {
    if (uris->list()->size() > kMostUris)
      return invalid_argument("at most " + std::to_string(kMostUris) + " resources can be listened to at once");
    for (const Value& uri : *uris->list()) {
      if (uri.text() == nullptr) return invalid_argument("\"resourceSubscriptions\" must be texts");
      out.interest.uris.push_back(*uri.text());
    }
    acknowledged.emplace_back("resourceSubscriptions", *uris);
  }
  out.acknowledged = std::move(acknowledged);
  return out;
}

Value of_stream(const Value& params, const std::string& id) {
  ValueObject out = params.object() == nullptr ? ValueObject() : *params.object();
  out.emplace_back("_meta", ValueObject{{std::string(kMetaSubscription), parse_value(id).value_or(Value(id))}});
  return out;
}

std::string acknowledgement(const Listening& listening, const std::string& id) {
  return notification_message("notifications/subscriptions/acknowledged",
                              of_stream(ValueObject{{"notifications", listening.acknowledged}}, id));
}

Value end_of_stream(const std::string& id) {
  return finished({Revision::k2026_07_28, false, std::nullopt}, of_stream(Value(), id));
}

}  // namespace weft::mcp
