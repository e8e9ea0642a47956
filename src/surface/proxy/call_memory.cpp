#include "surface/proxy/call_memory.h"

#include <string>

namespace weft::proxy {

Result<CallMemory> memory_of_call(const http::Request& request, CallMemory otherwise) {
  const auto text = request.header("x-weft-memory");
  if (text.empty()) return otherwise;
  // A call may ask for less than the settings allow, not for more.
  if (text == "on") return otherwise;
  if (text == "record") return CallMemory::kRecord;
  if (text == "off") return CallMemory::kOff;
  return invalid_argument("the header X-Weft-Memory is \"" + std::string(text.substr(0, 40)) + "\"",
                          "send on, record or off, or leave the header out");
}

}  // namespace weft::proxy
