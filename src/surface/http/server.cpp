#include "surface/http/server.h"

#include <boost/asio/strand.hpp>

#include "base/guarded.h"
#include "base/log.h"
#include "base/threads.h"
#include "surface/http/connection.h"
#include "surface/http/server_state.h"

namespace weft::http {

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
