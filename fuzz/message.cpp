// Whatever arrives, reading messages gives messages or an error; and what was read survives being written and read
// again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "weft/message.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void check_round_trip(const weft::Message& message) {
  const auto again = weft::parse_message(weft::to_json(message));
  require(again.ok() && again->size() == 1);
  const weft::Message& read = again->front();
  require(read.id == message.id && read.role == message.role && read.name == message.name);
  require(read.content == message.content && read.reasoning == message.reasoning);
  require(read.tool_call_id == message.tool_call_id && read.time == message.time);
  require(read.tool_calls.size() == message.tool_calls.size());
  for (std::size_t i = 0; i < read.tool_calls.size(); ++i) {
    require(read.tool_calls[i].id == message.tool_calls[i].id);
    require(read.tool_calls[i].name == message.tool_calls[i].name);
    require(read.tool_calls[i].arguments == message.tool_calls[i].arguments);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto messages = weft::parse_messages(text); messages.ok()) {
    for (const weft::Message& message : *messages) check_round_trip(message);
  }
  if (const auto messages = weft::parse_message(text); messages.ok()) {
    for (const weft::Message& message : *messages) check_round_trip(message);
  }
  return 0;
}
