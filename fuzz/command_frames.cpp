#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "surface/cli/beside/frames.h"

// What comes over the command's socket, in pieces of any size: the reader gives whole frames or refuses, and never
// holds more than a frame; a command line is read whole or not at all, and is written back as it was.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  weft::cli::FrameReader reader;
  while (!rest.empty()) {
    const std::size_t piece = std::min<std::size_t>(rest.size(), 1 + static_cast<unsigned char>(rest.front()) % 16);
    reader.feed(rest.substr(0, piece));
    rest.remove_prefix(piece);
    for (;;) {
      const auto frame = reader.next();
      if (!frame.ok()) return 0;
      if (!*frame) break;
      if ((*frame)->payload.size() > weft::cli::kMostPayload) std::abort();
      const auto run = weft::cli::decode_run((*frame)->payload);
      if (run.ok() && weft::cli::encode_run(*run) != (*frame)->payload) std::abort();
    }
  }
  return 0;
}
