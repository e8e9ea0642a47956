#include "surface/access/door.h"

namespace weft {

bool is_loopback(const std::string& host) {
  // A name such as 127.example.org may lead anywhere.
  const bool is_v4 = host.find_first_not_of("0123456789.") == std::string::npos;
  return host == "localhost" || host == "::1" || (is_v4 && host.starts_with("127."));
}

Status check_door(const ServerSettings& settings, KeyRing& keys) {
  if (settings.port < 0 || settings.port > 65535) return invalid_argument("server.port must be from 0 to 65535");
  if (settings.tls_certificate.empty() != settings.tls_key.empty())
    return invalid_argument("server.tls_certificate and server.tls_key must be set together");
  if (is_loopback(settings.host) || !settings.api_key.empty() || !keys.empty()) return {};
  return permission("whoever reaches " + settings.host + " could read and change everything: there is no key",
                    "make one with `weft key add NAME`, set server.api_key, or listen on 127.0.0.1");
}

}  // namespace weft
