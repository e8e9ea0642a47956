#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "weft/result.h"

/// The heads of tar: blocks of 512 bytes, numbers as octal text.
namespace weft::tar {

inline constexpr std::size_t kBlock = 512;
inline constexpr char kFile = '0', kFolder = '5', kExtended = 'x';

struct Head {
  std::string name;
  std::uint64_t size = 0;
  char kind = kFile;
};

/// How much stands behind `size` bytes until the next block begins.
constexpr std::uint64_t padding(std::uint64_t size) { return (kBlock - size % kBlock) % kBlock; }

/// Whether a head can say it all; else an extended one has to come before it.
bool fits(const Head& head);

/// A block. Of a name that does not fit its end stands there.
std::string write_head(const Head& head);

/// The body of an extended head: "30 path=…\n".
std::string write_extended(const Head& head);

/// kCorrupt where the checksum is not that of the block, or a number is none.
Result<Head> read_head(std::string_view block);

/// Takes what an extended head says into the head that follows it. kCorrupt for a body that is none.
Status take_extended(std::string_view body, Head& head);

}  // namespace weft::tar
