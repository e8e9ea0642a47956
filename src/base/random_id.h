#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

namespace weft {

/// This thread's source of chance, begun with the system's. Not for secrets.
std::mt19937_64& thread_chance();

/// So many hexadecimal digits by chance, in lower case, not all of them zero.
std::string random_hex(std::size_t digits);

}  // namespace weft
