// Messages of the Model Context Protocol, from anybody: each is read or refused with a code, what is written again is
// read as the same, and no line that a client gets holds a line end or is other than JSON.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <variant>

#include "surface/mcp/protocol.h"
#include "surface/mcp/rpc.h"
#include "surface/mcp/watcher.h"
#include "text/json.h"

namespace {

constexpr weft::JsonLimits kLimits{.max_bytes = 1 << 16, .max_depth = 32};

void check_line(const std::string& line) {
  if (line.find('\n') != std::string::npos) std::abort();
  if (!weft::check_json(line, {.max_bytes = line.size() + 1, .max_depth = 64}, "line").ok()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace weft::mcp;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto read = read_message(text, kLimits);
  if (const auto* refused = std::get_if<RpcRefusal>(&read)) {
    check_line(error_message(refused->id, refused->error));
    return 0;
  }
  const RpcMessage& message = std::get<RpcMessage>(read);
  (void)speaks_for_itself(message);
  if (const auto client = client_of(message.params); const auto* error = std::get_if<RpcError>(&client))
    check_line(error_message(message.id, *error));
  if (const auto wanted = listening_of(message.params); wanted.ok() && !message.id.empty())
    check_line(acknowledgement(*wanted, message.id));
  if (message.kind != RpcKind::kRequest) return 0;
  const std::string again = request_message(message.id, message.method, message.params);
  check_line(again);
  const auto second = read_message(again, {.max_bytes = again.size() + 1, .max_depth = 64});
  const auto* same = std::get_if<RpcMessage>(&second);
  if (same == nullptr || same->id != message.id || same->kind != message.kind) std::abort();
  return 0;
}
