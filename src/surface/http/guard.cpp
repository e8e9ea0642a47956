#include "surface/http/guard.h"

#include <algorithm>
#include <string_view>

#include "base/ascii.h"

namespace weft::http {
namespace {

/// Takes the same time wherever the difference is.
bool equal_secret(std::string_view given, std::string_view wanted) {
  unsigned difference = given.size() == wanted.size() ? 0 : 1;
  for (std::size_t i = 0; i < given.size(); ++i) {
    difference |= static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(wanted[i % wanted.size()]);
  }
  return difference == 0;
}

bool has_key(const Request& head, const std::string& key) {
  const auto value = head.header("authorization");
  return (value.starts_with("Bearer ") || value.starts_with("bearer ")) && equal_secret(value.substr(7), key);
}

std::string_view without_port(std::string_view host) {
  if (host.starts_with('[')) return host.substr(0, host.find(']') + 1);
  return host.substr(0, host.find(':'));
}

bool is_local_name(std::string_view host) {
  const auto name = without_port(host);
  const bool is_v4 =
      !name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return c == '.' || is_digit(c); });
  return name.empty() || is_v4 || name.starts_with('[') || name == "localhost" || name.ends_with(".localhost");
}

bool is_foreign(std::string_view origin, std::string_view host) {
  if (origin.empty()) return false;
  if (origin == "null") return true;
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (origin.starts_with(scheme)) return origin.substr(scheme.size()) != host;
  }
  return false;  // an extension or a desktop application
}

Error refusal(int* status, int value, Error error) {
  *status = value;
  return error;
}

}  // namespace

Status guard(const GuardRules& rules, const Request& head, int* status) {
  const auto host = head.header("host");
  if (is_foreign(head.header("origin"), host)) {
    return refusal(status, 403, permission("requests from pages of other sites are refused"));
  }
  if (rules.api_key.empty()) {
    if (rules.loopback && !is_local_name(host)) {
      return refusal(status, 403,
                     permission("requests under the name " + std::string(host) + " are refused",
                                "use localhost or an address, or set server.api_key"));
    }
    return {};
  }
  if (head.path == "/healthz" || has_key(head, rules.api_key)) return {};
  return refusal(status, 401, permission("a key is needed", "send it as: Authorization: Bearer KEY"));
}

}  // namespace weft::http
