#include "surface/http/serve.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <mutex>

#include "base/log.h"
#include "base/strings.h"
#include "base/trace.h"
#include "ports/net/http_client.h"
#include "ports/net/otlp_exporter.h"
#include "surface/access/key_ring.h"
#include "surface/api/api.h"
#include "surface/http/address_file.h"
#include "surface/http/guard.h"
#include "surface/http/request_watch.h"
#include "surface/http/server.h"
#include "surface/mcp/http_endpoint.h"
#include "surface/page/page.h"
#include "surface/proxy/proxy.h"
#include "text/plain_words.h"

namespace weft {
namespace {

// A connection may have one to the model's server behind it; the rest is for the store, its indexes and the queue.
constexpr rlim_t kOfEach = 2, kOthers = 512;

/// Raises the process's own limit of open files, as far as the system allows, to what so many connections need; tells
/// the log where that is not far enough. For the start of a program.
void allow_open_files(std::size_t connections) {
  const rlim_t wanted = static_cast<rlim_t>(connections) * kOfEach + kOthers;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) return;
  limit.rlim_cur = std::min(wanted, limit.rlim_max);
  if (::setrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur >= wanted) return;
  log_warning("serve",
              fmt::format("{} connections may need {} open files and the system allows {}: raise `ulimit -n`, or "
                          "lower server.max_connections",
                          connections, wanted, static_cast<rlim_t>(limit.rlim_max)));
}

http::PlaceLimits places_of(const ServerSettings& settings) {
  const auto count = [](std::int64_t number) { return static_cast<std::size_t>(std::max<std::int64_t>(number, 1)); };
  return {count(settings.max_connections), count(settings.spare_connections), count(settings.connections_per_caller),
          count(settings.streams_per_caller)};
}

http::ServerOptions options_of(const Config& config) {
  const auto& settings = config.server;
  http::ServerOptions out;
  out.host = settings.host;
  out.port = static_cast<std::uint16_t>(settings.port);
  out.workers = static_cast<std::size_t>(std::max<std::int64_t>(settings.threads, 1));
  out.places = places_of(settings);
  out.max_workers = out.places.connections + out.places.spare + out.workers;
  out.max_header_bytes = static_cast<std::size_t>(settings.max_header_bytes);
  out.max_body_bytes = static_cast<std::size_t>(settings.max_body_bytes);
  out.max_unsent_bytes = static_cast<std::size_t>(settings.stream_backlog_bytes);
  out.heartbeat = std::chrono::milliseconds(settings.stream_heartbeat_ms);
  out.header_timeout = std::chrono::milliseconds(settings.header_timeout_ms);
  out.keep_alive = std::chrono::milliseconds(settings.keep_alive_ms);
  out.read_timeout = std::chrono::milliseconds(settings.read_timeout_ms);
  out.write_timeout = std::chrono::milliseconds(settings.write_timeout_ms);
  out.request_timeout = std::chrono::milliseconds(settings.request_timeout_ms);
  out.tls_certificate = settings.tls_certificate;
  out.tls_key = settings.tls_key;
  return out;
}

http::GuardRules rules_of(const ServerSettings& settings) {
  http::GuardRules rules{settings.api_key, is_loopback(settings.host), {}, 0};
  rules.requests_per_minute = static_cast<std::size_t>(settings.requests_per_minute);
  for (const std::string_view origin : split_list(settings.origins, ','))
    if (const auto name = trimmed(origin); !name.empty()) rules.origins.emplace_back(name);
  return rules;
}

int complain(const Error& error) {
  log_error("serve", error.message + (error.hint.empty() ? "" : " (" + error.hint + ")"));
  return 1;
}

std::string url_of(const ServerSettings& settings, std::uint16_t port) {
  const std::string& host = settings.host;
  const bool is_v6 = host.find(':') != std::string::npos;
  return (settings.tls_certificate.empty() ? "http://" : "https://") + (is_v6 ? "[" + host + "]" : host) + ":" +
         std::to_string(port);
}

/// Sends what background threads do to where requests go, as long as that lives.
class BackgroundTraces {
 public:
  BackgroundTraces(SpanSink* sink, double share) { SpanRelay::of_background().lead_to(sink, share); }
  ~BackgroundTraces() { SpanRelay::of_background().lead_to(nullptr); }
  BackgroundTraces(const BackgroundTraces&) = delete;
  BackgroundTraces& operator=(const BackgroundTraces&) = delete;
};

// With which settings it serves: the names of those that differ from what is shipped, since some values are secrets.
AuditEntry start_of(const Config& config, Time now) {
  AuditEntry entry{now, "command", {}, "serve", {}, "done", {}};
  Config shipped;
  (void)apply_preset(shipped, to_string(config.preset));  // it is one of them
  for (const SettingInfo& info : describe_settings()) {
    const auto is = get_setting(config, info.key), was = get_setting(shipped, info.key);
    if (is.ok() && was.ok() && *is != *was && info.key != "workspace") entry.what.push_back("setting " + info.key);
  }
  return entry;
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
  const std::filesystem::path workspace = config.workspace;
  KeyRing keys(KeyRing::file_of(workspace));
  if (const Status fit = check_door(config.server, keys); !fit.ok()) return complain(fit.error());
  if (config.server.api_key.empty() && keys.guarded() && keys.empty())
    log_warning("serve.door", "no key opens this server: `weft key add NAME` makes one");
  // Writing to a client that has gone is an error to handle, not a reason to end.
  std::signal(SIGPIPE, SIG_IGN);
  const SystemClock clock;
  const AuditLog audit(AuditLog::file_of(workspace));
  http::Guard guard(rules_of(config.server), &keys, &audit, &clock);
  const auto client = make_http_client();
  const auto traces = config.otel.endpoint.empty() ? nullptr : std::make_unique<OtlpExporter>(config.otel, *client);
  const BackgroundTraces traced(traces.get(), config.otel.sample);
  proxy::Proxy proxy(engine, config, *client, local, clock);
  http::Router router;
  add_api(router, engine, &audit);
  proxy.add_to(router);
  mcp::ToolMeter tools;
  mcp::HttpEndpoint mcp(engine, "few", &audit, &tools);
  mcp.add_to(router);
  add_page(router);
  http::ServerOptions options = options_of(config);
  allow_open_files(options.places.connections + options.places.spare);
  options.admit = [&guard](http::Request& head) { return guard.admit(head); };
  http::Traffic traffic;
  options.refused = [&](const http::Request& head, const http::Refusal& refusal, std::size_t sent) {
    const http::RequestEnd end{head.method, router.pattern_of(head), refusal.status, 0, 0, sent, true};
    traffic.begun();
    traffic.ended(end, refusal.reason);
    if (config.log.access) http::log_access(head.access.name, end);
  };
  http::Server server(std::move(options), [&](http::Request& request, http::ResponseWriter& out) {
    http::RequestWatch watch(traffic, config.log.access, request, out);
    http::RequestSpan span(traces.get(), config.otel.sample, request, watch);
    guard.mark(request, span.out());
    if (!guard.answer_preflight(request, span.out())) router.dispatch(request, span.out());
  });
  const auto told =
      engine.upkeep().also_tell([&] { return traffic.text(server.connections(), server.listening()) + tools.text(); });
  if (const Status started = server.start(); !started.ok()) return complain(started.error());
  const std::string url = url_of(config.server, server.port());
  const AddressFile address(workspace);
  if (const Status written = address.write(url); !written.ok()) log_warning("serve", written.error().message);
  audit.note(start_of(config, clock.now()));
  on_listening(url);
  wait_for(stop);
  engine.upkeep().end_watching();
  server.stop(std::chrono::milliseconds(config.server.stop_grace_ms));
  return 0;
}

}  // namespace weft
