#pragma once

#include <string>

#include "weft/config.h"

namespace weft {

/// The file of the local embedder that is configured.
std::string embedder_file(const Config& config);

}  // namespace weft
