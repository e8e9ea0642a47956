#include "surface/http/server.h"

#include <fmt/format.h>
#include <boost/asio/strand.hpp>

#include <utility>

#include "base/log.h"
#include "base/threads.h"
#include "surface/http/connection.h"

namespace weft::http {
namespace {

// Long enough that a client which asks again at once does not hammer, short enough for a person.
constexpr const char* kAskAgainAfter = "5";

Refusal too_many(std::size_t most, const char* what, const char* setting) {
  return {429,
          unavailable(fmt::format("too many {}: one caller may have {} at once", what, most),
                      fmt::format("end some of them first, or raise {}", setting)),
          {{"retry-after", kAskAgainAfter}},
          "too_many"};
}

}  // namespace

Refusal no_place() {
  return {503,
          unavailable("all connections of the server are in use",
                      fmt::format("try again in {} seconds, or raise server.max_connections", kAskAgainAfter)),
          {{"retry-after", kAskAgainAfter}},
          "full"};
}

Places::Id Places::longest_resting() const {
  Id found = nullptr;
  Clock::time_point since;
  for (const auto& [id, held] : held_) {
    if (!held.resting || held.leaving || (found != nullptr && held.since >= since)) continue;
    found = id;
    since = held.since;
  }
  return found;
}

Places::Arrival Places::arrive(Id id, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  Held held;
  held.since = now;
  Arrival arrival{true, nullptr};
  const bool tight = present() >= limits_.connections + spare_;
  if (tight) arrival.leaves = longest_resting();
  Held* const former = arrival.leaves != nullptr ? &held_.at(arrival.leaves) : nullptr;
  if (former == nullptr && tight && spare_ >= limits_.spare) return {};
  held.spare = former != nullptr ? former->spare : tight;
  held_.emplace(id, held);  // what may throw stands before what is counted
  if (former != nullptr) {
    spare_ -= former->spare ? 1 : 0;
    former->leaving = true;
    former->spare = false;
    ++leaving_;
  }
  spare_ += held.spare ? 1 : 0;
  return arrival;
}

// Its request was quicker than being closed.
void Places::stay(Held& held) {
  if (held.leaving) --leaving_;
  held.leaving = false;
  held.resting = false;
}

Places::Seat Places::serve(Id id, const Asking& asking) {
  const std::lock_guard lock(mutex_);
  const auto found = held_.find(id);
  if (found == held_.end()) return {};
  Held& held = found->second;
  stay(held);
  if (held.spare && present() - spare_ < limits_.connections) {
    held.spare = false;
    --spare_;
  }
  const auto of = callers_.find(asking.caller);
  const bool many =
      held.caller != asking.caller && of != callers_.end() && of->second.connections >= limits_.per_caller;
  if (asking.vital && (many || held.spare)) {
    belong_to(held, {});
    return {std::nullopt, true};
  }
  if (held.spare && !asking.administrator) return {no_place(), true};
  if (many) return {too_many(limits_.per_caller, "connections", "server.connections_per_caller"), true};
  belong_to(held, asking.caller);
  return {std::nullopt, held.spare};
}

std::optional<Refusal> Places::listen(Id id) {
  const std::lock_guard lock(mutex_);
  const auto found = held_.find(id);
  if (found == held_.end() || found->second.listening) return std::nullopt;
  Counts& counts = callers_[found->second.caller];
  if (counts.streams >= limits_.streams_per_caller)
    return too_many(limits_.streams_per_caller, "streams that listen", "server.streams_per_caller");
  ++counts.streams;
  ++listening_;
  found->second.listening = true;
  return std::nullopt;
}

void Places::rest(Id id, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  const auto found = held_.find(id);
  if (found == held_.end()) return;
  stop_listening(found->second);
  found->second.resting = true;
  found->second.since = now;
}

bool Places::has_to_leave(Id id) const {
  const std::lock_guard lock(mutex_);
  const auto found = held_.find(id);
  return found != held_.end() && found->second.leaving;
}

void Places::leave(Id id) {
  const std::lock_guard lock(mutex_);
  const auto found = held_.find(id);
  if (found == held_.end()) return;
  stop_listening(found->second);
  belong_to(found->second, {});
  if (found->second.leaving) --leaving_;
  if (found->second.spare) --spare_;
  held_.erase(found);
}

std::size_t Places::listening() const {
  const std::lock_guard lock(mutex_);
  return listening_;
}

// An empty caller is nobody, for whom nothing is counted.
void Places::belong_to(Held& held, const std::string& caller) {
  if (held.caller == caller) return;
  const std::string former = std::exchange(held.caller, caller);
  if (!former.empty()) {
    --callers_[former].connections;
    forget_if_gone(former);
  }
  if (!caller.empty()) ++callers_[caller].connections;
}

void Places::stop_listening(Held& held) {
  if (!std::exchange(held.listening, false)) return;
  --listening_;
  --callers_[held.caller].streams;
  forget_if_gone(held.caller);
}

void Places::forget_if_gone(const std::string& caller) {
  const auto found = callers_.find(caller);
  if (found != callers_.end() && found->second.connections == 0 && found->second.streams == 0) callers_.erase(found);
}

namespace asio = boost::asio;
using tcp = asio::ip::tcp;

namespace {

// Who is told that there is no place holds one for some seconds, too; in a flood of them the rest is told nothing.
constexpr std::size_t kMostTurnedAway = 256;

}  // namespace

Status ServerState::listen() {
  boost::system::error_code error;
  tcp::resolver resolver(io);
  const auto found = resolver.resolve(options.host, std::to_string(options.port), tcp::resolver::passive, error);
  if (error || found.empty())
    return invalid_argument("cannot resolve the address " + options.host, "check server.host");
  const auto endpoint = found.begin()->endpoint();
  const auto place = options.host + ":" + std::to_string(options.port);
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error == asio::error::access_denied) return permission("may not listen on " + place, "take a port above 1023");
  if (error)
    return unavailable("cannot listen on " + place + ": " + error.message(), "is another server running there?");
  port = acceptor.local_endpoint().port();
  return {};
}

