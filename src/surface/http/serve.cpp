#include "surface/http/serve.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/call_context.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/strings.h"
#include "ports/files/file_system.h"
#include "ports/net/http_client.h"
#include "ports/net/otlp_exporter.h"
#include "surface/access/key_ring.h"
#include "surface/api/api.h"
#include "surface/http/exchange.h"
#include "surface/http/guard.h"
#include "surface/http/server.h"
#include "surface/mcp/http_endpoint.h"
#include "surface/page/page.h"
#include "surface/proxy/proxy.h"
#include "text/plain_words.h"

namespace weft::http {
namespace {

/// One request that is over.
struct RequestEnd {
  std::string method, route;  ///< route: the pattern of its path; empty: there is none like it
  int status = 0;
  double seconds = 0;
  std::size_t received = 0, sent = 0;  ///< bytes of the bodies
  bool refused = false;                ///< before anybody looked at it
};

/// What goes through the server, counted for metrics. Paths are told by their patterns, so that labels stay few and
/// name nobody. Safe from any thread.
class Traffic {
 public:
  Traffic();

  void begun() { ++open_; }
  /// `reason`: why it was refused, one of few words such as "key" or "rate"; empty: as its status says.
  void ended(const RequestEnd& request, std::string_view reason = {});

  void stream_begun() { ++streams_; }
  void stream_ended() { --streams_; }

  /// As text that Prometheus reads. `connections`: open ones; `listening`: those of streams that go on without a
  /// request.
  std::string text(std::size_t connections, std::size_t listening = 0) const;

  /// How a method and a pattern are told.
  static std::string method_label(std::string_view method);
  static std::string route_label(std::string_view route);

 private:
  CounterFamily requests_, refused_;
  HistogramFamily time_;
  std::atomic<std::int64_t> open_{0}, streams_{0};
  std::atomic<std::uint64_t> received_{0}, sent_{0};
};

/// Writes a line of the log on a request that is over: which, by whom, what became of it. It holds the pattern of the
/// path and the key's name, never the path itself, the query, a key, or anything that was said. At the level "info";
/// "warning" where the server has failed, which
/// is not so where it is only full: who asks again and again would fill the log.
void log_access(std::string_view key, const RequestEnd& request, std::string_view upstream_request = {});

/// Hands an answer on, and tells its status before the client can see it. `out` must outlive it.
class StatusWriter final : public PassingWriter {
 public:
  StatusWriter(ResponseWriter& out, std::function<void(int status)> tell)
      : PassingWriter(out), tell_(std::move(tell)) {}

  void send(int status, std::string_view content_type, std::string_view body) override {
    tell_(status);
    PassingWriter::send(status, content_type, body);
  }
  bool begin(int status, std::string_view content_type) override {
    tell_(status);
    return PassingWriter::begin(status, content_type);
  }

  std::shared_ptr<OpenStream> stay_open(Listening how) override {
    auto stream = PassingWriter::stay_open(std::move(how));
    if (const int status = status_of_stream(stream, *this); status > 0) tell_(status);
    return stream;
  }

 private:
  std::function<void(int status)> tell_;
};

/// Looks at a request while it is answered, counts it and writes its line of the log when it is over. An id that a
/// model's server gave its answer is passed on as X-Upstream-Request-Id: X-Request-Id is ours. For one thread; what is
/// given must outlive it.
class RequestWatch final : public PassingWriter {
 public:
  /// `logged`: its line is written.
  RequestWatch(Traffic& traffic, bool logged, const Request& request, ResponseWriter& out)
      : PassingWriter(out),
        traffic_(traffic),
        logged_(logged),
        request_(request),
        method_(request.method),
        received_(request.body.size()),
        failing_(std::uncaught_exceptions()) {
    traffic_.begun();
  }

  ~RequestWatch() override { finish(); }
  RequestWatch(const RequestWatch&) = delete;
  RequestWatch& operator=(const RequestWatch&) = delete;

