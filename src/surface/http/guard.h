#pragma once

#include <string>

#include "surface/http/exchange.h"
#include "weft/result.h"

namespace weft::http {

/// Who may ask.
struct GuardRules {
  std::string api_key;   ///< if set, needed as a bearer token everywhere but on /healthz
  bool loopback = true;  ///< the server is reachable from this machine only
};

/// Decides on a request by its headers; `status` is set for a refusal. Besides the key it looks at what a browser says:
/// a page of another site must not be able to read or write the memory of whoever looks at it. Therefore requests with
/// a foreign Origin are refused, and on the loopback address without a key those with a foreign Host (a name that was
/// made to point here).
Status guard(const GuardRules& rules, const Request& head, int* status);

}  // namespace weft::http
