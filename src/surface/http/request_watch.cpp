#include "surface/http/request_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/log.h"

namespace weft::http {
namespace {

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

}  // namespace

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

}  // namespace weft::http