void ServerState::accept_next() {
  if (draining) return;
  acceptor.async_accept(asio::make_strand(io), [self = shared_from_this()](const auto& error, tcp::socket socket) {
    self->accepted(error, std::move(socket));
  });
}

// Whatever becomes of one connection, the next one is accepted.
void ServerState::accepted(const boost::system::error_code& error, tcp::socket socket) {
  if (draining || error == asio::error::operation_aborted) return;
  if (error) log_warning("http.accept", error.message());
  if (!error && guarded_or_logged("http.accept", [&] { take(std::move(socket)); })) return accept_next();
  // Out of file descriptors or memory, mostly: asking again at once would only spin.
  pause.expires_after(std::chrono::milliseconds(100));
  pause.async_wait([self = shared_from_this()](const auto& stopped) {
    if (!stopped) self->accept_next();
  });
}

void ServerState::take(tcp::socket socket) {
  auto connection = std::make_shared<Connection>(shared_from_this(), std::move(socket));
  const auto arrival = places.arrive(connection.get());
  std::size_t all = 0;
  {
    const std::lock_guard lock(mutex);
    connections.insert(connection.get());
    all = connections.size();
  }
  if (arrival.taken)
    connection->start();
  else if (all <= options.places.connections + options.places.spare + kMostTurnedAway)
    connection->turn_away();
  if (arrival.leaves != nullptr) make_room(arrival.leaves);
}

void ServerState::make_room(Places::Id id) {
  for (const auto& connection : living())
    if (connection.get() == id) return connection->make_room();
}

void ServerState::leave(Connection* connection) {
  places.leave(connection);
  const std::lock_guard lock(mutex);
  connections.erase(connection);
  changed.notify_all();
}

bool ServerState::wait_for_end(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex);
  return changed.wait_for(lock, limit, [this] { return connections.empty(); });
}

void ServerState::run_what_is_left() {
  io.restart();
  io.poll();
}

std::vector<std::shared_ptr<Connection>> ServerState::living() {
  const std::lock_guard lock(mutex);
  std::vector<std::shared_ptr<Connection>> out;
  for (auto* connection : connections) {
    if (auto alive = connection->weak_from_this().lock()) out.push_back(std::move(alive));
  }
  return out;
}

Server::Server(ServerOptions options, Handler handler)
    : state_(std::make_shared<ServerState>(std::move(options), std::move(handler))) {}

Server::~Server() { stop(std::chrono::milliseconds(0)); }

Status Server::start() {
  const ServerOptions& options = state_->options;
  if (!options.tls_certificate.empty()) {
    WEFT_TRY(state_->tls, TlsContext::load(options.tls_certificate, options.tls_key));
  }
  WEFT_CHECK(state_->listen());
  state_->listeners = std::make_unique<Listeners>(options.heartbeat);
  state_->pool = std::make_unique<WorkerPool>(state_->options.workers, state_->options.max_workers);
  if (state_->pool->threads() == 0) return unavailable("the system gives no thread to answer requests with");
  state_->io_threads.reserve(state_->options.io_threads);
  state_->keep_running.emplace(state_->io.get_executor());
  asio::post(state_->acceptor.get_executor(), [state = state_] { state->accept_next(); });
  for (std::size_t i = 0; i < state_->options.io_threads; ++i) {
    std::thread thread;
    const Status begun = start_thread(thread, "reading requests", [state = state_.get()] {
      while (!guarded_or_logged("http.io", [&] { state->io.run(); })) continue;
    });
    if (!begun.ok() && state_->io_threads.empty()) return begun;
    if (!begun.ok()) {
      log_error("http.io", begun.error().message + "; " + std::to_string(i) + " threads read");
      break;
    }
    state_->io_threads.push_back(std::move(thread));
  }
  return {};
}

std::uint16_t Server::port() const { return state_->port; }

void Server::stop(std::chrono::milliseconds grace) {
  if (state_->draining.exchange(true) || !state_->pool) return;
  asio::post(state_->acceptor.get_executor(), [state = state_] {
    boost::system::error_code ignored;
    state->acceptor.close(ignored);
    state->pause.cancel();
  });
  state_->listeners->end();
  for (const auto& connection : state_->living()) connection->drain();
  if (!state_->wait_for_end(grace)) {
    for (const auto& connection : state_->living()) connection->kill();
    state_->wait_for_end(std::chrono::seconds(5));
  }
  state_->keep_running.reset();
  state_->io.stop();
  for (auto& thread : state_->io_threads) thread.join();
  state_->io_threads.clear();
  state_->run_what_is_left();  // nothing new is read any more, so nothing is submitted either
  state_->pool.reset();  // handlers at work have been told to stop
  state_->listeners.reset();
  state_->run_what_is_left();
}

std::size_t Server::connections() const {
  const std::lock_guard lock(state_->mutex);
  return state_->connections.size();
}

std::size_t Server::listening() const { return state_->places.listening(); }

}  // namespace weft::http
