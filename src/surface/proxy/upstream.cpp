#include "surface/proxy/upstream.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/ascii.h"
#include "base/log.h"
#include "base/trace.h"

namespace weft::proxy {
namespace {

constexpr std::array<std::string_view, 8> kOfConnection = {"connection",          "keep-alive", "proxy-authenticate",
                                                           "proxy-authorization", "te",         "trailer",
                                                           "transfer-encoding",   "upgrade"};

/// Besides those of the connection: what is written anew, and what concerns only the client and us. Without
/// Accept-Encoding the answer comes uncompressed and can be read on its way.
constexpr std::array<std::string_view, 8> kNotToUpstream = {"host",   "content-length", "expect",  "accept-encoding",
                                                            "cookie", "origin",         "referer", "proxy-connection"};

constexpr std::array<std::string_view, 5> kNotToClient = {"content-length", "content-type", "date", "server",
                                                          "set-cookie"};

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string from_environment(const std::string& name) {
  if (name.empty()) return {};
  const char* value = std::getenv(name.c_str());
  if (value == nullptr || *value == '\0') {
    log_warning("proxy.key", "the environment variable " + name + " is not set; the client's key is passed on");
    return {};
  }
  return value;
}

/// Headers that a Connection header names belong to the connection, too.
bool named_by_connection(const http::Request& request, std::string_view name) {
  auto list = request.header("connection");
  while (!list.empty()) {
    auto one = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), one.size() + 1));
    while (one.starts_with(' ')) one.remove_prefix(1);
    while (one.ends_with(' ')) one.remove_suffix(1);
    if (std::equal(one.begin(), one.end(), name.begin(), name.end(), [](char a, char b) { return to_lower(a) == b; })) {
      return true;
    }
  }
  return false;
}

}  // namespace

Upstream upstream_of(const Config& config) {
  Upstream out;
  out.url = config.proxy.upstream;
  auto key_name = config.proxy.api_key_env;
  if (out.url.empty()) {
    const auto role = config.roles.find("main");
    const auto model = role == config.roles.end() ? config.models.end() : config.models.find(role->second);
    if (model == config.models.end() || model->second.provider != ModelProvider::kOpenAi) return out;
    out.url = model->second.url;
    if (key_name.empty()) key_name = model->second.api_key_env;
  }
  while (out.url.ends_with('/')) out.url.pop_back();
  out.key = from_environment(key_name);
  return out;
}

Upstream anthropic_upstream_of(const Config& config) {
  Upstream out;
  out.form = WireForm::kAnthropic;
  out.url = config.proxy.anthropic_upstream;
  while (out.url.ends_with('/')) out.url.pop_back();
  out.key = from_environment(config.proxy.anthropic_key_env);
  return out;
}

HttpRequest request_to(const Upstream& upstream, const Config& config, const http::Request& request,
                       std::string_view path, std::string body) {
  HttpRequest out;
  out.method = request.method == "HEAD" ? "GET" : request.method;
  out.url = upstream.url + std::string(path);
  out.body = std::move(body);
  out.connect_timeout = std::chrono::milliseconds(config.proxy.connect_timeout_ms);
  out.idle_timeout = std::chrono::milliseconds(config.proxy.idle_timeout_ms);
  for (const auto& [name, value] : request.headers) {
    if (contains(kOfConnection, name) || contains(kNotToUpstream, name) || name.starts_with("x-weft-")) continue;
    if (named_by_connection(request, name)) continue;
    if ((name == "authorization" || name == "x-api-key") && !upstream.key.empty()) continue;
    out.headers.emplace_back(name, value);
  }
  // The caller's own trace goes on through us.
  if (const TraceSpan* span = TraceSpan::open()) {
    std::erase_if(out.headers, [](const auto& header) { return header.first == "traceparent"; });
    out.headers.emplace_back("traceparent", span->traceparent());
  }
  if (upstream.key.empty()) return out;
  if (upstream.form == WireForm::kAnthropic)
    out.headers.emplace_back("x-api-key", upstream.key);
  else
    out.headers.emplace_back("authorization", "Bearer " + upstream.key);
  return out;
}

void as_openai(http::Headers& headers) {
  const auto named = [&](std::string_view name) {
    return std::find_if(headers.begin(), headers.end(), [&](const auto& header) { return header.first == name; });
  };
  const auto key = named("x-api-key");
  if (key != headers.end() && named("authorization") == headers.end())
    headers.emplace_back("authorization", "Bearer " + std::string(key->second));
  std::erase_if(headers, [](const auto& header) {
    return header.first == "x-api-key" || header.first.starts_with("anthropic-");
  });
}

std::string path_behind_base(const http::Request& request) {
  std::string path = request.path.substr(std::string_view("/v1").size());
  if (!request.query_text.empty()) path += "?" + request.query_text;
  return path;
}

void pass_headers(const HttpHeaders& headers, http::ResponseWriter& out) {
  for (const auto& [name, value] : headers) {
    if (!contains(kOfConnection, name) && !contains(kNotToClient, name)) out.header(name, value);
  }
}

std::string_view header_of(const HttpHeaders& headers, std::string_view name) {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return {};
}

}  // namespace weft::proxy
