#pragma once

#include "surface/http/exchange.h"
#include "weft/result.h"

namespace weft::http {

/// Why a request goes no further.
struct Refusal {
  int status = 403;
  Error error;
  Headers headers = {};  ///< of the answer
  std::string_view reason = "malformed";  ///< one of few words, for metrics
};

}  // namespace weft::http