  void header(std::string_view name, std::string_view value) override {
    if (!is_request_id_name(name)) return PassingWriter::header(name, value);
    if (is_request_id(value)) upstream_request_ = value;
    PassingWriter::header("X-Upstream-Request-Id", value);
  }
  void send(int status, std::string_view content_type, std::string_view body) override {
    status_ = status;
    sent_ += body.size();
    finish();
    PassingWriter::send(status, content_type, body);
  }
  bool begin(int status, std::string_view content_type) override {
    status_ = status;
    streaming_ = true;
    traffic_.stream_begun();
    return PassingWriter::begin(status, content_type);
  }
  void end() override {
    finish();
    PassingWriter::end();
  }
  // It goes on without a request: only the connection tells of it.
  std::shared_ptr<OpenStream> stay_open(Listening how) override {
    auto stream = PassingWriter::stay_open(std::move(how));
    status_ = status_of_stream(stream, *this);
    if (status_ > 0) finish(stream != nullptr ? std::string_view() : "too_many");
    return stream;
  }
  bool write(std::string_view bytes) override {
    sent_ += bytes.size();
    return PassingWriter::write(bytes);
  }

 private:
  static bool is_request_id_name(std::string_view name) {
    constexpr std::string_view kName = "x-request-id";
    if (name.size() != kName.size()) return false;
    for (std::size_t i = 0; i < name.size(); ++i)
      if (to_lower(name[i]) != kName[i]) return false;
    return true;
  }

  // Before the client can see the end: who has the answer finds it counted and its line in the log.
  void finish(std::string_view refused_for = {}) {
    if (finished_) return;
    finished_ = true;
    constexpr int kClientGone = 499, kFailed = 500;
    constexpr double kMsPerSecond = 1000;
    if (streaming_) traffic_.stream_ended();
    const bool thrown = std::uncaught_exceptions() > failing_;
    const int status = status_ != 0 ? status_ : thrown || !client_gone() ? kFailed : kClientGone;
    const RequestEnd end{method_, request_.route, status, clock_.ms() / kMsPerSecond, received_, sent_};
    traffic_.ended(end, refused_for);
    if (logged_) log_access(request_.access.name, end, upstream_request_);
  }

  Traffic& traffic_;
  const bool logged_;
  const Request& request_;
  const std::string method_;
  const std::size_t received_;
  const int failing_;
  const Stopwatch clock_;
  int status_ = 0;
  std::size_t sent_ = 0;
  bool streaming_ = false, finished_ = false;
  std::string upstream_request_;
};

/// A request as the first step of its trace, or of its caller's (header `traceparent`). It is named by method and
/// pattern of the path: paths and queries may name people. For one thread; what is given must outlive it.
class RequestSpan {
 public:
  /// `sink` may be null: then nothing is recorded. `share` of requests whose caller does not say.
  RequestSpan(SpanSink* sink, double share, const Request& request, ResponseWriter& out)
      : request_(request),
        span_(sink, request.method, parse_traceparent(request.header("traceparent")), share),
        out_(out, [this](int status) { status_ = status; }) {}

  ~RequestSpan() {
    if (!span_.on()) return;
    span_.set("http.request.method", request_.method);
    if (!request_.route.empty()) {
      span_.rename(request_.method + " " + request_.route);
      span_.set("http.route", request_.route);
    }
    if (status_ > 0) span_.set("http.response.status_code", std::int64_t{status_});
    constexpr int kServerErrors = 500;
    if (status_ < kServerErrors) return;
    span_.set("error.type", std::to_string(status_));
    span_.fail("the request could not be answered");
  }
  RequestSpan(const RequestSpan&) = delete;
  RequestSpan& operator=(const RequestSpan&) = delete;

  ResponseWriter& out() { return out_; }

