#include "surface/http/serve.h"

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <mutex>

#include "base/log.h"
#include "ports/net/http_client.h"
#include "surface/api/api.h"
#include "surface/http/guard.h"
#include "surface/http/server.h"
#include "surface/proxy/proxy.h"

namespace weft {
namespace {

constexpr std::chrono::seconds kGrace(10);

http::ServerOptions options_of(const Config& config) {
  const auto& settings = config.server;
  http::ServerOptions out;
  out.host = settings.host;
  out.port = static_cast<std::uint16_t>(settings.port);
  out.workers = static_cast<std::size_t>(std::max<std::int64_t>(settings.threads, 1));
  out.max_connections = static_cast<std::size_t>(std::max<std::int64_t>(settings.max_connections, 1));
  out.max_workers = out.max_connections + out.workers;
  out.max_body_bytes = static_cast<std::size_t>(settings.max_body_bytes);
  out.read_timeout = std::chrono::milliseconds(settings.read_timeout_ms);
  out.write_timeout = std::chrono::milliseconds(settings.write_timeout_ms);
  const bool loopback = settings.host == "localhost" || settings.host == "::1" || settings.host.starts_with("127.");
  out.admit = [rules = http::GuardRules{settings.api_key, loopback}](const http::Request& head, int* status) {
    return http::guard(rules, head, status);
  };
  return out;
}

std::string url_of(const std::string& host, std::uint16_t port) {
  const bool is_v6 = host.find(':') != std::string::npos;
  return "http://" + (is_v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

void wait_for(std::stop_token stop) {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock lock(mutex);
  changed.wait(lock, stop, [] { return false; });
}

}  // namespace

int run_server(Engine& engine, const Config& config, ChatModel* local, std::stop_token stop,
               const std::function<void(const std::string& url)>& on_listening) {
  if (config.server.port < 0 || config.server.port > 65535) {
    log_error("serve", "server.port must be from 0 to 65535");
    return 1;
  }
  // Writing to a client that has gone is an error to handle, not a reason to end.
  std::signal(SIGPIPE, SIG_IGN);
  const SystemClock clock;
  const auto client = make_http_client();
  proxy::Proxy proxy(engine, config, *client, local, clock);
  http::Router router;
  add_api(router, engine);
  proxy.add_to(router);
  http::Server server(options_of(config),
                      [&router](http::Request& request, http::ResponseWriter& out) { router.dispatch(request, out); });
  const auto started = server.start();
  if (!started.ok()) {
    log_error("serve",
              started.error().message + (started.error().hint.empty() ? "" : " (" + started.error().hint + ")"));
    return 1;
  }
  on_listening(url_of(config.server.host, server.port()));
  wait_for(stop);
  server.stop(kGrace);
  return 0;
}

}  // namespace weft
