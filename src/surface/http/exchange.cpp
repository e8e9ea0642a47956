#include "surface/http/exchange.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

#include "base/call_context.h"
#include "base/strings.h"

namespace weft::http {
namespace {

bool is_unreserved(char c) { return is_digit(c) || is_letter(c) || c == '-' || c == '.' || c == '_' || c == '~'; }

template <class Take>
void each_pair(std::string_view text, Take take) {
  while (!text.empty()) {
    const auto pair = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(text.size(), pair.size() + 1));
    const auto equals = pair.find('=');
    if (pair.empty()) continue;
    const auto value = equals == std::string_view::npos ? std::string_view{} : pair.substr(equals + 1);
    take(percent_decode(pair.substr(0, equals), true), percent_decode(value, true));
  }
}

}  // namespace

std::string_view Request::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return {};
}

std::string percent_encode(std::string_view text) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    if (is_unreserved(c)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += {'%', kHex[byte >> 4], kHex[byte & 15]};
  }
  return out;
}

std::map<std::string, std::string> parse_query(std::string_view text) {
  std::map<std::string, std::string> out;
  each_pair(text, [&](std::string name, std::string value) { out[std::move(name)] = std::move(value); });
  return out;
}

std::optional<std::string> repeated_name(std::string_view query) {
  std::set<std::string> seen;
  std::optional<std::string> repeated;
  each_pair(query, [&](std::string name, const std::string&) {
    if (!seen.insert(name).second && !repeated) repeated = std::move(name);
  });
  return repeated;
}

namespace {

using nlohmann::ordered_json;

std::string dump(const ordered_json& json) { return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace); }

// By it the lines of the log are found that belong to the error.
void name_request(ordered_json& error) {
  if (const auto& request = CallContext::current().request; !request.empty()) error["request_id"] = request;
}

std::string_view openai_type(int status) {
  switch (status) {
    case 401: return "authentication_error";
    case 403: return "permission_error";
    case 429: return "rate_limit_error";
    case 502:
    case 503:
    case 504: return "upstream_error";
    default: return status < 500 ? "invalid_request_error" : "server_error";
  }
}

}  // namespace

int status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument: return 400;
    case ErrorCode::kNotFound: return 404;
    case ErrorCode::kConflict: return 409;
    case ErrorCode::kTooLarge: return 413;
    case ErrorCode::kUnavailable: return 503;
    case ErrorCode::kTimeout: return 504;
    case ErrorCode::kCancelled: return 499;
    case ErrorCode::kPermission: return 403;
    case ErrorCode::kCorrupt:
    case ErrorCode::kInternal: return 500;
  }
  return 500;
}

std::string error_json(const Error& error) {
  ordered_json told = {{"code", to_string(error.code)}, {"message", error.message}, {"hint", error.hint}};
  name_request(told);
  return dump({{"error", std::move(told)}});
}

std::string openai_error_json(int status, const Error& error, std::string_view code) {
  const auto text = error.hint.empty() ? error.message : error.message + " (" + error.hint + ")";
  ordered_json told = {{"message", text},
                       {"type", openai_type(status)},
                       {"param", nullptr},
                       {"code", code.empty() ? to_string(error.code) : code}};
  name_request(told);
  return dump({{"error", std::move(told)}});
}

void send_error(ResponseWriter& out, const Error& error) {
  out.send(status_of(error.code), "application/json", error_json(error));
}

void send_openai_error(ResponseWriter& out, int status, const Error& error, std::string_view code) {
  out.send(status, "application/json", openai_error_json(status, error, code));
}

bool speaks_openai(std::string_view path) {
  for (const std::string_view begin : {"/v1/chat/", "/v1/models/", "/v1/responses/", "/v1/conversations/"})
    if (path.starts_with(begin) || path == begin.substr(0, begin.size() - 1)) return path != "/v1/chat";
  return false;
}

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
