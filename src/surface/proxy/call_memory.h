#pragma once

#include <cstdint>

#include "surface/http/exchange.h"
#include "weft/result.h"

namespace weft::proxy {

/// What a call has to do with memory.
enum class CallMemory : std::uint8_t {
  kOn,      ///< memories are woven in, what is said is kept
  kRecord,  ///< nothing is woven in, what is said is kept
  kOff,     ///< neither: the call goes through as if Weft were not there
};

/// What the call's header `X-Weft-Memory` says ("on", "record" or "off"), else `otherwise`. kInvalidArgument for any
/// other word: whoever wrote "no" must not find the talk remembered.
Result<CallMemory> memory_of_call(const http::Request& request, CallMemory otherwise);

}  // namespace weft::proxy
