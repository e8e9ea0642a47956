#include "surface/http/access_log.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "base/log.h"

namespace weft::http {

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
