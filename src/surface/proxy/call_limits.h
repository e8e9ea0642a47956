#pragma once

#include <cstdint>
#include <string>

#include "surface/http/exchange.h"
#include "surface/proxy/refusal.h"
#include "surface/proxy/request.h"
#include "weft/model_traits.h"

namespace weft::proxy {

/// What a call leaves of its model's window.
struct CallLimits {
  std::int64_t window = 0;      ///< 0: as the engine knows of the model
  std::int64_t output = 0;      ///< kept for the answer; 0: as configured
  std::int64_t other = 0;       ///< of what goes along with the messages: tools, a schema
  SystemMessages system_messages = SystemMessages::kUnknown;
  bool named = false;           ///< the client itself named the window
};

/// The headers X-Weft-Window and X-Weft-Output come first, then what the body asks for (`max_completion_tokens`,
/// `max_tokens`, `max_output_tokens`), then what is known of the model. kInvalidArgument for a header that is no number
/// of tokens.
Result<CallLimits> limits_of_call(const http::Request& request, const ChatCall& call, const ModelTraits& known);

/// What a call takes of a window, by estimate, as its budget counts it: messages with their images and files, and what
/// goes along with them.
std::int64_t tokens_of(const ChatCall& call);

/// A window in which the call is to be made once more: the one that the refusal names, or a smaller one than was
/// `used`; smaller still where the server counts more tokens than we did (`counted`).
std::int64_t smaller_window(const Refusal& refusal, std::int64_t used, std::int64_t counted);

}  // namespace weft::proxy
