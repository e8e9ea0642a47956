#include "surface/http/router.h"

#include <algorithm>

#include "base/strings.h"
#include "surface/http/errors.h"

namespace weft::http {
namespace {

std::vector<std::string> split(std::string_view path) {
  std::vector<std::string> out;
  while (!path.empty()) {
    path.remove_prefix(1);
    const auto segment = path.substr(0, path.find('/'));
    out.emplace_back(segment);
    path.remove_prefix(segment.size());
  }
  return out;
}

bool is_parameter(std::string_view segment) { return segment.starts_with('{') && segment.ends_with('}'); }

bool match(const std::vector<std::string>& pattern, const std::vector<std::string>& path,
           std::map<std::string, std::string>& params) {
  if (pattern.size() != path.size()) return false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (is_parameter(pattern[i])) {
      if (path[i].empty()) return false;
      params[pattern[i].substr(1, pattern[i].size() - 2)] = percent_decode(path[i]);
    } else if (pattern[i] != path[i]) {
      return false;
    }
  }
  return true;
}

// The pattern that a wrong path is nearest to: parameters stand for whatever the path has there.
std::string nearest(const std::vector<std::string>& path, const std::vector<std::vector<std::string>>& patterns) {
  std::string best;
  std::size_t least = 4;  // a few slips; further away it is another path
  for (const auto& pattern : patterns) {
    if (pattern.size() != path.size()) continue;
    std::size_t distance = 0;
    std::string whole;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
      if (!is_parameter(pattern[i])) distance += edit_distance(pattern[i], path[i]);
      whole += "/" + pattern[i];
    }
    if (distance < least) {
      least = distance;
      best = whole;
    }
  }
  return best;
}

void refuse(const Request& request, ResponseWriter& out, const std::string& allow, const std::string& near) {
  const int status = allow.empty() ? 404 : 405;
  const auto error =
      allow.empty() ? not_found("no such path: " + request.path, (near.empty() ? "" : "did you mean " + near + "? ") +
                                                                     "`weft help http` lists the paths")
                    : invalid_argument(request.method + " is not possible here", "allowed: " + allow);
  if (!allow.empty()) out.header("Allow", allow);
  out.send(status, "application/json",
           speaks_openai(request.path) ? openai_error_json(status, error) : error_json(error));
}

}  // namespace

void Router::add(std::string_view method, std::string_view pattern, Handler handler) {
  routes_.push_back({std::string(method), std::string(pattern), split(pattern), std::move(handler)});
}

void Router::dispatch(Request& request, ResponseWriter& out) const {
  const auto path = split(request.path);
  const std::string_view method = request.method == "HEAD" ? "GET" : std::string_view(request.method);
  std::string allow;
  // A path that is named is no parameter of another one: /v1/questions/next is nobody's id.
  std::size_t fewest = std::string::npos;
  for (const auto& route : routes_) {
    std::map<std::string, std::string> params;
    if (match(route.segments, path, params)) fewest = std::min(fewest, params.size());
  }
  for (const auto& route : routes_) {
    std::map<std::string, std::string> params;
    if (!match(route.segments, path, params) || params.size() > fewest) continue;
    if (route.method == method) {
      request.params = std::move(params);
      request.route = route.pattern;
      return route.handler(request, out);
    }
    allow += (allow.empty() ? "" : ", ") + route.method;
  }
  std::vector<std::vector<std::string>> patterns;
  for (const auto& route : routes_) patterns.push_back(route.segments);
  refuse(request, out, allow, allow.empty() ? nearest(path, patterns) : "");
}

std::string Router::pattern_of(const Request& request) const {
  const auto path = split(request.path);
  const Route* best = nullptr;
  std::size_t fewest = std::string::npos;
  for (const auto& route : routes_) {
    std::map<std::string, std::string> params;
    if (!match(route.segments, path, params) || params.size() >= fewest) continue;
    fewest = params.size();
    best = &route;
  }
  return best == nullptr ? std::string() : best->pattern;
}

std::vector<std::string> Router::paths() const {
  std::vector<std::string> out;
  for (const auto& route : routes_) out.push_back(route.method + " " + route.pattern);
  return out;
}

}  // namespace weft::http