 private:
  const Request& request_;
  TraceSpan span_;
  StatusWriter out_;
  int status_ = 0;
};

constexpr std::array<std::string_view, 7> kMethods{"GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"};
constexpr std::array<std::string_view, 9> kReasons{
    "key", "right", "rate", "origin", "host", "too_large", "headers_too_large", "too_many", "full"};

// "2xx"; those by which requests are refused are told by themselves.
std::string status_label(int status) {
  for (const int own : {401, 403, 429, 503})
    if (status == own) return std::to_string(own);
  return std::to_string(status / 100) + "xx";
}

// Why a handler refused a request, by its status; empty where it did not.
std::string_view reason_of(int status) {
  switch (status) {
    case 401: return "key";
    case 403: return "right";
    case 429: return "rate";
    case 503: return "unavailable";
    default: return {};
  }
}

Traffic::Traffic()
    : requests_({"http_requests_total",
                 "Requests that were answered; statuses by class, those of refusals by themselves.",
                 {"method", "route", "status"}}),
      refused_({"http_refused_total", "Requests that were refused, by why.", {"reason"}}),
      time_({"http_request_seconds", "Time until the end of the answer.", {"method", "route"}}) {
  for (const std::string_view reason : kReasons) refused_.add({std::string(reason)}, 0);
}

std::string Traffic::method_label(std::string_view method) {
  return std::find(kMethods.begin(), kMethods.end(), method) == kMethods.end() ? "other" : std::string(method);
}

std::string Traffic::route_label(std::string_view route) { return route.empty() ? "unmatched" : std::string(route); }

void Traffic::ended(const RequestEnd& request, std::string_view reason) {
  --open_;
  const std::string method = method_label(request.method), route = route_label(request.route);
  requests_.add({method, route, status_label(request.status)});
  time_.add({method, route}, request.seconds);
  received_ += request.received;
  sent_ += request.sent;
  if (reason.empty()) reason = reason_of(request.status);
  if (!reason.empty()) refused_.add({std::string(reason)});
}

std::string Traffic::text(std::size_t connections, std::size_t listening) const {
  MetricsText out;
  requests_.write(out);
  time_.write(out);
  refused_.write(out);
  out.gauge("http_connections", "Connections of clients that are open.", static_cast<double>(connections));
  out.gauge("http_requests_open", "Requests that are being answered.", static_cast<double>(open_.load()));
  out.gauge("http_streams_open", "Answers that are being streamed.",
            static_cast<double>(streams_.load()) + static_cast<double>(listening));
  out.counter("http_received_bytes_total", "Bytes of the bodies of requests.", static_cast<double>(received_.load()));
  out.counter("http_sent_bytes_total", "Bytes of the bodies of answers.", static_cast<double>(sent_.load()));
  return out.take();
}

void log_access(std::string_view key, const RequestEnd& request, std::string_view upstream_request) {
  constexpr int kServerErrors = 500;
  constexpr double kMsPerSecond = 1000;
  const LogLevel level = request.status >= kServerErrors && !request.refused ? LogLevel::kWarning : LogLevel::kInfo;
  if (!logs(level)) return;
  const std::string method = Traffic::method_label(request.method), route = Traffic::route_label(request.route);
  std::vector<LogField> fields = {{"key", key},
                                  {"method", std::string_view(method)},
                                  {"route", std::string_view(route)},
                                  {"status", std::int64_t{request.status}},
                                  {"ms", std::round(request.seconds * kMsPerSecond * kMsPerSecond) / kMsPerSecond},
                                  {"received", static_cast<std::int64_t>(request.received)},
                                  {"sent", static_cast<std::int64_t>(request.sent)}};
  if (!upstream_request.empty()) fields.push_back({"upstream_request", upstream_request});
  log(level, "http.request", fmt::format("{} {} {}", method, route, request.status), fields);
}

}  // namespace
}  // namespace weft::http

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

AddressFile::~AddressFile() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

Status AddressFile::write(const std::string& url) const { return write_file(path_, url + "\n", false); }

std::string AddressFile::read(const std::filesystem::path& workspace) {
  std::string url = read_file(workspace / "weft.address").value_or("");
  while (!url.empty() && (url.back() == '\n' || url.back() == ' ')) url.pop_back();
  return url;
}

}  // namespace weft
