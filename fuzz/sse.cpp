// A stream read at once and read in pieces of any size gives the same events.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "ports/net/http_client.h"

namespace {

struct Outcome {
  std::vector<weft::SseEvent> events;
  bool usable = true;
};

constexpr std::size_t kLimit = 4096;

Outcome read(std::string_view bytes, std::size_t piece) {
  Outcome outcome;
  weft::SseReader reader(kLimit);
  while (!bytes.empty() && outcome.usable) {
    outcome.usable =
        reader.feed(bytes.substr(0, piece), [&](const weft::SseEvent& event) { outcome.events.push_back(event); });
    bytes.remove_prefix(std::min(piece, bytes.size()));
  }
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  // The first byte chooses the size of the pieces.
  const std::size_t piece = data[0] % 16 + 1;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Outcome whole = read(bytes, bytes.size() + 1);
  const Outcome pieces = read(bytes, piece);
  if (whole.usable != pieces.usable) std::abort();
  if (!whole.usable) return 0;
  if (whole.events.size() != pieces.events.size()) std::abort();
  for (std::size_t i = 0; i < whole.events.size(); ++i) {
    const weft::SseEvent &a = whole.events[i], &b = pieces.events[i];
    if (a.type != b.type || a.data != b.data || a.id != b.id) std::abort();
  }
  return 0;
}
